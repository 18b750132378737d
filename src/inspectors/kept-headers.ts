/** Headers that prove who asks. A person who opens the address in a browser sends the cookie of the session. */
const PROOFS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'dpop',
  'private-token',
  'proxy-authorization',
  'x-access-token',
  'x-amz-security-token',
  'x-api-key',
  'x-auth-token',
]);

/** The value of a header as it is kept: of one that proves who asks, the scheme in front of it and how long it is. */
export function keptValue(name: string, value: string): string {
  if (!PROOFS.has(name.toLowerCase())) return value;
  const [, scheme = ''] = /^(\w+ )?/.exec(value) ?? [];
  const isScheme = name.toLowerCase().endsWith('authorization');
  const shown = isScheme ? scheme : '';
  return `${shown}(${value.length - shown.length} characters, not kept)`;
}
