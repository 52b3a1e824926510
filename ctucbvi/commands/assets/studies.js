/* The regret that was measured, with its band. */

Report.panel("studies", (place, data, { h, charts }) => {
  for (const study of data.studies) {
    const along = (values) => values.map((value, i) => [study.checkpoints[i], value]);
    const lines = study.learners.map((one) => ({ name: one.words, kind: one.tone, points: along(one.mean), band: { lower: along(one.lower), upper: along(one.upper) } }));
    const last = (values) => values[values.length - 1];
    const least = Math.min(...study.learners.map((one) => one.mean[0])), most = Math.max(...study.learners.map((one) => last(one.mean)));
    const picture = charts.lines({
      label: `Regret on ${study.model}`, x: { min: 1, max: study.episodes, title: "episodes" }, lines, height: 360,
      y: { min: 10 ** Math.floor(Math.log10(Math.max(least, 1e-3))), max: 10 ** Math.ceil(Math.log10(most)), title: "regret so far" },
    });
    const rows = study.learners.map((one) => h("tr", {}, h("th", { scope: "row" }, charts.legend([{ kind: one.tone, name: one.words }])), h("td.number", {}, `${charts.number(last(one.mean), 4)} ± ${charts.number(one.error, 2)}`)));
    place.append(h("figure.study", {}, h("figcaption", {}, h("strong", {}, study.model), `: ${study.runs} runs of ${charts.number(study.episodes)} episodes, δ = ${study.delta}, planned again when a count has grown by ${study.replan} of itself; mean with a simultaneous band (confidence ${study.confidence}).`), picture,
      h("table.values", {}, h("caption.offstage", {}, `Regret at the end, ${study.model}`), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "learner"), h("th.number", { scope: "col" }, "regret at the end ± standard error"))), h("tbody", {}, rows))));
  }
});
