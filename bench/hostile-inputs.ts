/** Things of the service that inputs need: made once by their author. */
export type Prepared = { key: string; channelId: string; webhookId: string; mailgunId: string };

/** A request as its sender makes it again and again. */
export type HostileRequest = { method: string; path: string; headers: Record<string, string>; body?: string };

/** `atOnce`: how many are in flight all the time. */
export type HostileInput = {
  name: string;
  who: 'nobody' | 'a publishing key' | 'an author' | 'a reading key';
  atOnce: number;
  of: (prepared: Prepared) => HostileRequest;
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const MEBIBYTE = 1_048_576;
const repeated = (text: string, times: number): string => Array.from({ length: times }, () => text).join(',');
const from = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => of(n)).join(',');

const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE): HostileRequest => ({
  method: 'POST',
  path,
  headers,
  body,
});
const get = (path: string, headers: Record<string, string> = {}): HostileRequest => ({ method: 'GET', path, headers });
const keyed = ({ key }: Prepared, request: HostileRequest): HostileRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${key}` },
});
const batch = (body: string) => (prepared: Prepared) =>
  keyed(prepared, post(`/v1/channels/${prepared.channelId}/messages/batch`, body));
const validate = (definition: string) => (prepared: Prepared) =>
  keyed(prepared, post('/v1/workflows/validate', definition));
const workflow = (steps: string, trigger = '{"type":"manual"}'): string =>
  `{"name":"w","trigger":${trigger},"steps":[${steps}]}`;

const EMPTY = `{"messages":[${repeated('{}', 1_700_000)}]}`;
const ARRAYS = `{"messages":[${repeated(`{"eventType":"a","payload":{"a":[${repeated('[]', 17_000)}]}}`, 100)}]}`;
const LARGE = `{"messages":[{"eventType":"a","payload":{"a":[${repeated('{"a":1}', 600_000)}]}}]}`;
const POINTS = `{"messages":[${repeated(`{"eventType":"a","payload":{"a":[${repeated('[13.4,52.5]', 20_000)}]}}`, 20)}]}`;
const SWITCHES = workflow(
  from(
    100,
    (n) =>
      `{"id":"s${n}","type":"switch","config":{"cases":[${from(25, (c) => `{"condition":"payload.a == ${c}","next":"nowhere_${n}_${c}"}`)}]}}`,
  ),
);
const UNKNOWN_STEPS = workflow(
  from(258, (n) => `{"id":"s${n}","type":"transform","config":{"output":"{{steps.unknown${n}.output.a}}"}}`),
);
const ERROR_NAMES = workflow(
  `{"id":"a","type":"http","config":{"url":"https://example.com","retry":{"on":[${from(17_000, (n) => `"ERR${n}"`)}]}}}`,
);
const COMPREHENSIONS = workflow(
  `{"id":"a","type":"condition","config":{"expression":"${'(payload.a.exists(x, x in payload.b)) || '.repeat(40)}true"}}`,
);
const BARE = workflow(
  from(
    20,
    (n) => `{"id":"c${n}","type":"condition","config":{"expression":"${'payload.a == 1 || '.repeat(105)}true"}}`,
  ),
);
const REFERENCES = workflow(
  `{"id":"a","type":"transform","config":{"output":[${repeated('"{{event.payload}}"', 800)}]}}`,
);
const CRON = `${repeated('0-59', 3_000)} * * * *`;

/**
 * The worst requests that were found, each of the allowed size: by nobody, by keys, and by authors. One that needs a receiver, a run or
 * a signature is not here; tests in `test/automations` have those.
 */
export const HOSTILE_INPUTS: readonly HostileInput[] = [
  {
    name: 'a form of 20,000 equal fields',
    who: 'nobody',
    atOnce: 1,
    of: ({ webhookId }) => post(`/v1/webhooks/${webhookId}`, 'a&'.repeat(20_000), FORM),
  },
  {
    name: 'a form of 1 MiB of equal fields',
    who: 'nobody',
    atOnce: 10,
    of: ({ mailgunId }) => post(`/v1/webhooks/${mailgunId}`, 'a&'.repeat(MEBIBYTE / 2), FORM),
  },
  {
    name: 'unsigned JSON of 1 MiB of {}',
    who: 'nobody',
    atOnce: 30,
    of: ({ webhookId }) => post(`/v1/webhooks/${webhookId}`, `[${repeated('{}', 349_000)}]`),
  },
  {
    name: 'a form of 250,000 fields',
    who: 'nobody',
    atOnce: 10,
    of: ({ mailgunId }) =>
      post(
        `/v1/webhooks/${mailgunId}`,
        from(180_000, (n) => `${n.toString(36)}=`)
          .replaceAll(',', '&')
          .slice(0, MEBIBYTE),
        FORM,
      ),
  },
  {
    name: 'a sign-in of objects',
    who: 'nobody',
    atOnce: 20,
    of: () => post('/v1/sign-in', `{"a":[${repeated('{}', 5_400)}]}`),
  },
  {
    name: 'a sign-in with a long password',
    who: 'nobody',
    atOnce: 20,
    of: () => post('/v1/sign-in', JSON.stringify({ email: 'a@example.com', password: 'p'.repeat(1_000) })),
  },
  {
    name: 'a token request of fields',
    who: 'nobody',
    atOnce: 20,
    of: () => post('/oauth/token', 'a&'.repeat(8_000), FORM),
  },
  {
    name: 'an API key of blanks',
    who: 'nobody',
    atOnce: 20,
    of: () => get('/v1/channels', { authorization: `Bearer${' '.repeat(15_000)}x` }),
  },
  { name: 'the document of the API', who: 'nobody', atOnce: 20, of: () => get('/openapi.json') },
  { name: '1.7 million messages', who: 'a publishing key', atOnce: 1, of: batch(EMPTY) },
  { name: '1.7 million messages, 20 at once', who: 'a publishing key', atOnce: 20, of: batch(EMPTY) },
  { name: '100 messages of 17,000 arrays', who: 'a publishing key', atOnce: 4, of: batch(ARRAYS) },
  { name: 'a payload of 5 MiB', who: 'a publishing key', atOnce: 4, of: batch(LARGE) },
  { name: 'valid batches of 5 MiB', who: 'a publishing key', atOnce: 2, of: batch(POINTS) },
  {
    name: 'a tracestate of blanks',
    who: 'a publishing key',
    atOnce: 4,
    of: (p) =>
      keyed(
        p,
        post(`/v1/channels/${p.channelId}/messages`, '{"eventType":"a","payload":{}}', {
          ...JSON_TYPE,
          traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
          tracestate: `a${' '.repeat(15_000)}b`,
        }),
      ),
  },
  {
    name: 'a search 29 names deep',
    who: 'a reading key',
    atOnce: 2,
    of: (p) => keyed(p, get(`/v1/search?q=${encodeURIComponent(`payload${'.a'.repeat(29)}=deep`)}`)),
  },
  { name: '100 switches with 2,500 dangling ways', who: 'an author', atOnce: 1, of: validate(SWITCHES) },
  { name: '258 templates of unknown steps', who: 'an author', atOnce: 1, of: validate(UNKNOWN_STEPS) },
  { name: '17,000 unknown error names', who: 'an author', atOnce: 1, of: validate(ERROR_NAMES) },
  { name: 'nested comprehensions', who: 'an author', atOnce: 1, of: validate(COMPREHENSIONS) },
  { name: 'conditions of 2,000 characters', who: 'an author', atOnce: 1, of: validate(BARE) },
  { name: '800 references to the payload', who: 'an author', atOnce: 1, of: validate(REFERENCES) },
  {
    name: 'a cron of 3,000 items',
    who: 'an author',
    atOnce: 4,
    of: validate(workflow('{"id":"a","type":"action"}', `{"type":"schedule","config":{"cron":"${CRON}"}}`)),
  },
];
