/**
 * The code after `#code=` in a link. It is removed from the address at once, so that it does not stay in the browser
 * history; only this page's memory has it.
 */
const CODE = /^#code=([A-Za-z0-9_-]+)$/;
const [, code] = CODE.exec(location.hash) ?? [];
if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search);

// Opening another link in the same tab does not load the page again, and the first link's code would be sent. So
// reload.
addEventListener('hashchange', () => {
  if (CODE.test(location.hash)) location.reload();
});

export const codeOfLink = (): string => code ?? '';
