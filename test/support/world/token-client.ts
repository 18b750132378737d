import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { signTokenRequest } from '../../../src/identity/credentials/tokens/service.ts';
import { oauthRefusal } from '../../../src/api/http/answers/error-envelope.ts';
import { answerProblems, problemsOf } from '../check/answer-check.ts';
import { makeProof, newProofKey, type ProofKey, type ProofParts } from '../make/dpop-proofs.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

export const TOKEN_PATH = '/oauth/token';

export type Credential = { id: string; clientSecret: string };

export type Heard = {
  status: number;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown> & {
    access_token?: string;
    error?: { code: string; message: string; details?: { field: string; oauthError?: string } };
  };
};

type Headers = Record<string, string | string[]>;

/** Sends headers as they are given, several of a name included, and a body to whatever method. Holds the answer to the route table. */
export async function send(
  url: string,
  { method, path, headers, body = '' }: { method: string; path: string; headers: Headers; body?: string },
): Promise<Heard> {
  const outgoing = request(url + path, {
    method,
    agent: false,
    headers: { ...headers, ...(body !== '' && { 'content-length': Buffer.byteLength(body) }) },
  });
  outgoing.end(body);
  // `as`: what a response event carries.
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  const isStream = incoming.headers['content-type']?.startsWith('text/event-stream') === true;
  if (isStream) incoming.destroy();
  else for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { statusCode: status = 0 } = incoming;
  const answer: unknown = text === '' ? undefined : JSON.parse(text);
  const isForm = String(headers['content-type']).startsWith('application/x-www-form-urlencoded');
  const isOAuth = isForm && status >= 400 && status < 500 && status !== 429;
  const problems = isOAuth ? problemsOf(oauthRefusal, answer) : answerProblems({ method, path, status, body: answer });
  if (problems.length > 0) throw new Error(`${method} ${path} answers ${status} ${text}: ${problems.join('; ')}`);
  // `as`: held to the schemas above.
  return { status, headers: incoming.headers, body: (answer ?? {}) as Heard['body'] };
}

export type TokenRequest = {
  credential?: Credential;
  key?: ProofKey;
  parts?: ProofParts;
  /** The DPoP headers, in place of a good proof. */
  proofs?: string[];
  nonce?: string;
  /** Parameters over the good ones; undefined leaves one out. */
  body?: Record<string, unknown>;
  /** Sent as the parameters of a form. */
  isForm?: boolean;
  /** The body as it is, in place of all that. */
  raw?: string;
  headers?: Headers;
};

/** A client of the token endpoint and of the API with proofs, which makes everything by hand so that tests can make it wrong. */
export function createTokenClient(posthorn: () => TestPosthorn) {
  let ownKey: Promise<ProofKey> | undefined;
  const keyOf = (): Promise<ProofKey> => (ownKey ??= newProofKey());
  const base = (): string => posthorn().deps.config.publicBaseUrl;

  const register = async (body: object = {}, key = posthorn().keys.live): Promise<Credential> => {
    const answer = await posthorn().request<Credential>(
      'POST',
      '/v1/machine-credentials',
      { name: 'c', ...body },
      { key },
    );
    if (answer.status !== 201) throw new Error(`no credential was made: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const ask = async ({
    credential,
    key,
    parts = {},
    proofs,
    nonce,
    body = {},
    isForm = false,
    raw,
    headers = {},
  }: TokenRequest): Promise<Heard> => {
    const { id, clientSecret } = credential ?? (await register());
    const made = proofs ?? [
      await makeProof(
        key ?? (await keyOf()),
        { method: 'POST', uri: base() + TOKEN_PATH, ...(nonce !== undefined && { nonce }) },
        parts,
      ),
    ];
    const good = {
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: signTokenRequest(clientSecret, id, made[0] ?? ''),
    };
    const sent = Object.entries({ ...good, ...body }).filter(([, value]) => value !== undefined);
    const form = new URLSearchParams(sent.map(([name, value]): [string, string] => [name, String(value)])).toString();
    return send(posthorn().url, {
      method: 'POST',
      path: TOKEN_PATH,
      headers: {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        ...(made.length > 0 && { dpop: made }),
        ...headers,
      },
      body: raw ?? (isForm ? form : JSON.stringify(Object.fromEntries(sent))),
    });
  };

  const getToken = async (credential: Credential, body: Record<string, unknown> = {}): Promise<string> => {
    const answer = await ask({ credential, body });
    if (answer.body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer.body)}`);
    return answer.body.access_token;
  };

  /** A call with a token and the proof of just this request, unless other headers are given. */
  const call = async (
    token: string,
    {
      method = 'GET',
      path = '/v1/channels',
      body,
      key,
      parts = {},
      headers = {},
      proofs,
    }: {
      method?: string;
      path?: string;
      body?: object;
      key?: ProofKey;
      parts?: ProofParts;
      headers?: Headers;
      proofs?: string[];
    } = {},
  ): Promise<Heard> => {
    const [pathAlone = ''] = path.split('?');
    const proof = async (): Promise<string> =>
      makeProof(key ?? (await keyOf()), { method, uri: base() + pathAlone, token }, parts);
    const made = proofs ?? [await proof()];
    return send(posthorn().url, {
      method,
      path,
      headers: {
        authorization: `DPoP ${token}`,
        ...(made.length > 0 && { dpop: made }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };

  return { register, ask, getToken, call, key: keyOf, base };
}
