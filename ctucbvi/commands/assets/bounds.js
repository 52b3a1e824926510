/* The bounds against K: formulas come as trees from the toolkit, this knows the operations only. */

const Formulas = (() => {
  /** Lambert's W, the principal branch, by Halley's iteration from a good start. */
  function lambert(x) {
    if (x === 0) return 0;
    const root = Math.sqrt(Math.max(0, 2 * (Math.E * x + 1)));
    let w = x < 0 ? -1 + root - (root * root) / 3 : x < 3 ? Math.log1p(x) * 0.8 : Math.log(x) - Math.log(Math.log(x));
    for (let i = 0; i < 50; i++) {
      const e = Math.exp(w), f = w * e - x;
      const step = f / (e * (w + 1) - ((w + 2) * f) / (2 * w + 2));
      if (!Number.isFinite(step)) break;
      w -= step;
      if (Math.abs(step) < 1e-15 * (1 + Math.abs(w))) break;
    }
    return w;
  }

  /** ln Γ for x > 0: Stirling's series, after steps up to where it is exact to doubles. */
  function logGamma(x) {
    let shift = 0;
    for (; x < 15; x++) shift -= Math.log(x);
    const y = 1 / (x * x);
    return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + (1 / 12 - (1 / 360 - (1 / 1260 - y / 1680) * y) * y) / x;
  }

  /** P(Z = m + 1), P(Z > m) from far beyond the mean down to m = 0: only positive numbers are added. */
  function* tails(mean) {
    let m = Math.ceil(mean);
    const logarithm = (n) => n * Math.log(mean) - mean - logGamma(n + 1); // of P(Z = n)
    while (logarithm(m + 1) > -100) m++; // its root is negligible, and it is far from underflow
    let weight = Math.exp(logarithm(m + 1));
    let tail = weight / (1 - mean / (m + 2));
    for (; m >= 0; m--) {
      yield [m, tail];
      weight *= (m + 1) / mean;
      tail += weight;
    }
  }

  /** Σ_m √P(Z > m). */
  function levels(mean) {
    let total = 0;
    for (const [m, tail] of tails(mean)) {
      if (tail >= 1 - 1e-17) return total + m + 1;
      total += Math.sqrt(tail);
    }
    return total;
  }

  /** P(Z >= count). */
  function atLeast(mean, count) {
    if (count <= 0) return 1;
    for (const [m, tail] of tails(Math.min(mean, 1e7))) if (m === count - 1) return Math.min(1, tail);
    let weight = Math.exp(count * Math.log(mean) - mean - logGamma(count + 1)), total = 0; // far beyond the mean
    for (let m = count; weight > total * 1e-18; m++) [total, weight] = [total + weight, (weight * mean) / (m + 1)];
    return total;
  }

  /** Σ_{k <= K} k^-a: the first terms, and Euler's and Maclaurin's formula for the others. */
  function powerSum(K, a) {
    const few = Math.min(K, 20);
    let total = 0;
    for (let k = 1; k <= few; k++) total += k ** -a;
    if (K <= few) return total;
    const integral = a === 1 ? Math.log(K / few) : (K ** (1 - a) - few ** (1 - a)) / (1 - a);
    const ends = (n) => n ** -a / 2 - (a * n ** (-a - 1)) / 12 + (a * (a + 1) * (a + 2) * n ** (-a - 3)) / 720 - (a * (a + 1) * (a + 2) * (a + 3) * (a + 4) * n ** (-a - 5)) / 30240;
    return total + integral + ends(K) - ends(few);
  }

  function logBinomial(n, S) {
    let total = 0;
    for (let j = 1; j < S; j++) total += Math.log1p(n / j);
    return total;
  }

  function largest(mean, K) {
    let total = 0;
    for (const [, tail] of tails(mean)) total += -Math.expm1(K * Math.log1p(-Math.min(tail, 1)));
    return total;
  }

  const OPERATIONS = {
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
    sqrt: Math.sqrt, log: Math.log, exp: Math.exp, expm1: Math.expm1, max: Math.max, min: Math.min,
    lambert, log_binomial: logBinomial, at_least: atLeast, mean_maximum: largest, levels, accuracies: powerSum,
    waiting: (z) => (z > 0 ? -Math.expm1(-z) / z : 1),
  };

  /** A tree at parameters; sums that were computed once for the same numbers are kept. */
  const kept = new Map();
  function value(tree, at) {
    if (typeof tree === "number") return tree;
    if (typeof tree === "string") return at[tree];
    const [name, ...parts] = tree;
    const given = parts.map((part) => value(part, at));
    if (name !== "levels" && name !== "at_least") return OPERATIONS[name](...given);
    const key = `${name} ${given.join(" ")}`;
    if (!kept.has(key)) {
      if (kept.size > 500) kept.clear();
      kept.set(key, OPERATIONS[name](...given));
    }
    return kept.get(key);
  }

  /** The d for which a full tree with A children has so many nodes, if there is one. */
  function full(nodes, A) {
    if (A < 2) return null;
    let levels = 0, found = 0, level = 1;
    while (found < nodes) [found, level, levels] = [found + level, level * A, levels + 1];
    return found === nodes && levels ? levels : null;
  }

  function partly(S, A) {
    if (S < 4 || A < 2) return null;
    let depth = 2, above = 1, leaves = A;
    while (above + 2 * leaves <= S - 2) [depth, above, leaves] = [depth + 1, above + leaves, leaves * A];
    return depth;
  }

  const CONDITIONS = {
    "S >= 1": (p) => p.S >= 1,
    "A >= 1": (p) => p.A >= 1,
    "K >= 1": (p) => p.K >= 1,
    "K >= 2": (p) => p.K >= 2,
    "H > 0": (p) => p.H > 0,
    "lambda_max > 0": (p) => p.lambda_max > 0,
    "0 < lambda_min <= lambda_max": (p) => p.lambda_min > 0 && p.lambda_min <= p.lambda_max,
    "2 S A K H >= 1": (p) => 2 * p.S * p.A * p.K * p.H >= 1,
    "K H > 1/2": (p) => p.K * p.H > 0.5,
    "lambda_max H <= 100000000": (p) => p.lambda_max * p.H <= 1e8,
    "S >= 6 and A >= 2": (p) => p.S >= 6 && p.A >= 2,
    "S = 2 + (A^d - 1)/(A - 1) for a whole number d": (p) => full(p.S - 2, p.A) !== null,
  };

  /** The first condition that fails, if one does. */
  function failing(bound, p) {
    return bound.conditions.find((text) => !CONDITIONS[text](p)) ?? "";
  }

  /** The bound where it is defined, else null. */
  function bound(one, p) {
    if (failing(one, p)) return null;
    return value(one.tree, { ...p, depth: full(p.S - 2, p.A), depth_with_turns: full(p.S - 4, p.A), depth_of_any_size: partly(p.S, p.A) });
  }

  return { bound, failing, value };
})();

Report.formulas = Formulas;
Report.panel("bounds", (place, data, { h, charts, claimLink, claims }) => {
  const SLIDERS = [
    ["S", "states S", 1, 60, 1], ["A", "actions A", 1, 20, 1], ["H", "horizon H", 0.1, 100, 0], ["K", "episodes K", 10, 1e15, 2],
    ["lambda_min", "λmin", 0.01, 100, 0], ["lambda_max", "λmax", 0.01, 100, 0],
  ]; // the last number: 1 whole numbers, 2 whole and logarithmic, 0 logarithmic
  const STEPS = 300;
  const now = { ...data.models[0] };
  const inputs = new Map(), picture = h("div"), rows = h("tbody"), note = h("p.quiet");

  const toValue = ([, , low, high, kind], at) => {
    if (kind === 1) return at;
    const found = Number((low * (high / low) ** (at / STEPS)).toPrecision(3));
    return kind === 2 ? Math.round(found) : found;
  };
  const toPlace = ([, , low, high, kind], value) => (kind === 1 ? value : (STEPS * Math.log(value / low)) / Math.log(high / low));

  function slider(one) {
    const [key, words] = one;
    const output = h("output", { for: `slider-${key}` });
    const input = h("input", { type: "range", id: `slider-${key}`, min: one[4] === 1 ? one[2] : 0, max: one[4] === 1 ? one[3] : STEPS, step: 1, oninput: () => {
      now[key] = toValue(one, Number(input.value));
      if (key === "lambda_min" && now.lambda_min > now.lambda_max) now.lambda_max = now.lambda_min;
      if (key === "lambda_max" && now.lambda_min > now.lambda_max) now.lambda_min = now.lambda_max;
      show(input);
    } });
    inputs.set(key, { one, input, output });
    return h("label", { for: `slider-${key}` }, h("span", {}, words, " ", output), input);
  }

  /** From which K on a bound is below K H, to the precision of doubles. */
  function crossing(one) {
    const below = (K) => { const b = Formulas.bound(one, { ...now, K }); return b !== null && b < K * now.H; };
    let low = 2, high = 1e30;
    if (!below(high)) return null;
    for (let i = 0; i < 160 && high - low > 1; i++) {
      const middle = Math.floor(Math.sqrt(low) * Math.sqrt(high)) <= low ? Math.floor((low + high) / 2) : Math.floor(Math.sqrt(low) * Math.sqrt(high));
      if (middle <= low || middle >= high) break;
      [low, high] = below(middle) ? [low, middle] : [middle, high];
    }
    return high;
  }

  const upper = (one) => !one.name.startsWith("lower");

  function show(moved = null) {
    for (const { one, input, output } of inputs.values()) {
      if (input !== moved) input.value = toPlace(one, now[one[0]]); // a rounded number must not hold it back
      output.textContent = charts.number(now[one[0]]);
    }
    const Ks = Array.from({ length: 90 }, (_, i) => Math.round(10 ** ((15 * (i + 1)) / 90)) + 1);
    const lines = data.bounds.map((one) => ({ name: one.words, kind: one.tone, dashed: one.dashed, points: Ks.map((K) => [K, Formulas.bound(one, { ...now, K })]) }));
    const trivial = { name: "trivial bound K H", kind: "trivial", points: Ks.map((K) => [K, K * now.H]) };
    const found = [...lines, trivial].flatMap((line) => line.points.map(([, b]) => b)).filter((b) => Number.isFinite(b) && b > 0);
    const low = 10 ** Math.floor(Math.log10(Math.min(...found))), high = 10 ** Math.ceil(Math.log10(Math.min(Math.max(...found), 1e40)));
    picture.replaceChildren(charts.lines({ label: "Bounds on the regret against the number of episodes", x: { min: 1, max: 1e15, title: "episodes K" }, y: { min: low, max: high, title: "regret" }, lines: [...lines, trivial], marks: [{ x: now.K }] }));
    rows.replaceChildren(...data.bounds.map((one) => {
      const value = Formulas.bound(one, now), from = upper(one) ? crossing(one) : null;
      const why = Formulas.failing(one, now);
      return h("tr", { "data-name": one.name }, h("th", { scope: "row" }, charts.legend([{ kind: one.tone, dashed: one.dashed, node: claims.has(one.label) ? claimLink(one.label, one.words) : one.words }])),
        h("td.number", { "data-value": value === null ? "" : String(value) }, value === null ? h("span.quiet", {}, `needs ${why.replace(/lambda_/g, "λ").replace(/>=/g, "≥").replace(/<=/g, "≤")}`) : charts.number(value, 4)),
        h("td.number", {}, value === null ? "" : charts.number(value / (now.K * now.H))), h("td.number", {}, upper(one) ? (from === null ? "–" : charts.number(from)) : ""));
    }));
    note.textContent = `No regret exceeds K H = ${charts.number(now.K * now.H)}: a bound above the grey line says nothing.`;
  }

  const model = h("select", { id: "preset", onchange: () => { Object.assign(now, data.models[Number(model.value)]); show(); } }, data.models.map((one, i) => h("option", { value: i }, one.name)));
  place.append(
    h("p", {}, "Upper bounds on the regret of K episodes, and lower bounds, for any sizes and rates; accuracies 1/√k."),
    h("div.sliders", {}, h("label", { for: "preset" }, h("span", {}, "start from"), model), SLIDERS.map(slider)), picture,
    h("table.values", {}, h("caption.offstage", {}, "The bounds at this K"), h("thead", {}, h("tr", {}, ["bound", "at this K", "over K H", "below K H from K ="].map((text, i) => h(i ? "th.number" : "th", { scope: "col" }, text)))), rows), note);
  show();
});
