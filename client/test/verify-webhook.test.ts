import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../src/webhooks/verify-webhook.ts';

// The vectors of Standard Webhooks for v1 and v1a: one message, a secret and a public key.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PUBLIC_KEY = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';
const V1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const V1A = 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==';
const OTHER = `whsec_${btoa('another secret of 24 byt')}`;
const body = '{"test": 2432232314}';
const headers = { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330' };
const now = new Date(1_614_265_330_000);
const signed = (signature: string) => ({ ...headers, 'webhook-signature': signature });

describe('a genuine webhook', () => {
  test.each([
    ['v1', SECRET, V1],
    ['v1 with a secret that has no prefix', SECRET.slice(6), V1],
    ['v1a', PUBLIC_KEY, V1A],
    ['v1 beside another version and a foreign signature', SECRET, `v2,xx v1,AAAA ${V1A} ${V1}`],
    ['v1 while the secret is rotated', [OTHER, SECRET], V1],
    ['v1a among secrets of both kinds', [OTHER, PUBLIC_KEY], `v1,AAAA ${V1A}`],
  ])('is taken: %s', async (_, secrets, signature) => {
    const verified = await verifyWebhook(body, signed(signature), secrets, { now });
    expect(verified).toEqual({ id: headers['webhook-id'], timestamp: now, text: body, event: { test: 2432232314 } });
  });

  test('is taken as text and as bytes, from headers of fetch and of Node', async () => {
    const bytes = Buffer.from(`xx${body}`).subarray(2);
    const forms = [body, bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer];
    const ofNode = {
      'Webhook-Id': [headers['webhook-id']],
      ...signed(V1),
      'webhook-id': undefined,
      accept: ['a', 'b'],
    };
    for (const form of forms)
      expect((await verifyWebhook(form, new Headers(signed(V1)), SECRET, { now })).text).toBe(body);
    const { 'webhook-id': _, ...named } = ofNode;
    expect((await verifyWebhook(body, named, SECRET, { now })).id).toBe(headers['webhook-id']);
  });

  test('by an independent signer is taken, whatever its content', async () => {
    const content = JSON.stringify({ text: 'ä €\u2028 "\\', digits: 12.5 });
    const at = new Date();
    const signature = new Webhook(SECRET).sign('msg_1', at, content);
    const own = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)) };
    expect((await verifyWebhook(content, { ...own, 'webhook-signature': signature }, SECRET)).text).toBe(content);
  });
});

describe('a webhook is refused', () => {
  const problemOf = (
    given: unknown,
    sent: Record<string, string | string[]>,
    secrets: string | string[] = SECRET,
    options = { now },
  ) =>
    // `as`: JavaScript lets anything through.
    verifyWebhook(given as string, sent, secrets, options).then(
      () => 'taken',
      (error: unknown) => (error as { problem: string }).problem,
    );
  const seconds = (offset: number) => ({ now: new Date(now.getTime() + offset * 1_000) });

  test.each([
    ['a changed body', 'no_matching_signature', () => problemOf(`${body} `, signed(V1))],
    ['another secret', 'no_matching_signature', () => problemOf(body, signed(V1), OTHER)],
    ['another id', 'no_matching_signature', () => problemOf(body, { ...signed(V1), 'webhook-id': 'msg_2' })],
    [
      'another time',
      'no_matching_signature',
      () => problemOf(body, { ...signed(V1), 'webhook-timestamp': '1614265331' }),
    ],
    ['a signature that is no base64', 'no_matching_signature', () => problemOf(body, signed('v1,%%%'))],
    ['a signature that is too short', 'no_matching_signature', () => problemOf(body, signed(V1.slice(0, -8)))],
    [
      'a v1a that says v1',
      'no_matching_signature',
      () => problemOf(body, signed(V1A.replace('v1a', 'v1')), PUBLIC_KEY),
    ],
    ['an HMAC by a public key', 'no_matching_signature', () => problemOf(body, signed(V1), PUBLIC_KEY)],
    ['no signature header', 'missing_header', () => problemOf(body, headers)],
    ['two ids', 'malformed_header', () => problemOf(body, { ...signed(V1), 'webhook-id': ['a', 'b'] })],
    [
      'a time that is no number',
      'malformed_header',
      () => problemOf(body, { ...signed(V1), 'webhook-timestamp': '1e9' }),
    ],
    ['age', 'timestamp_too_old', () => problemOf(body, signed(V1), SECRET, seconds(301))],
    ['a time to come', 'timestamp_too_new', () => problemOf(body, signed(V1), SECRET, seconds(-301))],
    ['a parsed body', 'body_not_raw', () => problemOf({ test: 2432232314 }, signed(V1))],
    ['no secret', 'unusable_secret', () => problemOf(body, signed(V1), [])],
    ['an empty secret', 'unusable_secret', () => problemOf(body, signed(V1), 'whsec_')],
    ['a public key that is too short', 'unusable_secret', () => problemOf(body, signed(V1), 'whpk_AAAA')],
  ])('for %s', async (_, problem, of) => {
    expect(await of()).toBe(problem);
  });

  test('at the end of its tolerance only, which can be set', async () => {
    expect([
      await problemOf(body, signed(V1), SECRET, seconds(300)),
      await problemOf(body, signed(V1), SECRET, seconds(-300)),
    ]).toEqual(['taken', 'taken']);
    const strict = verifyWebhook(body, signed(V1), SECRET, { ...seconds(6), toleranceSeconds: 5 });
    await expect(strict).rejects.toMatchObject({ problem: 'timestamp_too_old' });
  });

  test('for content that is no JSON, although its signature is good', async () => {
    const signature = new Webhook(SECRET).sign('msg_1', now, 'text');
    const own = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1614265330', 'webhook-signature': signature };
    expect(await problemOf('text', own)).toBe('malformed_body');
  });

  test('with every cause that it can have, and a hint where JSON.stringify may have written the body', async () => {
    const failureOf = (given: string, secrets = SECRET) =>
      verifyWebhook(given, signed(V1), secrets, { now }).catch(String) as Promise<string>;
    const compact = JSON.stringify(JSON.parse(body));
    for (const failure of [await failureOf(compact), await failureOf(compact, OTHER), await failureOf(`${body} `)])
      expect(failure).toContain('either the secret is wrong, or the body, id or time differs');
    expect(await failureOf(compact)).toContain('If this body was written by JSON.stringify');
    expect(await failureOf(body, OTHER)).not.toContain('JSON.stringify');
  });
});

describe('a time that no age can be compared with is a mistake of the caller', () => {
  const recorded = (options: object) => verifyWebhook(body, signed(V1), SECRET, options);

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '300', null])(
    'toleranceSeconds %j',
    async (toleranceSeconds) => {
      await expect(recorded({ toleranceSeconds })).rejects.toThrow(TypeError);
      await expect(recorded({ toleranceSeconds })).rejects.toThrow('toleranceSeconds');
      await expect(recorded({ toleranceSeconds, now })).rejects.toThrow(TypeError);
    },
  );

  test.each([new Date(Number.NaN), 1_614_265_330_000, null])('now %p', async (at) => {
    await expect(recorded({ now: at })).rejects.toThrow('now must be a valid Date');
  });

  test('while 0 is a tolerance', async () => {
    expect(await recorded({ toleranceSeconds: 0, now })).toMatchObject({ text: body });
  });
});
