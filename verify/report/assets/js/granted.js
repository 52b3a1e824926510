/* What is taken for granted, and the errata. */

const Granted = (() => {
  function linked(what, label) {
    return label ? [` ${what}: `, claimLink(label), " ", badge(claims.get(label)?.verdict), "."] : "";
  }

  function fact(one) {
    const used = one.used_by.length;
    return h("li", {}, h("p", {}, h("strong", {}, one.name), " ", h("span.quiet", {}, `(${one.setting})`), ": ", rich(one.why), ".",
        linked("That there is one", one.claim), linked("That it is what it is called", one.means)),
      h("pre", { tabindex: "0" }, h("code", {}, one.says)),
      h("details.more", {}, h("summary", {}, `Used by ${used} ${used === 1 ? "derivation" : "derivations"}`), h("p", {}, one.used_by.map((label, i) => [i ? ", " : "", claimLink(label)]))));
  }

  function build() {
    const { sentence, facts, words } = data.granted;
    const kinds = [["law", "Laws", "Assumed of the world."], ["existence", "Existence", "Assumed to exist, unless a claim is named that proves it."],
      ["model", "The model and the learner", "What they are."], ["definition", "Definitions", "They assume nothing: the checker of derivations makes sure that each is one."]];
    const list = ([kind, title, words]) => {
      const some = facts.filter((one) => one.kind === kind);
      return some.length ? h("details.more", { open: kind === "law" }, h("summary", {}, `${title}: ${some.length}`), h("p", {}, words), h("ol.granted", {}, some.map(fact))) : null;
    };
    return section(["assumed", "Assumed"], "What is assumed",
      h("p", {}, rich(sentence)), kinds.map(list),
      words.length ? [h("h3", {}, "Cited, or argued in words"), h("ul.words", {}, words.map((one) => h("li", {}, claimLink(one.label), " ", badge(claims.get(one.label).verdict), ": ", rich(one.why))))] : null);
  }

  function errata() {
    if (!data.errata) return null;
    return section(["errata", "Errata"], "Errata", h("p", {}, "The proposed changes as one LaTeX file, which lies beside this page: ", h("a", { href: "errata.tex", download: true }, "errata.tex"), "."),
      h("details.more", {}, h("summary", {}, "The file"), h("pre.long", { tabindex: "0" }, h("code", {}, data.errata))), copyButton("Copy the file", data.errata));
  }

  return { build, errata };
})();
