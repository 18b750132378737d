/** Names that ioredis, Redis and Node give to each trouble; the first that fits is taken. */
const TROUBLES: readonly (readonly [says: RegExp, advice: string])[] = [
  [/ECONNREFUSED/, 'nothing listens there; start Redis, or correct host and port'],
  [/ENOTFOUND|EAI_AGAIN/, 'its host is not known here; correct it'],
  [/WRONGPASS|invalid password|invalid username/i, 'it refuses the password; correct it, with %40 for @ and so on'],
  [/NOAUTH/, 'it wants a password; add it, as in redis://:password@host'],
  [/NOPERM/, 'it does not allow this user what counting needs; allow the keys posthorn:*'],
  [/DB index|SELECT is not allowed/i, 'it has no database of that number; correct the end of the URL'],
  [/certificate|altname|self.signed/i, 'it shows a certificate that is not trusted here; set NODE_EXTRA_CA_CERTS'],
  [/wrong version number|ERR_SSL|EPROTO/, 'it speaks no TLS; begin the URL with redis://'],
  [/Protocol error/, 'it is something other than Redis; correct host and port'],
  [
    /isn't writeable|Connection is closed|ECONNRESET|EPIPE/,
    'it closes the connection; with TLS the URL begins with rediss://',
  ],
];

/** A Redis without TLS says nothing to the beginning of one, and waits. */
const silence = (redisUrl: string): string =>
  redisUrl.startsWith('rediss:')
    ? 'it does not answer; look at firewalls on the way, and without TLS begin the URL with redis://'
    : 'it does not answer; look at firewalls on the way';

/** One sentence for the operator: which Redis, the fault, the remedy. Never the password. */
export function redisTrouble(redisUrl: string, failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  const text = `${code} ${String(failure)}`;
  const advice = TROUBLES.find(([says]) => says.test(text))?.[1] ?? silence(redisUrl);
  return `REDIS_URL: Redis at ${new URL(redisUrl).host} cannot be used: ${advice}`;
}
