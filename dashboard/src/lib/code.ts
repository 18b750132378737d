/**
 * The code behind `#code=` in the address of a link. It is taken out of the address at once, so that no history keeps it, and stays in
 * the memory of this page alone.
 */
const [, code] = /^#code=([A-Za-z0-9_-]+)$/.exec(location.hash) ?? [];
if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search);

export const codeOfLink = (): string => code ?? '';
