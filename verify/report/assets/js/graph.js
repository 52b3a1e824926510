/* The graph: a dozen nodes that open on a click; zoom and pan by mouse, touch and keyboard. */

const GraphView = (() => {
  const view = { x: 0, y: 0, scale: 1 };
  const opened = new Set(); // labels whose uses are shown
  const extra = new Set(); // shown besides: the way to the weakest claim
  let picture, stage, info, nodes = new Map(), lines = [], placed = new Map(), selected = "", way = [];
  const mode = () => (State.get("graph") === "repaired" ? "repaired" : "printed");

  /** The first nodes, and what was opened: also inside what was opened. */
  function visible() {
    const found = new Set([...data.graph[mode()], ...extra]);
    for (const label of found) { // grows while it is walked through
      if (opened.has(label)) for (const used of Network.uses(label)) found.add(used);
    }
    return found;
  }

  const title = (claim) => claim.number || claim.label;

  function size(label) {
    const claim = claims.get(label);
    const letters = Math.max(title(claim).length * 8 + 64, (claim.number ? label : claim.verdict).length * 6.7 + 12);
    return { width: Math.max(104, letters + 12), height: 46 };
  }

  function layout(shown, arrows) {
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({ rankdir: "LR", nodesep: 12, ranksep: 56, marginx: 8, marginy: 8 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const label of shown) graph.setNode(label, size(label));
    for (const { from, to } of arrows) graph.setEdge(from, to);
    dagre.layout(graph);
    return graph;
  }

  function draw({ keep = "" } = {}) {
    const before = placed.get(keep);
    const shown = [...visible()];
    const arrows = Network.arrows(new Set(shown));
    const graph = layout(shown, arrows);
    placed = new Map(shown.map((label) => [label, graph.node(label)]));
    nodes = new Map();
    lines = arrows.map((arrow) => ({ ...arrow, element: line(arrow, graph.edge(arrow.from, arrow.to).points) }));
    stage.replaceChildren(...lines.map((one) => one.element), ...shown.map((label) => node(label, placed.get(label))));
    if (before && placed.has(keep)) {
      view.x += (before.x - placed.get(keep).x) * view.scale;
      view.y += (before.y - placed.get(keep).y) * view.scale;
      move();
    } else fit();
    highlight();
    picture.setAttribute("aria-label", `What rests on what: ${shown.length} of ${claims.size} claims`);
  }

  /** From the right of one box to the left of the other, past the points that the layout leaves free. */
  function line({ from, to, through }, points) {
    const [user, used] = [placed.get(from), placed.get(to)];
    let here = { x: user.x + user.width / 2, y: user.y };
    let path = `M${here.x},${here.y}`;
    for (const next of [...points.slice(1, -1), { x: used.x - used.width / 2, y: used.y }]) {
      const middle = (here.x + next.x) / 2;
      path += ` C${middle},${here.y} ${middle},${next.y} ${next.x},${next.y}`;
      here = next;
    }
    return svg(`path.arrow${through ? ".through" : ""}`, { d: path, "marker-end": "url(#tip)" });
  }

  function node(label, { x, y, width, height }) {
    const claim = claims.get(label);
    const hidden = Network.uses(label).length;
    const element = svg("g.node", {
      transform: `translate(${x - width / 2},${y - height / 2})`, tabindex: "0", role: "button", "data-label": label,
      "aria-label": `${title(claim)}, ${label}: ${claim.verdict}, transitive ${claim.transitive}; uses ${hidden}`, "aria-expanded": hidden ? String(opened.has(label)) : null,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(label);
        nodes.get(label)?.focus();
      },
    },
    svg("title", {}, claim.statement),
    svg(`rect.own-${claim.verdict}.rests-${claim.transitive}`, { width, height, rx: 6 }),
    svg("text.name", { x: 12, y: 19 }, `${MARKS[claim.verdict] ?? ""} ${title(claim)}`),
    svg("text.under", { x: 12, y: 36 }, claim.number ? label : claim.verdict),
    hidden ? svg("text.more", { x: width - 10, y: 19, "text-anchor": "end" }, opened.has(label) ? "−" : `+${hidden}`) : null);
    nodes.set(label, element);
    return element;
  }

  function choose(label) {
    selected = label;
    way = [];
    if (Network.uses(label).length) opened[opened.has(label) ? "delete" : "add"](label);
    State.set({ node: label });
    draw({ keep: label });
    tell();
  }

  function highlight() {
    const below = selected && placed.has(selected) ? Network.below(selected) : new Set();
    const above = selected && placed.has(selected) ? Network.above(selected) : new Set();
    const path = new Set(way);
    const touched = (label) => path.size ? path.has(label) : label === selected || below.has(label) || above.has(label);
    for (const [label, element] of nodes) {
      element.classList.toggle("selected", label === selected);
      element.classList.toggle("below", below.has(label));
      element.classList.toggle("above", above.has(label));
      element.classList.toggle("on-way", path.has(label));
      element.classList.toggle("dim", Boolean(selected) && !touched(label));
    }
    const side = (label) => label === selected || below.has(label), other = (label) => label === selected || above.has(label);
    for (const { from, to, element } of lines) {
      const lit = path.size ? path.has(from) && path.has(to) : (side(from) && side(to)) || (other(from) && other(to));
      element.classList.toggle("lit", Boolean(selected) && lit);
      element.classList.toggle("dim", Boolean(selected) && !lit);
    }
  }

  function tell() {
    const claim = claims.get(selected);
    if (!claim) {
      info.replaceChildren(h("p.quiet", {}, "Choose a node: what it uses opens beside it, what it rests on and what rests on it is marked."));
      return;
    }
    const proved = claim.transitive === "proved";
    const parts = [
      h("p", {}, h("strong", {}, title(claim)), " ", claim.number ? h("code", {}, selected) : "", " ", badge(claim.verdict), claim.transitive !== claim.verdict ? [" rests on ", badge(claim.transitive)] : "",
        h("span.quiet", {}, resting(claim))),
      h("p.statement", {}, rich(claim.statement)),
      h("p.tools", {}, h("button", { type: "button", onclick: () => State.set({ claim: selected }, { step: true }) }, "Open the claim"), " ",
        proved ? null : h("button.why", { type: "button", onclick: explain }, "Why is this not proved?"), " ",
        h("button", { type: "button", onclick: clear }, "Clear")),
      way.length === 1 ? h("p.quiet", {}, `Its own checks say ${claim.verdict}: it is itself the weakest claim on its way.`) : null,
      way.length ? h("ol.way", {}, way.map((label) => h("li", {}, claimLink(label), " ", badge(claims.get(label).verdict)))) : null,
    ];
    info.replaceChildren(...parts.filter(Boolean));
  }

  function explain() {
    way = Network.why(selected);
    for (const label of way) extra.add(label);
    draw({ keep: selected });
    tell();
    announce(`The way to the weakest claim: ${way.join(", then ")}`);
  }

  function clear() {
    [selected, way] = ["", []];
    State.set({ node: "" });
    opened.clear();
    extra.clear();
    draw();
    tell();
  }

  // --- zoom and pan ---------------------------------------------------------------------------

  function move() {
    stage.setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`);
  }

  function zoom(factor, x = picture.clientWidth / 2, y = picture.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.08, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    move();
  }

  function fit() {
    const boxes = [...placed.values()];
    if (!boxes.length || !picture.clientWidth) return;
    const left = Math.min(...boxes.map((b) => b.x - b.width / 2)), right = Math.max(...boxes.map((b) => b.x + b.width / 2));
    const top = Math.min(...boxes.map((b) => b.y - b.height / 2)), bottom = Math.max(...boxes.map((b) => b.y + b.height / 2));
    const width = picture.clientWidth, height = picture.clientHeight;
    view.scale = Math.min(1.25, (width - 16) / (right - left), (height - 16) / (bottom - top));
    view.x = (width - (left + right) * view.scale) / 2;
    view.y = (height - (top + bottom) * view.scale) / 2;
    move();
  }

  function gestures() {
    const down = new Map();
    let moved = 0, target = null;
    const spread = () => { const [a, b] = [...down.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    picture.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      [moved, target] = [down.size > 1 ? 99 : 0, event.target.closest(".node")];
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointermove", (event) => {
      const last = down.get(event.pointerId);
      if (!last) return;
      const here = { x: event.clientX, y: event.clientY };
      const before = down.size === 2 ? spread() : 0;
      down.set(event.pointerId, here);
      moved += Math.abs(here.x - last.x) + Math.abs(here.y - last.y);
      if (down.size === 2) {
        const box = picture.getBoundingClientRect(), [a, b] = [...down.values()];
        zoom(spread() / (before || 1), (a.x + b.x) / 2 - box.left, (a.y + b.y) / 2 - box.top);
      }
      view.x += (here.x - last.x) / down.size;
      view.y += (here.y - last.y) / down.size;
      move();
    });
    const up = (event) => {
      if (!down.delete(event.pointerId) || down.size) return;
      if (event.type === "pointerup" && moved < 5 && target) choose(target.dataset.label);
    };
    picture.addEventListener("pointerup", up);
    picture.addEventListener("pointercancel", up);
    picture.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== picture) return; // let the page scroll
      event.preventDefault();
      const box = picture.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    picture.addEventListener("keydown", keys);
  }

  function keys(event) {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) [view.x, view.y] = [view.x + step[0], view.y + step[1]];
    else if (event.key === "+" || event.key === "=") zoom(1.2);
    else if (event.key === "-") zoom(1 / 1.2);
    else if (event.key === "0") fit();
    else if (event.key === "Escape" && selected) clear();
    else return;
    event.preventDefault();
    move();
  }

  // --- the section ----------------------------------------------------------------------------

  function modes() {
    const radio = (value, words) => h("label", {}, h("input", { type: "radio", name: "mode", value, checked: mode() === value, onchange: () => State.set({ graph: value === "printed" ? "" : value, node: "" }) }), ` ${words}`);
    return h("fieldset.modes", {}, h("legend.offstage", {}, "Which paper"), radio("printed", "as printed"), " ", radio("repaired", "repaired"));
  }

  function legend() {
    const present = data.verdicts.filter((verdict) => data.claims.some((claim) => claim.verdict === verdict));
    return h("p.legend", {}, present.map((verdict) => [badge(verdict), " "]), h("span.quiet", {}, "Fill: its own verdict. Frame: the weakest claim it rests on. An arrow points at what is used; dashed, through claims that are not shown."));
  }

  function build() {
    stage = svg("g");
    picture = svg("svg.graph", { tabindex: "0", role: "group" }, svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path.tip", { d: "M0,0 L8,4 L0,8 z" }))), stage);
    info = h("div.info", { "aria-live": "polite" });
    gestures();
    const button = (words, name, act) => h("button", { type: "button", "aria-label": name, title: name, onclick: act }, words);
    const bar = h("div.bar", {}, modes(), h("span.zoom", {}, button("+", "Zoom in", () => zoom(1.25)), button("−", "Zoom out", () => zoom(0.8)), button("Fit", "Show all of it", fit)));
    State.watch(["graph", "node"], (now, before) => {
      if ((now.graph ?? "") !== (before.graph ?? "")) {
        opened.clear();
        extra.clear();
        way = [];
        for (const input of bar.querySelectorAll("input")) input.checked = input.value === mode();
        draw();
      }
      const wanted = now.node && claims.has(now.node) ? now.node : "";
      if (wanted !== selected) {
        selected = wanted;
        if (wanted && !placed.has(wanted)) extra.add(wanted);
        draw({ keep: wanted });
        tell();
      }
    });
    addEventListener("resize", () => { if (!selected) fit(); });
    addEventListener("beforeprint", fit);
    return section(["graph", "Graph"], "What rests on what", bar, h("div.canvas", {}, picture), info, legend(),
      h("p.quiet.keys", {}, "Keyboard: Tab to a node, Enter opens it; with the picture in focus, arrows move it, + and − zoom, 0 shows all. Mouse: drag, and Ctrl with the wheel. Touch: two fingers."));
  }

  return { build, start: () => { draw(); tell(); }, view };
})();
