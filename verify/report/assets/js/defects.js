/* What is wrong, by severity, and a card for each defect. */

const Defects = (() => {
  const count = (name) => data.defects.filter((one) => one.severity === name).length;
  const MEANING = {
    statement: "A statement is false as printed, or says nothing on part of its domain.",
    proof: "A step of a proof fails; the statement may still be true.",
    constant: "A number is wrong, or can be better.",
    remark: "Said in passing; no proof uses it.",
    erratum: "A slip of the pen.",
  };
  const cards = new Map();
  const rows = new Map();
  let none = null;

  function table() {
    const body = data.severities.map(({ name, words }) => {
      const button = h("button.filter", { type: "button", "aria-pressed": "false", disabled: count(name) === 0, onclick: () => State.set({ severity: State.get("severity") === name ? "" : name }) }, words);
      rows.set(name, button);
      return h(`tr.s-${name}`, {}, h("th", { scope: "row" }, button), h("td.number", {}, String(count(name))), h("td", {}, MEANING[name]));
    });
    return h("table.severities", {}, h("caption.offstage", {}, "Defects by severity; a button shows those of one severity only"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Severity"), h("th.number", { scope: "col" }, "Number"), h("th", { scope: "col" }, "Meaning"))), h("tbody", {}, body));
  }

  /** The numbers in the paper of all that it concerns, and the label of the first. */
  function place(one) {
    const numbers = [...new Set(one.where.map(({ number }) => number.split("/")[0]).filter(Boolean))];
    const most = numbers.length > 4 ? [...numbers.slice(0, 4), "…"] : numbers;
    return h("span.where", {}, most.join(", "), most.length ? " " : "", h("code", {}, one.where[0]?.label ?? ""));
  }

  function part(title, ...content) {
    return h("div.part", {}, h("h4", {}, title), ...content);
  }

  function card(one) {
    const chip = h(`span.chip.s-${one.severity}`, {}, data.severities.find((s) => s.name === one.severity).words);
    const element = h(`details.card.s-${one.severity}`, { id: `defect-${one.name}`, open: one.severity === "statement" },
      h("summary", {}, h("span.top-line", {}, chip, place(one)), h("h3", {}, rich(one.title))),
      h("div.two", {}, part("The paper says", h("p", {}, rich(one.says))), part("What is wrong", h("p", {}, rich(one.wrong)))),
      one.witness ? part(["A witness", one.witnessed !== one.claims[0] ? [" against ", claimLink(one.witnessed)] : ""], h("div.witness", {}, pairs(lettered(one.witnessed, one.witness))), one.command ? commandLine(one.command, "Copy the re-check command") : null) : null,
      one.proposed ? part("Proposed text", proposal(one.proposed)) : null,
      one.repair ? part("What holds instead", h("p", {}, claimLink(one.repair), " ", badge(claims.get(one.repair).verdict), " ", h("span.quiet", {}, rich(claims.get(one.repair).statement)))) : null,
      h("div.two", {}, part("Consequence", h("p", {}, rich(one.consequence))), one.reading ? part("A fair reading", h("p", {}, rich(one.reading))) : null),
      part("How sure is this?", confidence(one)),
      h("p.permalink", {}, copyButton("Copy a link to this card", `${location.href.split("#")[0]}#defect=${one.name}`)));
    cards.set(one.name, element);
    return element;
  }

  function confidence(one) {
    const labels = [...new Set([...one.claims, ...(one.repair ? [one.repair] : [])])];
    return h("ul.support", {}, labels.map((label) => {
      const claim = claims.get(label);
      return h("li", {}, badge(claim.verdict), " ", claimLink(label), h("span.quiet", {}, ` ${sure(claim)}${resting(claim)}`));
    }));
  }

  function sure(claim) {
    if (claim.verdict === "refuted") return claim.command ? "by a witness that one line checks again" : "by a witness";
    if (claim.verdict === "proved") return `by ${claim.checker}${claim.derivation ? ` of ${claim.derivation.count} steps` : ""}, accepted by the independent checker`;
    return `by ${claim.checker}`;
  }

  function filter(now, before) {
    const chosen = now.severity ?? "";
    for (const [name, button] of rows) button.setAttribute("aria-pressed", String(name === chosen));
    for (const one of data.defects) cards.get(one.name).hidden = chosen !== "" && one.severity !== chosen;
    none.hidden = data.defects.some((one) => !chosen || one.severity === chosen);
    if (chosen !== (before.severity ?? "")) announce(`${data.defects.filter((one) => !chosen || one.severity === chosen).length} defects shown`);
    const named = now.defect && now.defect !== before.defect ? cards.get(now.defect) : null;
    if (named) {
      named.open = true;
      requestAnimationFrame(() => { named.scrollIntoView(); named.querySelector("summary").focus({ preventScroll: true }); });
    }
  }

  function all(open) {
    for (const element of cards.values()) if (!element.hidden) element.open = open;
  }

  function build() {
    none = h("p.quiet", { hidden: true }, "None of this severity.");
    State.watch(["severity", "defect"], filter);
    if (!data.defects.length) return section(["defects", "Defects"], "What was found", h("p", {}, "Every claim holds, and nobody has anything to remark."), none);
    return section(["defects", "Defects"], "What was found", table(),
      h("p.tools", {}, h("button", { type: "button", onclick: () => all(true) }, "Open all cards"), " ", h("button", { type: "button", onclick: () => all(false) }, "Close all cards")),
      h("div.cards", {}, data.defects.map(card), none));
  }

  return { build };
})();
