import type { ScopeExample } from './scope-example.ts';

/** `example`: the request that the program sends with its token. If absent, it only gets a token. */
type Client = { url: string; id: string; secret: string; example: ScopeExample | undefined };

/**
 * A program without dependencies for Node that gets a token and sends a request with it: the DPoP proofs of RFC 9449 in
 * as few lines as possible.
 */
export const plainTokenSnippet = ({ url, id, secret, example }: Client): string =>
  `import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

const url = '${url}';
const id = '${id}';
const secret = '${secret}';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
// Each request has its own proof, signed by a key that never leaves this program.
function prove(htm, htu, token) {
  const ath = token && createHash('sha256').update(token).digest('base64url');
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) };
  const claims = { jti: randomUUID(), htm, htu, iat: Math.floor(Date.now() / 1000), ath };
  const text = part(header) + '.' + part(claims);
  const signed = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return text + '.' + signed.toString('base64url');
}

const proof = prove('POST', url + '/oauth/token');
const mac = createHmac('sha256', secret).update(['v1', id, proof].join('\\n')).digest('base64url');
const answer = await fetch(url + '/oauth/token', {
  method: 'POST',
  headers: { 'content-type': 'application/json', dpop: proof },
  body: JSON.stringify({ grant_type: 'client_credentials', client_id: id, client_secret: 'v1.' + mac }),
});
const { access_token: token } = await answer.json();
console.log(token);
${example === undefined ? '' : plainRequest(example)}`;

const plainRequest = ({ method, path, body }: ScopeExample): string => `
const target = url + '${path}';
const response = await fetch(target, {
${
  body === undefined
    ? "  headers: { authorization: 'DPoP ' + token, dpop: prove('GET', target, token) },"
    : `  method: '${method}',
  headers: {
    authorization: 'DPoP ' + token,
    dpop: prove('${method}', target, token),
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  },
  body: JSON.stringify(${JSON.stringify(body)}),`
}
});
console.log(await response.text());
`;

/**
 * A program for Node that gets a token with these credentials and sends a request with it through the client library,
 * which creates the DPoP proofs of RFC 9449.
 */
export const tokenSnippet = ({ url, id, secret, example }: Client): string =>
  `import { Posthorn } from '@posthorn/client';

const posthorn = new Posthorn({
  baseUrl: '${url}',
  credentials: {
    clientId: '${id}',
    clientSecret: '${secret}',
  },
});
${example === undefined ? '' : `${example.library}\n`}`;
