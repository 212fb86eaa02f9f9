// The troubles of the page as a list of sentences: text that is cut, covered, outside of the page, or too pale for its
// background (WCAG 2.2, 1.4.3: a contrast of 4.5 to 1), and marks of a difference that do not stand out.
(() => {
  const troubles = [];
  const tell = (what, element) => troubles.push(what + ": " + element.outerHTML.slice(0, 120));
  if (document.documentElement.scrollWidth > innerWidth) troubles.push("the page is " + document.documentElement.scrollWidth + " wide in a window of " + innerWidth);

  const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = (color) => {
    const [r, g, b] = color.map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgb(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const contrast = (element) => {
    const [a, b] = [light(rgb(getComputedStyle(element).color).slice(0, 3)), light(behind(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode, element = text.parentElement;
    if (!text.data.trim() || !element.checkVisibility() || element.closest("script, legend, option")) continue;
    if (contrast(element) < 4.5) tell("a contrast of " + contrast(element).toFixed(1), element);
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      if (box.left < -1 || box.right > innerWidth + 1 && !element.closest(".wide")) { tell("outside of the window", element); break; }
    }
  }

  const blocks = [...document.querySelectorAll("h1, h2, h3, article, form, pre, table")].filter((e) => e.checkVisibility());
  for (const [i, a] of blocks.entries()) {
    for (const b of blocks.slice(i + 1)) {
      if (a.contains(b) || b.contains(a)) continue;
      const [x, y] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
      if (Math.min(x.right, y.right) - Math.max(x.left, y.left) > 1 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 1) tell("covers its neighbour", b);
    }
    if (a.tagName !== "FORM" && a.scrollWidth > a.clientWidth + 1) tell("its content is wider than itself", a);
  }

  for (const mark of document.querySelectorAll("del, ins")) {
    if (behind(mark).join() === behind(mark.parentElement).join()) tell("a mark without a colour of its own", mark);
  }
  return troubles;
})();
