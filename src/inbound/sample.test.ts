import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { rulesOf } from './custom.ts';
import { type InboundRequest, toIncoming } from './incoming.ts';
import { contentOf, eventIdOf, eventTypeOf, payloadOf } from './mapping.ts';
import { body, standard } from './providers/general.ts';
import { CATALOGUE } from './providers/catalogue.ts';
import type { Provider } from './providers/provider.ts';
import { sampleDraftOf, signedSample, signingSecretOf, unsignable } from './sample.ts';
import type { WebhookSettings } from './schema.ts';

type Vector = {
  provider: string;
  secret: string;
  now: number;
  url: string;
  headers: Record<string, string>;
  body: string;
};
const { vectors } = JSON.parse(readFileSync(join(import.meta.dirname, 'providers/vectors.json'), 'utf8')) as {
  vectors: Vector[];
};

const ALL: Readonly<Record<string, Provider>> = { ...CATALOGUE, body, standard };
const KEEP_THEIR_KEY = ['discord', 'sendgrid', 'sns'];
const signable = Object.values(ALL).filter(({ name }) => !KEEP_THEIR_KEY.includes(name));

const NOW = new Date('2026-11-26T08:00:00.000Z');
const BASE_URL = 'https://hooks.example.com';
const WEBHOOK = 'whk_01k9f2xw6q7v8r3t5y4n0m1c2b';

const readJson: InboundRequest['readJson'] = (bytes) => ({
  text: bytes.toString(),
  value: JSON.parse(bytes.toString()) as unknown,
});
const from = { readJson, address: '192.0.2.1' };

const secretOf = ({ scheme }: Provider, last: string): string =>
  ['standard', 'svix', 'body'].includes(scheme) ? `whsec_${'A'.repeat(31)}${last}` : `secret-${last}`;

let made = 0;
/** A sample of the provider as it comes in, signed by the secret. */
function sampleOf(provider: Provider, secret: string, settings: WebhookSettings = {}) {
  made += 1;
  const values = { id: `sample_${made}`, number: made, now: NOW };
  const draft = sampleDraftOf(provider, settings, values);
  const signing = { ...values, ...from, webhookId: WEBHOOK, secret, baseUrl: BASE_URL };
  const request = signedSample(provider, draft, signing);
  const incoming = toIncoming(request, { baseUrl: BASE_URL, jsonField: provider.jsonField });
  const mapped = { provider, settings };
  return {
    id: values.id,
    draft,
    request,
    check: async (secrets: readonly string[]) =>
      provider.check(incoming, secrets, {
        now: NOW,
        fetchText: () => Promise.reject(new Error('asked for an address')),
      }),
    handshake: provider.handshake?.(incoming, [secret]),
    eventId: () => eventIdOf(incoming, { ...mapped, replayKey: undefined }),
    eventType: () =>
      eventTypeOf(incoming, {
        ...mapped,
        content: contentOf(incoming, provider),
        metadata: {},
        expressions: { problemOf: () => undefined, evaluate: () => '' },
      }),
    payload: () => JSON.parse(payloadOf(contentOf(incoming, provider), mapped)) as Record<string, unknown>,
  };
}

describe.each(signable)('a sample of $name', (provider) => {
  const [one, other] = [secretOf(provider, 'A'), secretOf(provider, 'Q')];

  test('is accepted with the secret that signed it, also as the second of two, but with no other', async () => {
    const sample = sampleOf(provider, one);
    await expect(sample.check([one])).resolves.toBeDefined();
    await expect(sample.check([other, one])).resolves.toBeDefined();
    await expect(sample.check([other])).rejects.toMatchObject({ problem: 'signature_wrong' });
  });

  test('is an event with a type of the service, not a handshake', () => {
    const sample = sampleOf(provider, one);
    expect(sample.handshake).toBeUndefined();
    if (provider.eventType === undefined) expect(sample.eventType()).toBe('webhook.received');
    else expect(sample.eventType()).toMatch(/^(?!webhook\.received$)[\w.:/ -]+$/);
    expect(Object.keys(sample.payload()).length).toBeGreaterThan(0);
  });

  if (provider.eventId !== undefined)
    test('has a unique event id', () => {
      const ids = [sampleOf(provider, one), sampleOf(provider, one)].map(({ eventId }) => eventId());
      expect(ids).not.toContain(undefined);
      expect(new Set(ids).size).toBe(2);
    });
});

// These signatures are from the services' own pages, or were made by other programs. Zendesk writes its time without milliseconds.
test.each(
  vectors.filter(
    ({ provider, secret }) => !['zendesk', ...KEEP_THEIR_KEY].includes(provider) && !secret.startsWith('whpk_'),
  ),
)('signs the same text as $provider', ({ provider: name, headers, url, body: text, secret, now }) => {
  const provider = ALL[name];
  const given = new Map(Object.entries(headers));
  const { origin } = new URL(url);
  const signedIn = name === 'body' ? JSON.parse(text) : undefined;
  const content = signedIn?.payload ?? text;
  const incoming = toIncoming(
    {
      ...from,
      target: url.slice(origin.length),
      header: (each) => (given.has(each) ? [given.get(each) ?? ''] : []),
      bytes: Buffer.from(content),
    },
    { baseUrl: origin, jsonField: provider?.jsonField },
  );
  const id = signedIn?.id ?? /"token":"(\w+)"/.exec(text)?.[1] ?? 'unused';
  const signed = provider?.sign?.(incoming, { secret, now: new Date(now * 1_000), id });
  // Stripe shows an old version beside it, and WorkOS a blank.
  const plain = (value: string | undefined): string | undefined => value?.replace('v0=00,', '').replace(', ', ',');
  for (const [header, value] of Object.entries(signed?.headers ?? {})) expect(value).toBe(plain(headers[header]));
  if (signed?.body !== undefined) expect(JSON.parse(signed.body)).toEqual(JSON.parse(text));
  expect(signed?.headers ?? signed?.body).toBeDefined();
});

describe('a webhook with its own signature settings', () => {
  const own = (settings: WebhookSettings, scheme: 'hmac' | 'token' = 'hmac') => ({
    settings,
    provider: rulesOf({ scheme, provider: undefined }, settings),
  });

  test.each<readonly [string, WebhookSettings, 'hmac' | 'token']>([
    ['a header alone', { signature: { header: 'X-Signature' } }, 'hmac'],
    [
      'a prefix and a hash',
      { signature: { header: 'X-S', prefix: 'v1=', algorithm: 'sha512', encoding: 'base64' } },
      'hmac',
    ],
    ['a time in seconds', { signature: { header: 'X-S', timestampHeader: 'X-Time' } }, 'hmac'],
    [
      'a time in ISO 8601',
      { signature: { header: 'X-S', timestampHeader: 'X-Time', timestampUnit: 'iso8601' } },
      'hmac',
    ],
    [
      'everything in its text',
      {
        signature: {
          header: 'X-S',
          timestampHeader: 'T',
          timestampUnit: 'milliseconds',
          idHeader: 'X-Id',
          template: '{id}.{url}.{timestamp}.{body}',
        },
      },
      'hmac',
    ],
    [
      'a time in its text without a time header',
      { signature: { header: 'X-S', template: '{timestamp}.{body}' } },
      'hmac',
    ],
    ['a token', { signature: { header: 'X-Token' } }, 'token'],
  ])('that signs by %s has samples that fit', async (_, settings, scheme) => {
    const sample = sampleOf(own(settings, scheme).provider, 'a secret', settings);
    await expect(sample.check(['a secret'])).resolves.toBeDefined();
    await expect(sample.check(['another'])).rejects.toMatchObject({ problem: 'signature_wrong' });
    expect(sample.eventType()).toBe('sample.created');
  });

  test('has id, event type and payload where its mapping looks for them', () => {
    const signature = { header: 'X-S' };
    const inHeaders = own({ signature, eventId: { header: 'X-Event' }, eventType: { header: 'X-Type' } });
    const first = sampleOf(inHeaders.provider, 's', inHeaders.settings);
    expect([first.eventId(), first.eventType()]).toEqual([first.id, 'sample.created']);
    const inBody = own({
      signature,
      eventId: { pointer: '/meta/ids~1all/__proto__/id' },
      eventType: { pointer: '/kind' },
      payload: { pointer: '/order' },
    });
    const second = sampleOf(inBody.provider, 's', inBody.settings);
    expect([second.eventId(), second.eventType(), second.payload()]).toEqual([
      second.id,
      'sample.created',
      { id: second.id },
    ]);
    expect(Object.hasOwn(Object.prototype, 'id')).toBe(false);
  });

  test('keeps the event type of the service, and numbers stay numbers', () => {
    const github: WebhookSettings = { eventType: { header: 'x-github-event' }, eventId: { pointer: '/repository/id' } };
    const pushed = sampleOf(CATALOGUE.github, 's', github);
    expect([pushed.eventType(), pushed.eventId()]).toEqual(['push', String(made)]);
    const hubspot: WebhookSettings = {
      eventType: { pointer: '/events/0/changeSource' },
      eventId: { pointer: '/events/0/eventId' },
    };
    expect(sampleOf(CATALOGUE.hubspot, 's', hubspot).eventType()).toBe('CRM');
    const twilio: WebhookSettings = { eventType: { pointer: '/Kind' }, eventId: { pointer: '/Id' } };
    const told = sampleOf(CATALOGUE.twilio, 's', twilio);
    expect([told.eventType(), told.eventId()]).toEqual(['sample.created', told.id]);
  });

  test.each(['/id/inner', '/events/7/id', '/events/length', '/events/x'])(
    'is not changed at %s, where another value is in the way',
    (pointer) => {
      const { draft } = sampleOf(CATALOGUE.paddle, 's', { eventId: { pointer } });
      expect(draft.body).toBeDefined();
      const { draft: list } = sampleOf(CATALOGUE.hubspot, 's', { eventId: { pointer } });
      expect(JSON.parse(list.body)).toHaveLength(1);
    },
  );
});

test('a service with its own key, or a public key, cannot sign; of two secrets the newest that can sign is used', () => {
  for (const name of KEEP_THEIR_KEY) {
    const provider = ALL[name];
    if (provider === undefined) throw new Error(`no provider ${name}`);
    expect([provider.sample, signingSecretOf(provider, ['anything'])]).toEqual([undefined, undefined]);
    expect(unsignable(provider, ['anything'])).toEqual({
      field: 'scheme',
      reason: expect.stringContaining(provider.title),
    });
  }
  expect(signingSecretOf(standard, ['whpk_a'])).toBeUndefined();
  expect(unsignable(standard, ['whpk_a'])).toEqual({ field: 'secrets', reason: expect.stringContaining('public key') });
  expect(unsignable(CATALOGUE.stripe, [])).toEqual({
    field: 'secrets',
    reason: expect.stringContaining('not set yet'),
  });
  expect(signingSecretOf(standard, ['whpk_a', 'whsec_b', 'whsec_c'])).toBe('whsec_b');
  expect(signingSecretOf(CATALOGUE.github, ['new', 'old'])).toBe('new');
});

describe('an old body', () => {
  const sent = (provider: Provider, text: string): string => {
    const signing = { ...from, webhookId: WEBHOOK, secret: 's', now: NOW, id: 'once', baseUrl: BASE_URL };
    return signedSample(provider, { body: text, headers: {} }, signing).bytes.toString();
  };

  test.each([
    ['{"webhookTimestamp": 5, "n": 1.50}', `{"webhookTimestamp": ${NOW.getTime()}, "n": 1.50}`],
    [' {"n": 1.50}', ` {"webhookTimestamp":${NOW.getTime()},"n": 1.50}`],
    ['{}', `{"webhookTimestamp":${NOW.getTime()}}`],
  ])('gets the current time and no other change: %s', (text, expected) => {
    expect(sent(CATALOGUE.linear, text)).toBe(expected);
  });

  test.each(['', 'no JSON', '[1]', 'null', '{"n": 1'])('is sent unchanged if it is not an object: %j', (text) => {
    for (const provider of [CATALOGUE.linear, CATALOGUE.mailgun]) expect(sent(provider, text)).toBe(text);
  });
});

test('a body for Twilio that is not a form is signed with its hash in the query', async () => {
  const signing = { ...from, webhookId: WEBHOOK, secret: 's', now: NOW, id: 'x', baseUrl: BASE_URL };
  for (const text of ['{"n":1}', '']) {
    const request = signedSample(
      CATALOGUE.twilio,
      { body: text, headers: { 'Content-Type': 'application/json' } },
      signing,
    );
    expect(request.target).toMatch(text === '' ? /2c2b$|c2b$/ : /\?bodySHA256=[0-9a-f]{64}$/);
    const incoming = toIncoming(request, { baseUrl: BASE_URL, jsonField: undefined });
    expect(CATALOGUE.twilio.check(incoming, ['s'], { now: NOW, fetchText: async () => '' })).toEqual({});
  }
});
