/**
 * The code behind `#code=` in the address of a link. No history keeps it: the address loses it at once, and only
 * the memory of this page has it.
 */
const CODE = /^#code=([A-Za-z0-9_-]+)$/;
const [, code] = CODE.exec(location.hash) ?? [];
if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search);

// Another link in the same tab loads no page by itself: the code of the first one would be sent.
addEventListener('hashchange', () => {
  if (CODE.test(location.hash)) location.reload();
});

export const codeOfLink = (): string => code ?? '';
