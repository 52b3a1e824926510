/* Prose with formulas and links, LaTeX as a reader sees it, verdicts. */

const MARKS = { proved: "✓", "proved-on-box": "▣", supported: "≈", tested: "○", assumed: "§", undecided: "?", refuted: "✗" };

/** A verdict as a word with a mark; colour is never all there is. */
function badge(verdict, title) {
  return h(`span.badge.v-${MARKS[verdict] ? verdict : "none"}`, { title }, h("span", { "aria-hidden": "true" }, `${MARKS[verdict] ?? "–"} `), verdict || "not run");
}

/** What a claim rests on, in numbers; what does not hold is so without anything. */
function resting(claim) {
  const holds = data.verdicts.indexOf(claim.transitive) < data.verdicts.indexOf("undecided");
  return holds && claim.rests ? ` (rests on ${claim.rests})` : "";
}

/** A link to a claim, by its label. */
function claimLink(label, words) {
  const claim = claims.get(label);
  if (!claim) return h("code", {}, words ?? label);
  return stateLink({ claim: label }, { class: words ? "claim-link" : "claim-link label", title: `${claim.number ? `${claim.number}, ` : ""}${label}: ${claim.verdict}` }, words ?? label);
}

/** A formula; one that cannot be set is shown as it is written. */
function math(latex, display = false) {
  const place = h(display ? "div.formula" : "span.inline-formula", display ? { tabindex: "0", role: "group", "aria-label": "formula" } : {});
  try {
    katex.render(latex, place, { displayMode: display, throwOnError: true, trust: false, strict: "ignore", maxExpand: 500, maxSize: 20, output: "htmlAndMathml" });
  } catch {
    place.replaceChildren(h("code", {}, latex));
  }
  return place;
}

// A formula ends at the next dollar that stands in no braces: \text{pair $j$} has some of its own.
const INLINE = /\$\$([^$]+)\$\$|\$((?:[^${}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})+)\$|\[([^\]]+)\]\(([^)\s]+)\)|`([^`]+)`|([A-Za-z]+:[^\s,;()[\]"“”]+)/g;

/** Prose: $formulas$, [words](label), `code`, and labels of claims, which become links. */
function rich(text) {
  const nodes = [];
  let end = 0;
  for (const match of String(text).matchAll(INLINE)) {
    const [whole, shown, inner, words, target, code, label] = match;
    let node = null;
    let length = whole.length;
    if (shown !== undefined) node = math(shown, true);
    else if (inner !== undefined) node = math(inner);
    else if (words !== undefined && claims.has(target)) node = claimLink(target, words.split("$").map((part, i) => (i % 2 ? math(part) : part)));
    else if (code !== undefined) node = claims.has(code) ? claimLink(code) : h("code", {}, code);
    else if (label !== undefined) {
      const name = known(label);
      if (name) [node, length] = [named(name), name.length];
    }
    if (node === null) continue;
    nodes.push(signs(text.slice(end, match.index)), node);
    end = match.index + length;
  }
  nodes.push(signs(String(text).slice(end)));
  return nodes.filter((node) => node !== "");
}

/** With the signs of people. */
function signs(text) {
  return text.replace(/<=/g, "≤").replace(/>=/g, "≥");
}

/** The label that a word begins with, without the punctuation after it. */
function known(word) {
  for (let name = word; name; name = name.slice(0, -1)) {
    if (claims.has(name) || name in data.numbers) return name;
    if (!/[.:!?'’]$/.test(name)) return "";
  }
  return "";
}

/** A label in prose: a part of the paper by its number, a claim as a link. */
function named(label) {
  const number = data.numbers[label];
  return claims.has(label) ? claimLink(label, number) : number;
}

const Latex = (() => {
  const DISPLAYED = ["equation", "align", "gather", "multline", "eqnarray", "displaymath"];
  const INNER = { equation: "", displaymath: "", align: "aligned", gather: "gathered", multline: "gathered", eqnarray: "aligned" };
  const STATED = ["theorem", "lemma", "proposition", "corollary", "assumption", "remark", "definition", "proof"];
  const FACES = { emph: "em", textit: "em", textbf: "strong", textrm: "span", texttt: "code", text: "span", underline: "span", uline: "span" };
  const SIGNS = { ldots: "…", dots: "…", textendash: "–", textemdash: "—", "&": "&", "%": "%", _: "_", "#": "#", "{": "{", "}": "}", " ": " ", ",": " ", S: "§", qed: "∎", "\\": " ", noindent: "", medskip: "", bigskip: "", smallskip: "", par: "" };

  /** The text between brackets that open at a place, and the place after them. */
  function group(text, at) {
    if (text[at] !== "{") return [text[at] ?? "", at + 1];
    let depth = 0;
    for (let i = at; i < text.length; i++) {
      if (text[i] === "\\") i++;
      else if (text[i] === "{") depth++;
      else if (text[i] === "}" && --depth === 0) return [text.slice(at + 1, i), i + 1];
    }
    return [text.slice(at + 1), text.length];
  }

  /** The place of the sign that ends a formula: the next one that stands in no braces. */
  function formulaEnd(text, sign, at) {
    for (let i = at, depth = 0; i < text.length; i++) {
      if (text[i] === "\\") i++;
      else if (text[i] === "{") depth++;
      else if (text[i] === "}") depth--;
      else if (depth <= 0 && text.startsWith(sign, i)) return i;
    }
    return -1;
  }

  /** What stands between \begin{name} and its \end, and the place after it. */
  function environment(text, name, at) {
    const open = `\\begin{${name}}`, close = `\\end{${name}}`;
    let depth = 1, i = at;
    while (depth > 0) {
      const next = text.indexOf(close, i), inner = text.indexOf(open, i);
      if (next < 0) return [text.slice(at), text.length];
      if (inner >= 0 && inner < next) [depth, i] = [depth + 1, inner + open.length];
      else [depth, i] = [depth - 1, next + close.length];
    }
    return [text.slice(at, i - close.length), i];
  }

  function displayed(name, inner) {
    const kind = name.replace("*", ""), clean = inner.replace(/\\label\{[^}]*\}|\\nonumber|\\notag/g, "").trim();
    const within = INNER[kind];
    const several = kind === "eqnarray" ? clean.replace(/&\s*(=|\\le|\\ge|<|>|\\leq|\\geq)\s*&/g, "&$1 ") : clean;
    return math(within ? `\\begin{${within}}${several}\\end{${within}}` : clean, true);
  }

  function stated(name, inner) {
    const given = inner.match(/^\s*\[([^\]]*)\]/);
    const body = given ? inner.slice(given[0].length) : inner;
    const word = name[0].toUpperCase() + name.slice(1);
    return h(`div.stated.stated-${name}`, {}, h("strong", {}, word, given ? [" (", nodes(given[1]), ")"] : "", ". "), nodes(body.replace(/^\s*\\label\{[^}]*\}/, "")));
  }

  function list(name, inner) {
    const items = inner.replace(/^\s*\[[^\]]*\]/, "").split(/\\item(?![a-zA-Z])/).slice(1);
    return h(name === "enumerate" ? "ol" : "ul", {}, items.map((item) => h("li", {}, nodes(item.replace(/^\s*\[[^\]]*\]/, "")))));
  }

  function begun(name, inner) {
    const plain = name.replace("*", "");
    if (DISPLAYED.includes(plain)) return displayed(name, inner);
    if (STATED.includes(plain)) return stated(plain, inner);
    if (["itemize", "enumerate"].includes(plain)) return list(plain, inner);
    return h("div", {}, nodes(inner));
  }

  /** LaTeX as nodes; what is not known is shown as it is written. */
  function nodes(text) {
    const found = [];
    let plain = "", i = 0;
    const push = (...more) => {
      if (plain) found.push(...linked(plain));
      plain = "";
      found.push(...more);
    };
    while (i < text.length) {
      const c = text[i];
      if (c === "%" ) {
        const end = text.indexOf("\n", i);
        i = end < 0 ? text.length : end + 1;
      } else if (c === "$") {
        const twice = text[i + 1] === "$", sign = twice ? "$$" : "$";
        const end = formulaEnd(text, sign, i + sign.length);
        if (end < 0) { plain += text.slice(i); break; }
        push(math(text.slice(i + sign.length, end), twice));
        i = end + sign.length;
      } else if (c === "\\" && (text[i + 1] === "[" || text[i + 1] === "(")) {
        const close = text[i + 1] === "[" ? "\\]" : "\\)", end = text.indexOf(close, i);
        if (end < 0) { plain += text.slice(i); break; }
        push(math(text.slice(i + 2, end), close === "\\]"));
        i = end + 2;
      } else if (c === "\\") {
        i = command(text, i, push, (more) => (plain += more));
      } else if (c === "~") [plain, i] = [plain + "\u00a0", i + 1];
      else if (text.startsWith("``", i)) [plain, i] = [plain + "“", i + 2];
      else if (text.startsWith("''", i)) [plain, i] = [plain + "”", i + 2];
      else if (text.startsWith("---", i)) [plain, i] = [plain + "—", i + 3];
      else if (text.startsWith("--", i)) [plain, i] = [plain + "–", i + 2];
      else if (/^\n\s*\n/.test(text.slice(i, i + 80))) {
        push(h("span.break"));
        i += text.slice(i).match(/^\s+/)[0].length;
      } else if (c === "{" || c === "}") i++;
      else [plain, i] = [plain + c, i + 1];
    }
    push();
    return found;
  }

  function command(text, i, push, add) {
    const name = text.slice(i + 1).match(/^([A-Za-z]+\*?|[\s\S])/)?.[0] ?? "";
    let after = i + 1 + name.length;
    if (/[A-Za-z]/.test(name)) after += text.slice(after).match(/^[ \t]*/)[0].length;
    if (name === "begin") {
      const [kind, start] = group(text, after), [inner, end] = environment(text, kind, start);
      push(begun(kind, inner));
      return end;
    }
    if (["ref", "eqref", "cite", "citep", "citealp", "label"].includes(name)) {
      const [inner, end] = group(text, after);
      if (name !== "label") push(reference(inner));
      return end;
    }
    if (name in FACES && text[after] === "{") {
      const [inner, end] = group(text, after);
      push(h(FACES[name], {}, nodes(inner)));
      return end;
    }
    if (["section", "subsection", "paragraph", "section*", "subsection*", "paragraph*"].includes(name)) {
      const [inner, end] = group(text, after);
      push(h("strong.break", {}, nodes(inner)));
      return end;
    }
    add(name in SIGNS ? SIGNS[name] : `\\${name}`);
    return after;
  }

  /** A reference as LaTeX prints it: the number alone, where the paper has one. */
  function reference(label) {
    const number = data.numbers[label]?.replace(/^[A-Za-z.]+ /, "");
    if (!number) return h("code", {}, label);
    return claims.has(label) ? claimLink(label, number) : number;
  }

  function linked(text) {
    return rich(text.replace(/\s+/g, " "));
  }

  return { nodes };
})();

/** Proposed text: as a reader sees it, with a button for its source. */
function proposal(source) {
  return h("div.proposal", {}, h("div.typeset", {}, Latex.nodes(source)), copyButton("Copy LaTeX", source));
}

/** A command in a box, with a button that copies it. */
function commandLine(text, words = "Copy the command") {
  return h("div.command", {}, h("pre", { tabindex: "0" }, h("code", {}, text)), copyButton(words, text));
}

/** Rows of names and values. */
function pairs(rows) {
  return h("dl.pairs", {}, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** Rows about a claim, in the letters of the paper. */
function lettered(label, rows) {
  return rows.map(([name, value]) => [name, name === "at" ? paperLetters(claims.get(label), value) : value]);
}

/** What a claim's letters are in the paper. */
function paperLetters(claim, text) {
  let found = text;
  for (const [name, letter] of Object.entries(claim.symbols)) {
    found = found.replace(new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_(])`, "g"), () => letter);
  }
  return signs(found);
}
