/* What the page is about, and what is known in a few sentences. */

const Head = (() => {
  function header() {
    const about = data.about;
    const people = about.authors.length ? h("p.authors", {}, about.authors.join(", ")) : null;
    const place = about.published || about.link
      ? h("p.published", {}, about.published, about.published && about.link ? " · " : "", about.link ? h("a", { href: about.link, rel: "noreferrer" }, about.link.replace(/^https?:\/\//, "")) : "")
      : null;
    const made = [about.tool, `profile ${about.profile}`, `seed ${about.seed}`, about.date];
    return h("header.top", {}, about.authors.length ? h("p.kicker", {}, "What is known about") : null, h("h1", {}, data.title), people, place,
      h("p.made", {}, made.map((text, i) => [i ? h("span", { "aria-hidden": "true" }, " · ") : "", h("span", {}, text)])));
  }

  function summary() {
    const wrong = Object.entries(data.about.unexpected);
    return section(["summary", "Summary"], "In short",
      wrong.length ? h("p.notice", { role: "note" }, `${wrong.length} of the verdicts are not the recorded ones: `, wrong.slice(0, 5).map(([label], i) => [i ? ", " : "", claimLink(label)]), ".") : null,
      h("ol.sentences", {}, data.sentences.map((text) => h("li", {}, rich(text)))),
      h("p.counts", {}, `${data.about.total} claims in all: ${data.about.counts}.`));
  }

  function menu(entries) {
    const theme = h("button.theme", { type: "button", "aria-label": "Switch between light and dark", title: "Light or dark", onclick: () => {
      const root = document.documentElement;
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
    } }, "◐");
    return h("nav.menu", { "aria-label": "Sections" }, h("div", {}, entries.map(([id, title]) => stateLink({ at: id }, { "data-at": id }, title)), theme));
  }

  return { header, summary, menu };
})();
