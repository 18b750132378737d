/**
 * The code behind `#code=` in the address of a link. No history keeps it: the address loses it at once, and only
 * the memory of this page has it.
 */
const [, code] = /^#code=([A-Za-z0-9_-]+)$/.exec(location.hash) ?? [];
if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search);

export const codeOfLink = (): string => code ?? '';
