import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { bodyOf, examineSignature, readHeaders, signatureOf, signedCurl } from '../src/lib/signature.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const SENT = '{"id":"msg_1","data":{"total":12.50}}';
const AT = new Date('2026-05-07T14:03:12Z');
const signedBy = (secret: string, body = SENT): string => new Webhook(secret).sign('msg_1', AT, body);

const seen = (...signatures: string[]) => ({ id: 'msg_1', timestamp: String(AT.getTime() / 1_000), signatures });
const kinds = async (given: Partial<Parameters<typeof examineSignature>[0]>): Promise<string[]> =>
  (await examineSignature({ seen: seen(signedBy(SECRET)), body: SENT, sent: SENT, secret: SECRET, ...given })).map(
    ({ kind }) => kind,
  );

test('signs as the Standard Webhooks library does', async () => {
  const given = { id: 'msg_1', timestamp: String(AT.getTime() / 1_000), body: SENT };
  expect(await signatureOf(SECRET, given)).toBe(signedBy(SECRET));
  await expect(signatureOf('whsec_*', given)).rejects.toThrow();
});

test.each([
  [
    'a raw request',
    'POST / HTTP/1.1\r\nWebhook-Id: msg_1\r\nwebhook-timestamp: 12\r\nWebhook-Signature: v1,YQ== v1,Yg==\r\n',
  ],
  ['JSON', '{"webhook-id":"msg_1","webhook-timestamp":"12","webhook-signature":"v1,YQ== v1,Yg=="}'],
  [
    'lists of values',
    `{ 'webhook-id': [ 'msg_1' ], 'webhook-timestamp': [ '12' ], 'webhook-signature': [ 'v1,YQ== v1,Yg==' ] }`,
  ],
  ['a log line', '10:03 webhook-id=msg_1 webhook-timestamp=12 webhook-signature="v1,YQ== v1,Yg=="'],
])('extracts the headers from %s', (_, text) => {
  expect(readHeaders(text)).toEqual({ id: 'msg_1', timestamp: '12', signatures: ['v1,YQ==', 'v1,Yg=='] });
});

test('a missing header is named, and nothing else is reported', async () => {
  expect(readHeaders('hello')).toEqual({ signatures: [] });
  expect(
    await examineSignature({ seen: readHeaders('webhook-id: msg_1'), body: '', sent: SENT, secret: SECRET }),
  ).toEqual([
    { kind: 'missing', header: 'webhook-timestamp' },
    { kind: 'missing', header: 'webhook-signature' },
  ]);
});

test('the same body, secret and clock are valid, with the body or without', async () => {
  expect(await kinds({})).toEqual(['good']);
  expect(await kinds({ body: '' })).toEqual(['good']);
  expect(await kinds({ theirs: SECRET, clock: new Date(AT.getTime() + 300_000) })).toEqual(['good']);
  // During a rotation there are two signatures.
  expect(await kinds({ seen: seen(signedBy(OTHER), signedBy(SECRET)) })).toEqual(['good']);
});

test('a body that was parsed and serialised again is shown where it differs, in bytes', async () => {
  const sent = '{"who":"Zoë","total":12.50}';
  const found = await examineSignature({
    seen: seen(signedBy(SECRET, sent)),
    body: '{"who":"Zoë","total":12.5}',
    sent,
    secret: SECRET,
  });
  expect(found).toEqual([
    {
      kind: 'body_changed',
      at: Buffer.byteLength('{"who":"Zoë","total":12.5'),
      sent: 'oë","total":12.50}',
      seen: 'oë","total":12.5}',
    },
  ]);
});

test('clocks may differ by five minutes, and no more', async () => {
  expect(await kinds({ clock: new Date(AT.getTime() + 301_000) })).toEqual(['clock']);
  expect(
    await examineSignature({
      seen: seen(signedBy(SECRET)),
      body: '',
      sent: SENT,
      secret: SECRET,
      clock: new Date(AT.getTime() - 420_000),
    }),
  ).toEqual([{ kind: 'clock', seconds: -420 }]);
});

test('another secret, an older one and an unknown one are told apart', async () => {
  expect(await kinds({ theirs: OTHER })).toEqual(['other_secret']);
  expect(await kinds({ theirs: OTHER, seen: seen(signedBy(SECRET), signedBy(OTHER)) })).toEqual(['good_by_older']);
  expect(await kinds({ seen: seen(signedBy(OTHER)) })).toEqual(['unexplained']);
  expect(await kinds({ theirs: 'no secret at all' })).toEqual(['other_secret']);
  // All problems are reported, not only the first.
  expect(await kinds({ theirs: OTHER, body: '{}', clock: new Date(0) })).toEqual([
    'clock',
    'other_secret',
    'body_changed',
  ]);
});

test('a body is assembled from the stored texts', () => {
  const message =
    '{"id":"msg_1","channelId":"chn_1","eventType":"a","payload":{"n": 1.50},"publishedAt":"2026-05-07T14:03:12.000Z","deliveryStatus":"pending"}';
  expect(bodyOf(message)).toBe(
    '{"id":"msg_1","type":"a","timestamp":"2026-05-07T14:03:12.000Z","channelId":"chn_1","data":{"n": 1.50}}',
  );
});

test('a shell command quotes its values', async () => {
  const line = await signedCurl({
    url: `http://localhost/it's`,
    secret: SECRET,
    id: 'msg_1',
    body: `{"a":"it's"}`,
    now: AT,
  });
  expect(line).toContain(`'http://localhost/it'\\''s'`);
  expect(line).toContain(`'{"a":"it'\\''s"}'`);
  expect(line).toContain(`'webhook-timestamp: ${AT.getTime() / 1_000}'`);
});
