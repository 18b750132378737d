/**
 * Texts of a page that cannot be read, as a program for the browser: tests know nothing of its types. A text is found that a box cuts off,
 * unless dots say so and the whole stands in a title or beside its list. A canvas is moved about, and cuts nothing off. Texts that overlap
 * are found, too.
 */
export const UNREADABLE = `(() => {
  const found = [];
  const name = (element) => (element.getAttribute('role') ?? element.localName) + '.' + element.className + ': ' + element.textContent.trim().slice(0, 60);
  const hides = (value) => value === 'hidden' || value === 'clip';
  const isUnseen = (element) => !element.checkVisibility() || element.closest('.hidden, .sr-only, [aria-hidden=true]') !== null;
  for (const element of document.querySelectorAll('body *:not(svg, svg *, option, textarea, input, select, [role=application])')) {
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element;
    const isWide = scrollWidth > clientWidth + 1, isHigh = scrollHeight > clientHeight + 1;
    if ((!isWide && !isHigh) || clientWidth <= 1 || clientHeight <= 1 || element.textContent.trim() === '') continue;
    const style = getComputedStyle(element);
    const cutsWide = isWide && hides(style.overflowX), cutsHigh = isHigh && hides(style.overflowY);
    if ((!cutsWide && !cutsHigh) || isUnseen(element)) continue;
    const hasWhole = element.closest('[title], [role=gridcell]') !== null || element.querySelector('[title]') !== null;
    if (cutsHigh || style.textOverflow !== 'ellipsis' || !hasWhole) found.push('cut: ' + name(element));
  }
  const part = document.querySelector('dialog[open]') ?? document.querySelector('.panel') ?? document.querySelector('main') ?? document.body;
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const boxes = [];
  while (texts.nextNode()) {
    const text = texts.currentNode, element = text.parentElement;
    if (text.data.trim() === '' || element.closest('svg, select, textarea, script') !== null || isUnseen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const { left, top, right, bottom } of range.getClientRects()) {
      const box = { left, top, right, bottom, element };
      // A part that a box around it cuts off, or has scrolled away, stands over nothing.
      for (let around = element; around !== null && around !== document.body; around = around.parentElement) {
        if (getComputedStyle(around).overflow === 'visible') continue;
        const edge = around.getBoundingClientRect();
        box.left = Math.max(box.left, edge.left); box.right = Math.min(box.right, edge.right);
        box.top = Math.max(box.top, edge.top); box.bottom = Math.min(box.bottom, edge.bottom);
      }
      if (box.right - box.left > 3 && box.bottom - box.top > 3) boxes.push(box);
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((one, index) => {
    for (const other of boxes.slice(index + 1)) {
      if (other.top > one.bottom - 4) break;
      if (other.element === one.element || other.left > one.right - 3 || one.left > other.right - 3) continue;
      found.push('over each other: ' + name(one.element) + ' | ' + name(other.element));
    }
  });
  return [...new Set(found)];
})()`;
