/* Everything in its place. */

{
  const parts = [Head.summary(), Defects.build(), GraphView.build(), ...Panels.build(), Table.build(), Granted.build(), Granted.errata()].filter(Boolean);
  const entries = parts.map((part) => [part.id, part.dataset.menu]);
  const menu = Head.menu(entries);
  document.getElementById("page").append(Head.header(), menu, h("main", {}, parts), h("footer", {},
    h("p.quiet", {}, `Made by ${data.about.tool} on ${data.about.date}. Verdicts are computed; words about them are not. `,
      Object.entries(data.about.versions).map(([name, version]) => `${name} ${version}`).join(", "), "."),
    h("p.quiet", {}, "Formulas are set by KaTeX, graphs laid out by dagre, both under the MIT licence; their notices are in the source of this page.")), ClaimView.build(), live);
  GraphView.start();
  State.start();

  const marks = new Map([...menu.querySelectorAll("a")].map((link) => [link.dataset.at, link]));
  const seen = new IntersectionObserver((changes) => {
    for (const change of changes) marks.get(change.target.id)?.toggleAttribute("data-here", change.isIntersecting);
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const part of parts) seen.observe(part);
  if (State.get("at") && !State.get("defect")) document.getElementById(State.get("at"))?.scrollIntoView();

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details.card:not([open])")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => closed.forEach((one) => (one.open = false)));
  Object.assign(Report, { data, state: State, graph: GraphView.view, network: Network });
  window.Report = Report;
}
