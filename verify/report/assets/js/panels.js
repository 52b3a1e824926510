/* Places for what belongs to one paper only; a panel that fails says so and harms nothing else. */

const Panels = (() => {
  const tools = { h, svg, rich, math, badge, claimLink, claims, charts: Charts, state: State };

  function build() {
    return data.panels.map((panel) => {
      const place = h("div.panel");
      const whole = section([`panel-${panel.name}`, panel.menu], panel.title, place);
      const show = Report.panels.get(panel.name);
      try {
        if (!show) throw new Error("its script is missing");
        show(place, panel.data, tools);
      } catch (error) {
        place.replaceChildren(h("p.notice", {}, `This part cannot be shown: ${error.message}`));
        console.error(error);
      }
      return whole;
    });
  }

  return { build };
})();
