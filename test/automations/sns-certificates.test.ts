import { createServer as createTlsServer } from 'node:tls';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createEventTypeExpressions } from '../../src/automations/inbound/event-type-expression.ts';
import { createReceiveWebhook } from '../../src/automations/inbound/receive.ts';
import { readJson } from '../../src/http/reading/parse-body.ts';
import { createAddressGuard } from '../../src/outbound/guard/address-guard.ts';
import { createFetchText } from '../../src/outbound/fetch-text.ts';
import { createOwnAddresses } from '../../src/outbound/guard/own-addresses.ts';
import { inboundCalls } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { startRawReceiver } from '../support/world/raw-receiver.ts';

/** Notifications whose certificate is asked for at a server of this test in place of Amazon's. */
const vectorsFile = new URL('../../src/automations/inbound/providers/vectors.json', import.meta.url);
type Vector = { provider: string; secret: string; now: number; body: string };
const { vectors, snsCertificate } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as {
  vectors: Vector[];
  snsCertificate: string;
};

let posthorn: TestPosthorn;
let calls: ReturnType<typeof inboundCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = inboundCalls(posthorn);
});
afterAll(() => posthorn.stop());

let certificates = 0;
/** A webhook, and its answer to a notification while the server of certificates answers so, or cannot be reached. */
async function answeredWith(answer: string | undefined) {
  const vector = vectors.find(({ provider }) => provider === 'sns');
  if (vector === undefined) throw new Error('no vector of sns');
  const { webhook, channelId } = await calls.makeWebhook({ provider: 'sns', scheme: 'sns', secrets: [vector.secret] });
  const trusted = makeCertificate(['127.0.0.1']);
  const server = await startRawReceiver(
    { onRequest: (socket) => socket.end(answer ?? '') },
    createTlsServer(trusted),
    'secureConnection',
  );
  if (answer === undefined) await server.stop();
  const rules = { allowCidrs: ['127.0.0.0/8'], allowHttp: false, own: createOwnAddresses([]) };
  const guard = createAddressGuard({ ...rules, trustedCertificates: [trusted.cert] });
  const fetchText = createFetchText({ guard, version: '0.0.0' });
  const { receive } = createReceiveWebhook(
    { ...posthorn.deps, clock: () => new Date(vector.now * 1_000) },
    {
      publishing: posthorn.services.publishing,
      expressions: createEventTypeExpressions(),
      fetchText: () => fetchText(`https://127.0.0.1:${server.port}/`),
    },
  );
  // Certificates are remembered by their address.
  certificates += 1;
  const body = vector.body.replace('Service-1.pem', `Service-of${certificates}.pem`);
  const request = { target: '/', header: () => [], bytes: Buffer.from(body), readJson, address: '192.0.2.1' };
  const settled = await receive(webhook.id, request).then(
    (value) => ({ value }),
    (failure: unknown) => ({ failure }),
  );
  if (answer !== undefined) await server.stop();
  const refusals = (await calls.refusalsOf(webhook.id)).map(({ reason }) => reason);
  return { ...settled, refusals, messages: await calls.messagesIn(channelId) };
}

const http = (status: string, body = ''): string =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;

test('a certificate that is there proves its notification', async () => {
  const { value, messages } = { value: undefined, ...(await answeredWith(http('200 OK', snsCertificate))) };
  expect(value).toMatchObject({ received: true, messageId: messages[0]?.id });
});

// Such a request was refused as a bad signature, with 400: Amazon tries no such notification again, and the message was lost.
test.each([
  ['cannot be reached', undefined],
  ['breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n-----BEGIN'],
  ['is at fault', http('503 Slow Down')],
  ['has too much to do', http('429 Too Many Requests')],
])('a server of certificates that %s is UNAVAILABLE, which Amazon tries again, and no refusal', async (_, answer) => {
  expect(await answeredWith(answer)).toMatchObject({
    failure: { code: 'UNAVAILABLE', retryAfter: expect.any(Number) },
    refusals: [],
    messages: [],
  });
});

test.each([
  ['a certificate that does not fit', http('200 OK', makeCertificate(['127.0.0.1']).cert)],
  ['a text that is no certificate', http('200 OK', 'hello')],
  ['no such certificate', http('403 Forbidden')],
])('%s is a bad signature', async (_, answer) => {
  expect(await answeredWith(answer)).toMatchObject({
    failure: { code: 'INVALID_REQUEST', details: { field: 'signature' } },
    refusals: ['signature_wrong'],
    messages: [],
  });
});
