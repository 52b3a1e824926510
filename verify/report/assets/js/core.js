/* The data, elements, the state in the address, copying.

   Text of claims enters the page through h() and nothing else: as text nodes, never as markup.  The state
   (filters, the open claim) is the part of the address after "#", so that a view can be sent as a link. */

const data = JSON.parse(document.getElementById("data").textContent);
const claims = new Map(data.claims.map((claim) => [claim.label, { ...claim, used_by: [] }]));
for (const claim of claims.values()) {
  for (const used of claim.uses) claims.get(used)?.used_by.push(claim.label);
}

/** An element: h("p.note", {title: "..."}, "text", element, [more]); what is null or false is left out. */
function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  dress(element, attributes, classes);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The same for pictures. */
function svg(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  dress(element, attributes, classes);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function dress(element, attributes, classes) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
}

const State = (() => {
  const listeners = [];
  let now = read();

  function read() {
    const found = {};
    for (const part of location.hash.slice(1).split("&")) {
      const cut = part.indexOf("=");
      if (cut < 1) continue;
      try {
        found[decodeURIComponent(part.slice(0, cut))] = decodeURIComponent(part.slice(cut + 1).replace(/\+/g, " "));
      } catch {
        continue; // an address that somebody has damaged
      }
    }
    return found;
  }

  function address(state) {
    const word = (text) => encodeURIComponent(text).replace(/%3A/g, ":").replace(/%2F/g, "/").replace(/%20/g, "+");
    return "#" + Object.entries(state).filter(([, value]) => value).map(([key, value]) => `${word(key)}=${word(value)}`).join("&");
  }

  /** Change some of it; a step that "back" should undo is a new entry of the history. */
  function set(changes, { step = false } = {}) {
    const next = Object.fromEntries(Object.entries({ ...now, ...changes }).filter(([, value]) => value));
    if (address(next) === address(now)) return;
    const before = now;
    now = next;
    history[step ? "pushState" : "replaceState"](null, "", address(next) === "#" ? location.pathname + location.search : address(next));
    for (const tell of listeners) tell(now, before);
  }

  function reread() {
    const before = now;
    now = read();
    for (const tell of listeners) tell(now, before);
  }

  addEventListener("hashchange", reread);
  addEventListener("popstate", reread);
  return {
    get: (key) => now[key] ?? "",
    set,
    link: (changes) => address({ ...now, ...changes }),
    /** Call on changes of these parts of the state, and at the start. */
    watch: (keys, tell) => listeners.push((now, before) => {
      if (before === null || keys.some((key) => (now[key] ?? "") !== (before[key] ?? ""))) tell(now, before ?? {});
    }),
    start: () => listeners.forEach((tell) => tell(now, null)),
  };
})();

/** A link that changes the state; opened in another tab it is an address like any other. */
function stateLink(changes, attributes, ...children) {
  return h("a", {
    href: State.link(changes),
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      State.set(changes, { step: true });
      if (changes.at) goTo(changes.at);
    },
    ...attributes,
  }, ...children);
}

/** Bring a section to the eye, and to the keyboard. */
function goTo(id) {
  const place = document.getElementById(id);
  if (!place) return;
  place.scrollIntoView();
  place.focus({ preventScroll: true });
  requestAnimationFrame(() => place.scrollIntoView()); // rows on the way may have got their true heights
}

/** A button that copies a text and says that it has. */
function copyButton(words, text, attributes = {}) {
  const button = h("button.copy", { type: "button", ...attributes, onclick: async () => {
    const done = await copied(text);
    button.textContent = done ? "Copied" : "Select and copy by hand";
    announce(done ? "Copied" : "Copying is not allowed here");
    setTimeout(() => (button.textContent = words), 1600);
  } }, words);
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // no clipboard for pages from disk: the old way
    const field = h("textarea", { "aria-hidden": "true", class: "offstage" });
    field.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

const live = h("div.offstage", { role: "status", "aria-live": "polite" });

/** For those who listen to the page. */
function announce(text) {
  live.textContent = text;
}

/** A section of the page with its heading; in the menu it has one word. */
function section([id, menu], title, ...children) {
  return h("section", { id, tabindex: "-1", "data-menu": menu, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);
}

const Report = { panels: new Map(), panel: (name, show) => Report.panels.set(name, show) };
