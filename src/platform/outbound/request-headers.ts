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

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** RFC 9110 §5.5 with obs-text, in which a character of Latin-1 is one byte. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Why a request has no header of that name, as the end of a sentence; undefined where it can have one. */
export function headerNameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return 'is no header name';
  return OURS.has(name.toLowerCase()) ? 'may not be set: the service sets it, or the protocol does' : undefined;
}

/** Why a text can be no value of a header; undefined where it can. */
export const headerValueProblem = (value: string): string | undefined =>
  VALUE.test(value) ? undefined : 'holds a line break or another character that no header can have';

/** Name after value, as undici takes them: the given headers without ours, and then ours. */
export function requestHeaders(given: Readonly<Record<string, string>>, userAgent: string): string[] {
  const headers: string[] = [];
  for (const name of Object.keys(given)) if (!OURS.has(name.toLowerCase())) headers.push(name, given[name] ?? '');
  // `identity`: an answer is never decoded, so a small body cannot blow up.
  headers.push('user-agent', userAgent, 'accept-encoding', 'identity');
  return headers;
}
