/* Lines over a logarithmic axis, as SVG; panels use them. */

const Charts = (() => {
  const POWERS = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];
  const raised = (n) => (n < 0 ? "⁻" : "") + String(Math.abs(n)).replace(/\d/g, (d) => POWERS[d]);

  /** A number for people: 1,234 or 1.23·10⁹. */
  function number(value, digits = 3) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return "beyond doubles";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e4 && Number.isInteger(Math.log10(size))) return `10${raised(Math.log10(size))}`;
    if (size >= 1e6 || size < 1e-3) {
      const power = Math.floor(Math.log10(size)), front = value / 10 ** power;
      const text = front.toPrecision(digits);
      return Number(text) === 10 ? `10${raised(power + 1)}` : Number(text) === 1 && digits < 3 ? `10${raised(power)}` : `${text}·10${raised(power)}`;
    }
    if (size >= 1000) return Math.round(value).toLocaleString("en");
    return String(Number(value.toPrecision(digits)));
  }

  const log = (value) => Math.log10(value);

  function ticks(low, high, most) {
    const first = Math.ceil(log(low) - 1e-9), last = Math.floor(log(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => 10 ** (first + i * step));
  }

  /** As wide as there is room for, so that its letters stay legible on a phone. */
  const room = () => Math.max(340, Math.min(720, document.documentElement.clientWidth - 36));

  /** A chart: {label, x: {min, max, title}, y: {...}, lines: [{name, kind, points, band}], marks: [{x, words}]}. */
  function lines({ label, x, y, lines: drawn, marks = [], width = room(), height = 400 }) {
    const edge = { left: 62, right: 16, top: 14, bottom: 44 };
    const across = (value) => edge.left + ((log(value) - log(x.min)) / (log(x.max) - log(x.min))) * (width - edge.left - edge.right);
    const up = (value) => height - edge.bottom - ((log(value) - log(y.min)) / (log(y.max) - log(y.min))) * (height - edge.top - edge.bottom);
    const inside = ([a, b]) => a >= x.min && a <= x.max && Number.isFinite(b) && b > 0;
    const clip = `clip-${label.replace(/\W+/g, "-")}`;
    const grid = [
      ...ticks(x.min, x.max, width < 500 ? 5 : 8).map((t) => [svg("line.grid", { x1: across(t), x2: across(t), y1: edge.top, y2: height - edge.bottom }), svg("text.tick", { x: across(t), y: height - edge.bottom + 17, "text-anchor": "middle" }, `10${raised(Math.round(log(t)))}`)]),
      ...ticks(y.min, y.max, 8).map((t) => [svg("line.grid", { x1: edge.left, x2: width - edge.right, y1: up(t), y2: up(t) }), svg("text.tick", { x: edge.left - 7, y: up(t) + 4, "text-anchor": "end" }, `10${raised(Math.round(log(t)))}`)]),
    ];
    const curve = (points) => points.filter(inside).map(([a, b], i) => `${i ? "L" : "M"}${across(a).toFixed(1)},${up(Math.max(b, y.min / 10)).toFixed(1)}`).join("");
    const area = ({ lower, upper }) => {
      const there = upper.filter(inside), back = lower.filter(inside).reverse();
      return [...there, ...back].map(([a, b], i) => `${i ? "L" : "M"}${across(a).toFixed(1)},${up(Math.max(b, y.min / 10)).toFixed(1)}`).join("") + "Z";
    };
    return svg("svg.chart", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      svg("defs", {}, svg("clipPath", { id: clip }, svg("rect", { x: edge.left, y: edge.top, width: width - edge.left - edge.right, height: height - edge.top - edge.bottom }))), grid,
      svg("g", { "clip-path": `url(#${clip})` },
        drawn.filter((one) => one.band).map((one) => svg(`path.band.${one.kind}`, { d: area(one.band) })),
        drawn.map((one) => svg(`path.line.${one.kind}${one.dashed ? ".dashed" : ""}`, { d: curve(one.points) }, svg("title", {}, one.name))),
        marks.filter((m) => m.x >= x.min && m.x <= x.max).map((m) => svg("line.mark", { x1: across(m.x), x2: across(m.x), y1: edge.top, y2: height - edge.bottom }))),
      svg("rect.frame", { x: edge.left, y: edge.top, width: width - edge.left - edge.right, height: height - edge.top - edge.bottom }),
      svg("text.axis", { x: (edge.left + width - edge.right) / 2, y: height - 6, "text-anchor": "middle" }, x.title),
      svg("text.axis", { transform: `translate(14,${(height - edge.bottom + edge.top) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.title));
  }

  /** The names of the lines, each with a piece of it. */
  function legend(entries) {
    return h("ul.lines", {}, entries.map((one) => h("li", {}, svg("svg", { width: 28, height: 10, "aria-hidden": "true" }, svg(`path.line.${one.kind}${one.dashed ? ".dashed" : ""}`, { d: "M1,5 H27" })), " ", one.node ?? one.name)));
  }

  return { number, lines, legend };
})();
