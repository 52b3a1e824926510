/* What is taken for granted, and the errata. */

const Granted = (() => {
  function fact(one) {
    const used = one.used_by.length;
    return h("li", {}, h("p", {}, h("strong", {}, one.name), " ", h("span.quiet", {}, `(${one.setting})`), ": ", rich(one.why), "."),
      h("pre", { tabindex: "0" }, h("code", {}, one.says)),
      h("details.more", {}, h("summary", {}, `Used by ${used} ${used === 1 ? "derivation" : "derivations"}`), h("p", {}, one.used_by.map((label, i) => [i ? ", " : "", claimLink(label)]))));
  }

  function build() {
    const { axioms, facts, words } = data.granted;
    return section(["assumed", "Assumed"], "What is assumed",
      h("p", {}, axioms.length ? "Everything that is called proved by a derivation is proved modulo these. Each is a sentence that one may dispute." : "No derivation uses an axiom."),
      axioms.length ? h("ol.axioms", {}, axioms.map(fact)) : null,
      words.length ? [h("h3", {}, "Cited, or argued in words"), h("ul.words", {}, words.map((one) => h("li", {}, claimLink(one.label), " ", badge(claims.get(one.label).verdict), ": ", rich(one.why))))] : null,
      facts.length ? h("details.more", {}, h("summary", {}, `What defines the things that are spoken of: ${facts.length} facts`), h("ul.axioms", {}, facts.map(fact))) : null);
  }

  function errata() {
    if (!data.errata) return null;
    return section(["errata", "Errata"], "Errata", h("p", {}, "The proposed changes as one LaTeX file, which lies beside this page: ", h("a", { href: "errata.tex", download: true }, "errata.tex"), "."),
      h("details.more", {}, h("summary", {}, "The file"), h("pre.long", { tabindex: "0" }, h("code", {}, data.errata))), copyButton("Copy the file", data.errata));
  }

  return { build, errata };
})();
