/* One claim in full, in a window of its own. */

const ClaimView = (() => {
  let dialog, body, came = null;

  const more = (title, ...content) => h("details.more", {}, h("summary", {}, title), ...content);
  const part = (title, ...content) => h("div.part", {}, h("h3", {}, title), ...content);

  function verdicts(claim) {
    const rest = claim.transitive !== claim.verdict ? [" rests on ", badge(claim.transitive)] : "";
    const expected = claim.expected && claim.expected !== claim.verdict ? h("p.notice", {}, `Recorded for it is ${claim.expected}.`) : null;
    return [h("p.verdicts", {}, badge(claim.verdict), rest, h("span.quiet", {}, `${resting(claim)} · ${claim.kind}${claim.elementary ? ", elementary" : ""} · ${claim.section}`)), expected, claim.error ? h("p.notice", {}, claim.error) : null];
  }

  function says(claim) {
    const letters = Object.entries(claim.symbols);
    return [
      h("p.statement", {}, rich(claim.statement)),
      claim.latex ? math(claim.latex, true) : null,
      claim.domain.length ? h("p.domain", {}, h("span.quiet", {}, "for "), claim.domain.map((text, i) => [i ? ", " : "", h("span.condition", {}, paperLetters(claim, text))])) : null,
      claim.says ? more("The formula as it is checked", h("pre", { tabindex: "0" }, h("code", {}, claim.says)),
        letters.length ? h("p.quiet", {}, "where ", letters.map(([name, letter], i) => [i ? ", " : "", `${name} is ${letter}`])) : null) : null,
      claim.theorem ? more(`The theorem as it is derived (in the setting “${claim.setting}”)`, h("pre", { tabindex: "0" }, h("code", {}, claim.theorem))) : null,
      claim.argued ? h("p.notice", {}, "In words, not checked by machine: ", rich(claim.argued)) : null,
      claim.finding ? part("What is to be said about it", h("p", {}, rich(claim.finding))) : null,
    ];
  }

  /** Examples that were run beside those that were asked for, in one row. */
  function joined(facts) {
    const asked = facts.find(([name]) => name === "asked"), run = facts.find(([name]) => name === "examples" || name === "trials");
    if (!asked || !run) return facts;
    return facts.filter((one) => one !== asked).map((one) => (one === run ? [run[0], `${run[1]} run, ${asked[1]} asked for`] : one));
  }

  function check(one) {
    const proof = one.proof;
    const size = proof && proof.bytes ? h("p.quiet", {}, `Certificate: ${proof.rules.length ? proof.rules.map(([name, number]) => `${number} × ${name}`).join(", ") : "one step"}; ${kilobytes(proof.bytes)}.`) : null;
    return h("div.check", {}, h("h4", {}, one.name, " ", one.verdict ? badge(one.verdict) : h("span.quiet", {}, "was not needed"), one.decides ? h("span.quiet", {}, " decides") : null),
      one.facts.length ? pairs(joined(one.facts)) : null, size,
      proof && proof.count ? more(`Proof, ${proof.count} ${proof.count === 1 ? "line" : "lines"}${proof.count > proof.lines.length ? ` (the first ${proof.lines.length})` : ""}`, h("pre", { tabindex: "0" }, h("code", {}, proof.lines.join("\n")))) : null);
  }

  const kilobytes = (bytes) => (bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(bytes < 10000 ? 1 : 0)} kB`);

  function derivation(claim) {
    const kept = claim.derivation;
    if (!kept) return null;
    const steps = kept.steps.map((step, i) => h("li", { value: i }, step.shows ? h("code", {}, step.shows) : null, h("span.quiet", {}, ` ${step.by}${step.from.length ? `, from ${step.from.join(", ")}` : ""}`)));
    return part("Derivation",
      h("p", {}, `${kept.count} steps: ${kept.rules.slice(0, 8).map(([name, number]) => `${number} ${name}`).join(", ")}${kept.rules.length > 8 ? ", …" : ""}. `,
        Object.entries(kept.rests).filter(([, names]) => names.length).map(([kind, names]) => `${kind}: ${names.join(", ")}. `)),
      more(kept.count > steps.length ? `The first ${steps.length} of ${kept.count} steps` : "The steps", h("ol.steps", {}, steps),
        kept.count > steps.length ? [h("p.quiet", {}, "All of them:"), commandLine(command("claims", claim.label, "--derivation"))] : null));
  }

  /** A command of the toolkit about this claim. */
  function command(name, label, option = "") {
    const file = data.about.file ? ` --claims ${data.about.file}` : "";
    return `${data.about.command} ${name} '${label.replace(/'/g, "'\\''")}'${file}${option ? ` ${option}` : ""}`;
  }

  function list(title, labels) {
    if (!labels.length) return null;
    return part(`${title} (${labels.length})`, h("ul.support", {}, labels.filter((label) => claims.has(label)).map((label) => h("li", {}, badge(claims.get(label).verdict), " ", claimLink(label)))));
  }

  function content(claim) {
    return [
      ...verdicts(claim), ...says(claim),
      claim.witness ? part("Witness", h("div.witness", {}, pairs(lettered(claim.label, claim.witness))), claim.command ? commandLine(claim.command, "Copy the re-check command") : null) : null,
      claim.slack ? part("Slack", h("p", {}, claim.slack.ratio === null ? `Smallest difference of the two sides: ${claim.slack.text}` : `Tightest ratio of the two sides: ${claim.slack.text} (1 is equality)`, claim.slack.at ? [", at ", h("span.condition", {}, paperLetters(claim, claim.slack.at))] : "", ".")) : null,
      part("Evidence", claim.checks.map(check)),
      derivation(claim),
      claim.mutant ? part("Mutant", h("p", {}, h("code", {}, claim.mutant)), h("p.quiet", {}, "A change on purpose, which the checks must tell from the claim.")) : null,
      list("Uses", claim.uses), list("Used by", claim.used_by),
      part("Check it again", commandLine(command("verify", claim.label)), h("p.tools", {}, stateLink({ node: claim.label, claim: "", at: "graph" }, {}, "Show it in the graph"))),
    ];
  }

  function show(now) {
    const label = now.claim ?? "";
    const claim = claims.get(label);
    if (!claim) {
      if (dialog.open) dialog.close();
      return;
    }
    if (!dialog.open) came = document.activeElement;
    body.replaceChildren(h("p.kicker", {}, claim.number || "Claim"), h("h2", { id: "claim-title", tabindex: "-1" }, claim.label), ...content(claim).flat(Infinity).filter(Boolean));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    body.querySelector("h2").focus({ preventScroll: true });
  }

  function build() {
    body = h("div.body");
    const close = h("button.close", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×");
    dialog = h("dialog.claim", { "aria-labelledby": "claim-title", onclick: (event) => { if (event.target === dialog) dialog.close(); }, onclose: () => {
      State.set({ claim: "" });
      if (came && came.isConnected) came.focus({ preventScroll: true });
    } }, close, body);
    State.watch(["claim"], show);
    return dialog;
  }

  return { build };
})();
