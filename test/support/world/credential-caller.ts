import { answerProblems } from '../check/answer-check.ts';
import { makeProof, type ProofKey } from '../make/dpop-proofs.ts';
import type { Browser } from './browser.ts';

export type Reply = { status: number; text: string; headers: Headers };

/** A caller with a credential, however it is presented. Returns responses as text, to be searched. */
export type CredentialCaller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>;

type Head = Record<string, string>;

const callWith =
  (url: string, headersOf: (method: string, path: string) => Head | Promise<Head>): CredentialCaller =>
  async (method, path, body, headers) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(await headersOf(method, path)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status } = response;
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) {
      // A stream would never end here.
      await response.body?.cancel();
      return { status, text: '', headers: response.headers };
    }
    const text = await response.text();
    // A table is not JSON: its lines are searched as they are.
    if (type.startsWith('text/csv')) return { status, text, headers: response.headers };
    const json = type.startsWith('application/x-ndjson') ? `[${text.trimEnd().replaceAll('\n', ',')}]` : text;
    const seen: unknown = json === '' ? undefined : JSON.parse(json);
    const problems = answerProblems({ method, path, status, body: seen });
    if (problems.length > 0)
      throw new Error(`${method} ${path} answers ${status} with ${text}: ${problems.join('; ')}`);
    return { status, text, headers: response.headers };
  };

export const callerByKey = (url: string, key: string): CredentialCaller =>
  callWith(url, () => ({ authorization: `Bearer ${key}` }));

/** `base` is the address in the DPoP proofs. */
export const callerByToken = (
  url: string,
  { token, key, base }: { token: string; key: ProofKey; base: string },
): CredentialCaller =>
  callWith(url, async (method, path) => {
    const [pathAlone = ''] = path.split('?');
    return { authorization: `DPoP ${token}`, dpop: await makeProof(key, { method, uri: base + pathAlone, token }) };
  });

/** A user in a browser, who names that environment on every request. Sends the browser's current cookies and never changes them. */
export function callerBySession(url: string, { jar }: Pick<Browser, 'jar'>, names: Head = {}): CredentialCaller {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  return callWith(url, () => ({ 'sec-fetch-site': 'same-origin', cookie, ...names }));
}
