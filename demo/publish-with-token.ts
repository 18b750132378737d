// Gets an access token and publishes one message with it, with Node alone (24 or later; node bin/run.js starts one):
//   node demo/publish-with-token.ts URL CLIENT_ID SECRET CHANNEL
import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

const [base = '', clientId = '', secret = '', channelId = ''] = process.argv.slice(2);
// One key pair for as long as the program runs: its private key never leaves it.
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Creates a proof for one request (RFC 9449 §4.2): a new one each time, with the access token once there is one. */
function prove(method: string, url: string, token?: string): string {
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) };
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const claims = { jti: randomUUID(), htm: method, htu: url, iat: Math.floor(Date.now() / 1_000), ...ath };
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

async function post(path: string, headers: Record<string, string>, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${text}`);
  // `as`: both endpoints answer with an object.
  return JSON.parse(text) as Record<string, unknown>;
}

// The secret signs the proof and is not sent itself.
const proof = prove('POST', `${base}/oauth/token`);
const mac = createHmac('sha256', secret).update(`v1\n${clientId}\n${proof}`).digest('base64url');
const request = { grant_type: 'client_credentials', client_id: clientId, client_secret: `v1.${mac}` };
const { access_token: token } = await post('/oauth/token', { DPoP: proof }, request);
const path = `/v1/channels/${channelId}/messages`;
const headers = { Authorization: `DPoP ${String(token)}`, DPoP: prove('POST', base + path, String(token)) };
const message = await post(path, headers, { eventType: 'order.paid', payload: { number: 1 } });
process.stdout.write(`${String(message['id'])}\n`);
