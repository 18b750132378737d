import { answerProblems } from '../check/answer-check.ts';

type Seen<T> = { status: number; headers: Headers; body: T; cookies: string[] };
type Sent = { headers?: Record<string, string | undefined> };

/** A browser as the service sees one: it keeps cookies, and says on each request that a page of the service sent it. */
export type Browser = {
  request<T = Record<string, unknown>>(method: string, path: string, body?: unknown, sent?: Sent): Promise<Seen<T>>;
  /** Cookies by name. */
  jar: Map<string, string>;
  /** Headers that it sends on every request: `posthorn-app` and so on. */
  names: Record<string, string>;
};

/** A browser without cookies. Every response that it receives is compared with the route table. */
export function createBrowser({ url }: { url: string }): Browser {
  const jar = new Map<string, string>();
  const names: Record<string, string> = {};
  return {
    jar,
    names,
    async request<T>(method: string, path: string, body?: unknown, { headers: own = {} }: Sent = {}) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const all: Record<string, string | undefined> = {
        'sec-fetch-site': 'same-origin',
        ...names,
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...own,
      };
      const headers = Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      );
      const response = await fetch(url + path, {
        method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      // `as`: the caller says what this endpoint answers.
      const seen = (text === '' ? undefined : JSON.parse(text)) as T;
      // A preflight is answered before the route table.
      const isPreflight = method === 'OPTIONS' && response.status === 204;
      const problems = isPreflight ? [] : answerProblems({ method, path, status: response.status, body: seen });
      if (problems.length > 0)
        throw new Error(`${method} ${path} answers ${response.status} with ${text}: ${problems.join('; ')}`);
      const cookies = response.headers.getSetCookie();
      for (const each of cookies) keep(jar, each);
      return { status: response.status, headers: response.headers, body: seen, cookies };
    },
  };
}

function keep(jar: Map<string, string>, header: string): void {
  const [pair = ''] = header.split(';');
  const name = pair.slice(0, pair.indexOf('='));
  if (/max-age=0/i.test(header)) jar.delete(name);
  else jar.set(name, pair.slice(name.length + 1));
}
