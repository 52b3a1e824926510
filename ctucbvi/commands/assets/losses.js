/* The proof of the bound, measured: from the regret to the bound, what each inequality costs. */

Report.panel("losses", (place, data, { h, svg, charts, claimLink, claims }) => {
  const first = data.links[0].value, last = data.links[data.links.length - 1].value;
  const low = 10 ** Math.floor(Math.log10(first)), high = 10 ** Math.ceil(Math.log10(last));
  const at = (value) => (100 * Math.log(value / low)) / Math.log(high / low);
  const worst = Math.max(...data.links.map((link) => link.factor ?? 1));

  const rows = data.links.map((link, i) => {
    const before = i ? data.links[i - 1].value : low;
    const left = at(Math.min(before, link.value)), width = Math.max(0.4, Math.abs(at(link.value) - at(before)));
    const bar = svg("svg.loss-bar", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect.rail", { x: 0, y: 4.6, width: 100, height: 0.8 }), svg(`rect.piece${i === 0 ? ".first" : link.factor === worst ? ".worst" : ""}`, { x: left, y: 1, width, height: 8 }));
    return h("tr", {}, h("th", { scope: "row" }, link.name, " ", claims.has(link.label) ? claimLink(link.label) : h("code", {}, link.label), h("span.says", {}, `${link.says}${link.kind ? ` (${link.kind})` : ""}`)),
      h("td.loss", {}, bar), h("td.number", {}, charts.number(link.value)), h("td.number", {}, link.factor === null ? "" : `× ${charts.number(link.factor)}`));
  });
  place.append(
    h("p", {}, `Every inequality in the proof of the upper bound, measured on the learner’s own episodes: ${data.model}, ${data.runs} runs of ${charts.number(data.episodes)} episodes. The bound is ${charts.number(last / first)} times the regret, and ${charts.number(last / data.trivial)} times the trivial bound K H. The bars are logarithmic.`),
    h("table.losses", {}, h("caption.offstage", {}, "From the measured regret to the bound"), h("thead", {}, h("tr", {}, ["step", "", "value", "factor"].map((text, i) => h(i > 1 ? "th.number" : "th", { scope: "col" }, text)))), h("tbody", {}, rows)));
});
