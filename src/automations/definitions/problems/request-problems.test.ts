import { expect, test } from '@jest/globals';
import { planOf } from '../plan/compile.ts';
import { requestProblems } from './request-problems.ts';

const problemsOf = (config: object): readonly { field: string; reason: string }[] => {
  const [step] = planOf(undefined, [
    { id: 'a', type: 'action', config: { action: 'http', url: 'https://a.example/', ...config } },
  ]).steps;
  if (step === undefined) throw new Error('no step');
  const urlProblem = (url: string): string | undefined => (url.includes('//10.') ? 'must not be private' : undefined);
  return requestProblems(step, 'at', { urlProblem });
};

const credentials = [
  ['auth', { auth: { type: 'bearer', token: 'x' } }],
  ['Authorization', { headers: { Authorization: 'x' } }],
  ['a secret in a header', { headers: { 'X-Key': 'key {{ secrets.KEY }}' } }],
  ['a secret in a parameter', { query: { key: ['{{ secrets.KEY }}'] } }],
] as const;

test.each(credentials)('a request with %s must have a literal origin', (_, config) => {
  for (const url of ['{{ event.payload.url }}', 'https://{{ event.payload.host }}/x', 'https://a.example{{ item }}'])
    expect(problemsOf({ ...config, url })).toEqual([
      { field: 'at.url', reason: expect.stringMatching(/^must have a literal scheme, host and port/) },
    ]);
  expect(problemsOf({ ...config, url: 'https://a.example/orders/{{ item }}' })).toEqual([]);
});

test('any other request can take its address from the message', () => {
  expect(problemsOf({ url: '{{ event.payload.url }}', headers: { 'X-Note': '{{ item }}' } })).toEqual([]);
});

test('a literal origin is checked, whatever its path has', () => {
  const refused = [{ field: 'at.url', reason: 'must not be private' }];
  expect(problemsOf({ url: 'http://10.0.0.1/' })).toEqual(refused);
  expect(problemsOf({ url: 'http://10.0.0.1/{{ item }}' })).toEqual(refused);
});

test.each([
  'Host',
  'content-length',
  'Transfer-Encoding',
  'Connection',
  'Keep-Alive',
  'TE',
  'Trailer',
  'Upgrade',
  'Expect',
  'Accept-Encoding',
  'User-Agent',
  'Proxy-Connection',
])('the header %s, which is never sent, is refused', (name) => {
  expect(problemsOf({ headers: { [name]: 'x' } })).toEqual([
    {
      field: name.includes('-') ? `at.headers["${name}"]` : `at.headers.${name}`,
      reason: 'must not be set, because the service or the protocol sets it',
    },
  ]);
});

test.each([
  [{ 'X Note': 'x' }, 'at.headers["X Note"]', 'must be a valid header name'],
  [{ '': 'x' }, 'at.headers[""]', 'must be a valid header name'],
  [
    { note: 'a\r\nb: c' },
    'at.headers.note',
    'must not contain a line break or another character that is invalid in a header',
  ],
  [{ note: 'Ω' }, 'at.headers.note', 'must not contain a line break or another character that is invalid in a header'],
  [{ note: 'a', Note: 'b' }, 'at.headers.Note', 'must not occur twice'],
])('headers that cannot be sent are refused: %j', (headers, field, reason) => {
  expect(problemsOf({ headers })).toEqual([{ field, reason }]);
});

test('a token that cannot be sent in a header is refused', () => {
  const reason = 'must not contain a line break or another character that is invalid in a header';
  const bearer = (token: unknown) => problemsOf({ auth: { type: 'bearer', token } });
  expect(bearer('a\nb')).toEqual([{ field: 'at.auth.token', reason }]);
  expect(bearer('🤷')).toEqual([{ field: 'at.auth.token', reason }]);
  expect([...bearer('abc'), ...bearer('{{ event.payload.token }}'), ...bearer(7)]).toEqual([]);
  // These are sent in base64.
  expect(problemsOf({ auth: { type: 'basic', username: 'a\nb', password: '🤷' } })).toEqual([]);
});

test('accepts all others', () => {
  expect(
    problemsOf({ headers: { 'Content-Type': 'text/xml', Accept: '*/*', 'X-Note': 'Zoë\t{{ item }}', empty: '' } }),
  ).toEqual([]);
});
