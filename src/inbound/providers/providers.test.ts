import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type InboundRequest, toIncoming } from '../incoming.ts';
import { contentOf } from '../mapping.ts';
import { type CheckContext, SignatureRefused } from '../schemes/scheme.ts';
import { body, standard } from './general.ts';
import { CATALOGUE } from './catalogue.ts';
import { PROVIDER_NAMES } from './names.ts';
import type { Provider } from './provider.ts';
import { expectShortTurns } from '../../../test/support/check/longest-turn.ts';

/** A request as a service sends it. `source` says where its signature comes from: the service's own pages, or another program. */
type Vector = {
  provider: string;
  source: string;
  secret: string;
  now: number;
  url: string;
  headers: Record<string, string>;
  body: string;
  eventId?: string;
  eventType?: string;
};
const { vectors, snsCertificate, snsConfirmation } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'vectors.json'), 'utf8'),
) as { vectors: Vector[]; snsCertificate: string; snsConfirmation: string };

const providerNamed = (name: string): Provider => {
  const all: Readonly<Record<string, Provider>> = { ...CATALOGUE, body, standard };
  const provider = all[name];
  if (provider === undefined) throw new Error(`There is no provider ${name}`);
  return provider;
};

const readJson: InboundRequest['readJson'] = (bytes) => ({
  text: bytes.toString(),
  value: JSON.parse(bytes.toString()) as unknown,
});

type Sent = {
  headers?: Record<string, string | readonly string[]>;
  body?: string;
  secrets?: readonly string[];
  at?: number;
  /** In place of the certificate of the vectors. */
  certificate?: string;
};

/** The request of a vector with some parts changed, and what its provider makes of it. */
function send(vector: Vector, changed: Sent = {}) {
  const provider = providerNamed(vector.provider);
  const headers = { ...vector.headers, ...changed.headers };
  const { origin } = new URL(vector.url);
  const incoming = toIncoming(
    {
      target: vector.url.slice(origin.length),
      header: (name) => [headers[name] ?? []].flat(),
      bytes: Buffer.from(changed.body ?? vector.body),
      readJson,
      address: '192.0.2.1',
    },
    { baseUrl: origin, jsonField: provider.jsonField },
  );
  const context: CheckContext = {
    now: new Date((changed.at ?? vector.now) * 1_000),
    fetchText: async () => changed.certificate ?? snsCertificate,
  };
  const check = async () => provider.check(incoming, changed.secrets ?? [vector.secret], context);
  return { provider, incoming, check };
}

const problemOf = async (vector: Vector, changed: Sent): Promise<string> => {
  try {
    await send(vector, changed).check();
    return 'taken';
  } catch (failure) {
    if (failure instanceof SignatureRefused) return failure.problem;
    return failure instanceof SyntaxError ? 'unreadable' : String(failure);
  }
};

/** Where the signature of a vector stands: a header, unless it is in the body. */
const signatureHeaderOf = ({ headers }: Vector): string | undefined =>
  Object.keys(headers).find((name) => /signature(?!.*timestamp)|hmac|token/.test(name) && !name.includes('type'));

const SECOND: Readonly<Record<string, string>> = {
  standard: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  svix: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  body: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  ed25519: 'a'.repeat(64),
  sns: 'arn:aws:sns:eu-west-1:123456789012:other',
  ecdsa:
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJ9yBLek3TzW1/wKQHdPwIlvdrU2v7T8d/MBoyeD1q3uO2V6V2RNDXpPlrBgZbB64jfcVaz7Q88x/kJWFfrD/3g==',
};

const MIB = 1_048_576;
const repeated = (text: string): string => text.repeat(Math.floor(MIB / text.length));
const FORM = 'application/x-www-form-urlencoded';
/** Bodies of the largest size that are the most work for some reader. */
const WORST: readonly (readonly [name: string, body: string, type: string])[] = [
  ['empty objects', `[${repeated('{},').slice(0, -3)}]`, 'application/json'],
  ['empty objects without end', repeated('{}'), 'application/json'],
  ['open lists', repeated('['), 'application/json'],
  ['open objects', repeated('{"a":'), 'application/json'],
  ['members of one name', `{${repeated('"a":1,').slice(0, -8)}}`, 'application/json'],
  ['escaped names', `{${repeated('"\\u0061":1,').slice(0, -14)}}`, 'application/json'],
  ['a text of quotes', `{"signature":"${repeated('\\"').slice(0, -20)}"}`, 'application/json'],
  ['a text of backslashes', `{"payload":"${repeated('\\\\').slice(0, -20)}"}`, 'application/json'],
  ['a text of hexadecimal digits', `{"signature":{"signature":"${repeated('0').slice(0, -40)}"}}`, 'application/json'],
  [
    'signatures in the body',
    `{"id":"a","timestamp":1,"payload":"","signature":"${repeated('v1,aa ').slice(0, -80)}"}`,
    '',
  ],
  ['blanks', ' '.repeat(MIB), 'application/json'],
  ['fields of one name', repeated('a&'), FORM],
  ['1,000 fields', Array.from({ length: 1_000 }, (_, n) => `${'a'.repeat(1_000)}${n}=${n}`).join('&'), FORM],
  ['escapes of a form', `a=${repeated('%41').slice(0, -6)}`, FORM],
  ['parts', repeated('--b\r\n\r\n'), 'multipart/form-data; boundary=b'],
];
/** As much as all headers of a request may have. */
const HEADER_LENGTH = 15_000;
const WORST_HEADERS = ['a', ',', ' ', '=', 'v1,aa ', 't=1,v1=00,', `v1a,${'A'.repeat(86)}== `, '0'].map((text) =>
  text.repeat(Math.floor(HEADER_LENGTH / text.length)),
);

describe.each(vectors)('$provider ($source)', (vector) => {
  const { provider } = send(vector);
  const other = SECOND[provider.scheme] ?? 'another secret';
  const name = signatureHeaderOf(vector);

  test('is accepted with its secret, alone and as the second of two', async () => {
    expect(await problemOf(vector, {})).toBe('taken');
    expect(await problemOf(vector, { secrets: [other, vector.secret] })).toBe('taken');
    expect(provider.secretProblem?.(vector.secret)).toBeUndefined();
  });

  test('is refused with other secrets and without secrets', async () => {
    expect(await problemOf(vector, { secrets: [other] })).toBe('signature_wrong');
    expect(await problemOf(vector, { secrets: [] })).toBe('signature_wrong');
  });

  test('is refused if its body is cut off or a byte is changed', async () => {
    const isCovered = !['token', 'gitlab'].includes(provider.scheme);
    const isInBody = ['body', 'mailgun', 'sns'].includes(provider.scheme);
    const cut = await problemOf(vector, { body: vector.body.slice(0, -1) });
    // Parts of these bodies are signed. The rest is read once they have proven their sender, and must be JSON then.
    if (isInBody) {
      const { incoming } = send(vector, { body: vector.body.slice(0, -1) });
      expect(() => contentOf(incoming, provider)).toThrow(SyntaxError);
      expect(await problemOf(vector, { body: vector.body.replace('"', '') })).not.toBe('taken');
    } else if (isCovered) expect(['signature_wrong', 'unreadable']).toContain(cut);
    else expect(cut).toBe('taken');
  });

  test('unauthenticated bodies and headers do not block the process', async () => {
    const bodies = WORST.map(([, text, type]) => ({ body: text, headers: { 'content-type': type } }));
    const headers = name === undefined ? [] : WORST_HEADERS.map((value) => ({ headers: { [name]: value } }));
    const secrets = [other, vector.secret];
    for (const changed of [...bodies, ...headers]) {
      const { check } = send(vector, { ...changed, secrets });
      await expectShortTurns(() => check().catch(() => undefined));
    }
  });

  if (name !== undefined) {
    // These two show several signatures in one header, with commas between them.
    const isList = ['pagerduty', 'circleci'].includes(provider.name);
    const value = vector.headers[name] ?? '';
    test.each<readonly [string, string | readonly string[], string | undefined]>([
      ['missing', [], 'signature_missing'],
      ['empty', '', 'signature_missing'],
      ['there twice', [value, value], 'signature_malformed'],
      ...(isList ? [] : [['joined with itself', `${value}, ${value}`, undefined] as const]),
      ['cut', value.slice(0, -2), undefined],
      ['without its beginning', value.slice(1), undefined],
      ['of another form', '%%%', undefined],
      ['a list of nothing', ',,,,', undefined],
    ])('is refused when its signature is %s', async (_, given, problem) => {
      const found = await problemOf(vector, { headers: { [name]: given } });
      expect(found).toEqual(problem ?? expect.stringMatching(/^signature_(malformed|wrong)$/));
    });
  }

  const isTimed =
    vector.now !== 1_700_000_000 || /17000000|2023-11-14/.test(JSON.stringify([vector.headers, vector.body]));
  if (isTimed && !['twilio', 'github'].includes(vector.provider))
    test('is refused if its signed time is too old or in the future', async () => {
      for (const seconds of [-90_000, 90_000])
        expect(await problemOf(vector, { at: vector.now + seconds })).toBe('timestamp_stale');
    });

  test('has an event id and an event type', () => {
    const { incoming } = send(vector);
    if (vector.body.startsWith('{')) expect(contentOf(incoming, provider).value).toBeInstanceOf(Object);
    expect(provider.eventId?.(incoming)).toBe(vector.eventId);
    expect(provider.eventType?.(incoming)).toBe(vector.eventType);
  });
});

/** Id of the event of a request, whose signature is not looked at. */
const idOf = (name: string, body_: string, headers: Record<string, string> = {}): string | undefined => {
  const vector = vectors.find(({ provider }) => provider === name);
  if (vector === undefined) throw new Error(`no vector of ${name}`);
  const { provider, incoming } = send({ ...vector, headers: { ...vector.headers, ...headers } }, { body: body_ });
  return provider.eventId?.(incoming);
};

// One id named all of them: the second recording of a call became the message of the first one.
describe('different requests about one thing are different events, but a repeated request is not', () => {
  const call = 'CallSid=CA1&CallStatus=completed';
  test.each<readonly [string, string, string, string]>([
    [
      'two recordings of a call by Twilio',
      'twilio',
      `${call}&RecordingSid=RE1&RecordingStatus=completed`,
      `${call}&RecordingSid=RE2&RecordingStatus=completed`,
    ],
    ['two digits that a caller of Twilio pressed', 'twilio', `${call}&Digits=1`, `${call}&Digits=2`],
    ['two answers to a message by Twilio', 'twilio', 'MessageSid=SM1&Body=yes', 'MessageSid=SM1&Body=no'],
    [
      'two arrays of SendGrid with the same first event',
      'sendgrid',
      '[{"sg_event_id":"a"},{"sg_event_id":"b"}]',
      '[{"sg_event_id":"a"},{"sg_event_id":"c"}]',
    ],
    [
      'two arrays of HubSpot with the same first event',
      'hubspot',
      '[{"eventId":1},{"eventId":2}]',
      '[{"eventId":1},{"eventId":3}]',
    ],
    ['two events of HubSpot with one id', 'hubspot', '[{"eventId":1,"n":5}]', '[{"eventId":1,"n":6}]'],
    ['two deliveries of WooCommerce within a second', 'woocommerce', '{"id":7}', '{"id":8}'],
  ])('%s', (_, name, one, other) => {
    expect(idOf(name, one)).toBeDefined();
    expect(idOf(name, one)).toBe(idOf(name, one));
    expect(idOf(name, one)).not.toBe(idOf(name, other));
  });

  test('a request of Twilio repeated with its parameters in another order, or of HubSpot with another attempt number', () => {
    expect(idOf('twilio', 'CallSid=CA1&Digits=1')).toBe(idOf('twilio', 'Digits=1&CallSid=CA1'));
    expect(idOf('hubspot', '[{"eventId":1,"attemptNumber":0},{"eventId":2,"attemptNumber":0}]')).toBe(
      idOf('hubspot', '[{"eventId":1,"attemptNumber":4},{"eventId":2,"attemptNumber":4}]'),
    );
  });
});

test('every provider has a vector and is in the catalogue under its name', () => {
  expect(Object.entries(CATALOGUE).map(([name, each]) => [name, each.name])).toEqual(
    PROVIDER_NAMES.map((name) => [name, name]),
  );
  const names = [...PROVIDER_NAMES, 'body', 'standard'];
  expect(names.filter((name) => !vectors.some(({ provider }) => provider === name))).toEqual([]);
  expect(PROVIDER_NAMES.length).toBeGreaterThanOrEqual(25);
});

describe('handshakes', () => {
  const shake = (name: string, body_: object, headers: Record<string, string> = {}) => {
    const vector = vectors.find(({ provider }) => provider === name);
    if (vector === undefined) throw new Error(`no vector of ${name}`);
    const { provider, incoming } = send(
      { ...vector, headers: { ...vector.headers, ...headers } },
      { body: JSON.stringify(body_) },
    );
    return provider.handshake?.(incoming, ['a secret']);
  };

  test('Slack receives its challenge, GitHub a response to its ping, Discord its number', () => {
    const json = { 'content-type': 'application/json' };
    expect(shake('slack', { type: 'url_verification', challenge: 'abc' }, json)).toEqual({
      answer: { challenge: 'abc' },
    });
    expect(shake('slack', { type: 'event_callback' }, json)).toBeUndefined();
    expect(shake('github', { zen: 'Design for failure.' }, { 'x-github-event': 'ping' })).toEqual({
      answer: { received: true },
    });
    expect(shake('discord', { type: 1 })).toEqual({ answer: { type: 1 } });
  });

  // The pair was computed with openssl dgst -sha256 -hmac.
  test('Zoom receives the HMAC of its token', () => {
    const event = { event: 'endpoint.url_validation', payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' } };
    expect(shake('zoom', event)).toEqual({
      answer: {
        plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
        encryptedToken: 'b3e309a26f73dffcbcf8da513fc00197a3137576c3d154a37787273136583b16',
      },
    });
  });

  test('a topic of Amazon SNS is only confirmed at an address of Amazon', async () => {
    const vector = { ...vectors.find(({ provider }) => provider === 'sns'), body: snsConfirmation } as Vector;
    expect(await problemOf(vector, {})).toBe('taken');
    const { provider, incoming } = send(vector);
    expect(provider.handshake?.(incoming, [])?.visit).toMatch(/^https:\/\/sns\.eu-west-1\.amazonaws\.com\//);
    for (const host of [
      'evil.example',
      'sns.eu-west-1.amazonaws.com.evil.example',
      'sns.eu-west-1.amazonaws.com@evil.example',
    ])
      expect(shake('sns', { Type: 'SubscriptionConfirmation', SubscribeURL: `https://${host}/` })).toBeUndefined();
    expect(
      await problemOf(vector, {
        body: snsConfirmation.replace('https://sns.eu-west-1.amazonaws.com/Simple', 'https://evil.example/'),
      }),
    ).toBe('signature_malformed');
  });

  // Other addresses of the host, such as those of its API, answer with texts that a caller has chosen.
  test.each([
    'https://sns.eu-west-1.amazonaws.com/?Action=GetEndpointAttributes&x=/SimpleNotificationService-1.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem?Action=GetEndpointAttributes',
    'https://sns.eu-west-1.amazonaws.com/evil.pem',
    'https://sns.eu-west-1.amazonaws.com/a/SimpleNotificationService-1.pem',
    'https://sns.s3-eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-1.pem',
    'http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
  ])('a certificate of Amazon SNS is not looked for at %s', async (address) => {
    const vector = { ...vectors.find(({ provider }) => provider === 'sns') } as Vector;
    const body = vector.body.replace('https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem', address);
    expect(body).toContain(address);
    expect(await problemOf(vector, { body })).toBe('signature_malformed');
  });

  test.each([
    [
      'a bare key',
      () => new X509Certificate(snsCertificate).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
    ['a certificate within another text', () => `<CustomUserData>${snsCertificate}</CustomUserData>`],
  ])('%s is no certificate of Amazon SNS', async (what, answer) => {
    // Certificates are remembered by their address.
    const address = `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${what.length}f.pem`;
    const vector = { ...vectors.find(({ provider }) => provider === 'sns') } as Vector;
    const body = vector.body.replace('https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem', address);
    expect(await problemOf(vector, { body, certificate: answer() })).toBe('signature_wrong');
    expect(await problemOf(vector, { body })).toBe('taken');
  });
});
