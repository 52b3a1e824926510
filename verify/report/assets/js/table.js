/* All claims: sorted, filtered, searched; the state of it is in the address.

   The rows are boxes of their own, so that a browser lays out those that can be seen and no others; that they
   are a table all the same is said by their roles. */

const Table = (() => {
  const checker = (claim) => claim.checker.replace(/ \(.*/, "");
  const FILTERS = [
    ["verdict", "Verdict", (c) => c.verdict],
    ["transitive", "Transitive", (c) => c.transitive],
    ["kind", "Kind", (c) => c.kind],
    ["section", "Section", (c) => c.section],
    ["checker", "Checker", checker],
  ];
  const order = new Map(data.claims.map((claim, i) => [claim.label, i]));
  const COLUMNS = [
    ["label", "Claim", (c) => order.get(c.label)],
    ["kind", "Kind", (c) => c.kind],
    ["verdict", "Verdict", (c) => Network.rank(c.verdict)],
    ["transitive", "Transitive", (c) => Network.rank(c.transitive)],
    ["checker", "Checker", checker],
    ["slack", "Slack", (c) => (c.slack && c.slack.ratio !== null ? -c.slack.ratio : 1)],
  ];
  const rows = new Map();
  const texts = new Map();
  const selects = new Map();
  let body, count, search, heads;

  function row(claim) {
    const cell = (name, content) => h(`td.c-${name}`, { role: "cell" }, content);
    const element = h("tr", { role: "row", "data-label": claim.label },
      h("th.c-label", { scope: "row", role: "rowheader" }, claimLink(claim.label), claim.number ? h("span.number-in-paper", {}, claim.number.split("/")[0]) : null, h("span.says", {}, signs(claim.statement))),
      cell("kind", claim.kind), cell("verdict", badge(claim.verdict)), cell("transitive", badge(claim.transitive)), cell("checker", checker(claim)), cell("slack", claim.slack ? claim.slack.text : "–"));
    rows.set(claim.label, element);
    texts.set(claim.label, [claim.label, claim.number, claim.statement, claim.says, claim.latex, claim.theorem, claim.finding].filter(Boolean).join("\n").toLowerCase());
    return element;
  }

  function matching(now) {
    const words = (now.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const asked = FILTERS.filter(([key]) => now[key]);
    return (claim) => asked.every(([key, , value]) => value(claim) === now[key]) && words.every((word) => texts.get(claim.label).includes(word));
  }

  function show(now, before) {
    const fits = matching(now);
    let shown = 0;
    for (const claim of data.claims) {
      const hit = fits(claim);
      rows.get(claim.label).hidden = !hit;
      shown += hit;
    }
    count.textContent = `${shown} of ${data.claims.length} claims`;
    for (const [key, select] of selects) select.value = now[key] ?? "";
    if (document.activeElement !== search) search.value = now.q ?? "";
    if ((now.sort ?? "") !== (before.sort ?? "")) sort(now.sort ?? "");
  }

  function sort(text) {
    const down = text.startsWith("-"), key = text.replace(/^-/, "");
    const value = COLUMNS.find(([name]) => name === key)?.[2] ?? ((c) => order.get(c.label));
    const compare = (a, b) => { const [x, y] = [value(a), value(b)]; return x < y ? -1 : x > y ? 1 : order.get(a.label) - order.get(b.label); };
    const sorted = [...data.claims].sort(compare);
    if (down) sorted.reverse();
    body.append(...sorted.map((claim) => rows.get(claim.label)));
    for (const [name, head] of heads) head.setAttribute("aria-sort", name === key ? (down ? "descending" : "ascending") : "none");
  }

  function filters() {
    search = h("input", { type: "search", id: "q", placeholder: "Search labels, statements, formulas", oninput: () => State.set({ q: search.value }) });
    const chosen = FILTERS.map(([key, words, value]) => {
      const found = [...new Set(data.claims.map(value))];
      const sorted = key === "verdict" || key === "transitive" ? found.sort((a, b) => Network.rank(a) - Network.rank(b)) : found;
      const select = h("select", { id: `filter-${key}`, onchange: () => State.set({ [key]: select.value }) }, h("option", { value: "" }, "all"), sorted.map((one) => h("option", { value: one }, one)));
      selects.set(key, select);
      return h("label", { for: `filter-${key}` }, h("span", {}, words), select);
    });
    const clear = h("button", { type: "button", onclick: () => { search.value = ""; State.set(Object.fromEntries([...FILTERS.map(([key]) => [key, ""]), ["q", ""], ["sort", ""]])); } }, "Clear");
    return h("div.filters", {}, h("label.search", { for: "q" }, h("span", {}, "Search"), search), chosen, clear);
  }

  function build() {
    heads = new Map(COLUMNS.map(([key, words]) => {
      const turn = () => State.set({ sort: State.get("sort") === key ? `-${key}` : key });
      return [key, h(`th.c-${key}`, { scope: "col", role: "columnheader", "aria-sort": "none" }, h("button.sort", { type: "button", onclick: turn }, words))];
    }));
    body = h("tbody", { role: "rowgroup" }, data.claims.map(row));
    count = h("p.shown", { role: "status" });
    State.watch([...FILTERS.map(([key]) => key), "q", "sort"], show);
    return section(["claims", "Claims"], "All claims", filters(), count, h("table.claims", { role: "table", "aria-label": "All claims with their verdicts" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, [...heads.values()])), body));
  }

  return { build };
})();
