/** A request of an unauthenticated caller. */
export type StrangersRequest = {
  method?: string;
  path: string;
  body?: Buffer;
  headers?: Readonly<Record<string, string>>;
};

const bodyOf = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const SMALL = 16 * 1024 - 100;
const CONTROL = 256 * 1024 - 100;
const LONG_HEADER = 15_000;
const repeated = (text: string, times: number): string => Array.from({ length: times }, () => text).join(',');
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const get = (path: string): StrangersRequest => ({ method: 'GET', path });
const header = (name: string, value: string): StrangersRequest => ({
  ...get('/v1/channels'),
  headers: { [name]: value },
});
const form = (text: string): StrangersRequest => ({ path: '/oauth/token', headers: FORM, body: bodyOf(text) });
/** As the dashboard sends it. */
const page = (path: string, body: unknown): StrangersRequest => ({
  path,
  headers: { origin: 'http://localhost:3000' },
  body: bodyOf(body),
});

/**
 * The most expensive bodies, headers and addresses of the allowed size for each route that runs before its caller is authenticated, by
 * what reads them. test/http/hold-up.whole.test.ts sends each one; bench/hold-up.ts sends those of one reader in turn.
 */
export const STRANGERS_REQUESTS = {
  'forms of token requests': {
    'a form of a token with 8,000 fields': form('a&'.repeat(SMALL / 2)),
    'a form of a token of escapes': form(`a=${'%41'.repeat(SMALL / 3 - 1)}`),
    'a token request of empty objects': {
      path: '/oauth/token',
      body: bodyOf(`{"a":[${repeated('{}', SMALL / 3 - 3)}]}`),
    },
    'a token request of scopes': form(`grant_type=client_credentials&scope=${'a+'.repeat(SMALL / 2 - 30)}`),
    'a token request with an assertion of dots': form(
      `grant_type=client_credentials&client_assertion=${'.'.repeat(SMALL - 60)}`,
    ),
  },
  JSON: {
    'a large body at sign-in': page('/v1/sign-in', `{"a":[${repeated('{}', CONTROL / 3 - 3)}]}`),
    'a body of 16 KiB at sign-in': page('/v1/sign-in', `{"a":[${repeated('{}', 5_400)}]}`),
    'a deep body at sign-in': page('/v1/sign-in', `{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}`),
    'an email address of dots': page('/v1/sign-in', {
      email: `${'a.'.repeat(7_000)}@${'a.'.repeat(500)}`,
      password: 'x',
    }),
    'unknown fields at sign-in': page(
      '/v1/sign-in',
      Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`emai${n}`, 1])),
    ),
    'a second factor': page('/v1/sign-in/second-factor', { recoveryCode: '-'.repeat(SMALL - 100) }),
    setup: page('/v1/setup', {
      code: '-'.repeat(3_000),
      email: 'a',
      name: ' '.repeat(6_000),
      password: 'a'.repeat(4_000),
    }),
    'a password reset': page('/v1/password-reset', {
      code: 'c'.repeat(1_000),
      password: '\u0315\u0300'.repeat(3_500),
    }),
    'a look at an invitation': page('/v1/invitations/preview', { code: `${' '.repeat(SMALL - 100)}x` }),
    'an invitation': page('/v1/invitations/accept', { code: 'c', name: '\u202e'.repeat(2_000), password: 'a' }),
    'single sign-on': page('/v1/sign-in/single-sign-on', `{"a":${'['.repeat(60)}${']'.repeat(60)}}`),
  },
  passwords: {
    'passwords to compare': page('/v1/sign-in', { email: 'a@example.com', password: 'p'.repeat(128) }),
    'a password of combining characters': page('/v1/sign-in', {
      email: 'a@example.com',
      password: '\u0315\u0300'.repeat(3_900),
    }),
  },
  passkeys: {
    'a passkey of long texts': page('/v1/sign-in/passkey', {
      passkey: {
        id: 'A'.repeat(4_000),
        clientDataJson: 'A'.repeat(4_000),
        authenticatorData: 'A'.repeat(4_000),
        signature: 'A'.repeat(3_000),
      },
    }),
  },
  'requests of inspectors': {
    'an inspector': { path: `/inspect/ins_${'0'.repeat(26)}`, body: bodyOf('{}'.repeat(CONTROL / 2)) },
  },
  'headers of credentials': {
    'a cookie of names': header('cookie', 'a=;'.repeat(LONG_HEADER / 3)),
    'a cookie of blanks': header('cookie', `a=${' '.repeat(LONG_HEADER)}b`),
    'an Authorization of blanks': header('authorization', `Bearer${' '.repeat(LONG_HEADER)}x`),
    'a long API key': header('authorization', `Bearer pk_${'a'.repeat(LONG_HEADER)}`),
    'Basic credentials': header('authorization', `Basic ${'QTo='.repeat(LONG_HEADER / 4)}`),
  },
  'DPoP proofs': {
    'a DPoP proof of dots': header('dpop', '.'.repeat(LONG_HEADER)),
    'a DPoP token and proof': {
      ...get('/v1/channels'),
      headers: { authorization: `DPoP ${'e.'.repeat(2_000)}`, dpop: `${'e'.repeat(4_000)}.e.e` },
    },
  },
  'other headers': {
    'a tracestate of blanks': header('tracestate', `a${' '.repeat(LONG_HEADER)}b`),
    'a Forwarded-For of commas': header('x-forwarded-for', ','.repeat(LONG_HEADER)),
    'an Origin of dots': header('origin', `http://${'a.'.repeat(LONG_HEADER / 2)}`),
    'a media type of parameters': {
      path: '/v1/sign-in',
      body: bodyOf('{}'),
      headers: { 'content-type': `application/json${';charset=utf-8'.repeat(1_000)}` },
    },
    'an Accept of types': header('accept', 'a/b;q=0.1,'.repeat(LONG_HEADER / 10)),
    'an If-None-Match of tags': {
      ...get('/openapi.json'),
      headers: { 'if-none-match': 'W/"a",'.repeat(LONG_HEADER / 6) },
    },
    'an Idempotency-Key': {
      path: '/v1/channels',
      body: bodyOf('{}'),
      headers: { 'idempotency-key': 'a'.repeat(LONG_HEADER) },
    },
  },
  paths: {
    'a path of slashes': get('/'.repeat(LONG_HEADER)),
    'a path of escapes': get(`/v1/channels/${'%2f'.repeat(4_900)}`),
    'a path of the dashboard': get(`/dashboard/${'../'.repeat(4_900)}`),
  },
  queries: {
    'a query of 2,500 parameters': get(
      `/v1/channels?${Array.from({ length: 2_500 }, (_, n) => `${n.toString(36)}=`).join('&')}`,
    ),
    'a callback of single sign-on': get(`/v1/sign-in/single-sign-on/callback?state=${'%41'.repeat(4_900)}`),
    'a callback of a connection': get(`/oauth/connections/callback?${'a&'.repeat(7_000)}`),
  },
  files: { 'the document of the API': get('/openapi.json') },
} satisfies Record<string, Record<string, StrangersRequest>>;
