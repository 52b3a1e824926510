/* The texts of a page that are too faint beside what is behind them (WCAG AA). */
() => {
  const parse = (text) => text.match(/[\d.]+/g).map(Number);
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility() || e.closest('script, noscript, .offstage, .skip, .katex-mathml, :disabled')) continue;
    const style = getComputedStyle(e), drawn = e.closest('svg');
    const box = e.closest('.node')?.querySelector('rect');
    const front = parse(drawn ? style.fill : style.color);
    const back = box ? parse(getComputedStyle(box).fill) : behind(drawn ?? e);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    if (ratio < (size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : 4.5)) poor.push(`${e.tagName}.${e.getAttribute('class')} ${ratio.toFixed(2)} ${walker.currentNode.data.slice(0, 20)}`);
  }
  return poor;
}
