/** Headers set by the sender or the protocol. The API refuses them as custom ones; a row from before a rule is caught here. */
const OURS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** Name after value, as undici takes them: the given headers without ours, and then ours. */
export function requestHeaders(given: Readonly<Record<string, string>>, userAgent: string): string[] {
  const headers: string[] = [];
  for (const name of Object.keys(given)) if (!OURS.has(name.toLowerCase())) headers.push(name, given[name] ?? '');
  // `identity`: an answer is never decoded, so a small body cannot blow up.
  headers.push('user-agent', userAgent, 'accept-encoding', 'identity');
  return headers;
}
