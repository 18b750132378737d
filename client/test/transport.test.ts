import { describe, expect, test } from '@jest/globals';
import { AnswerError, ApiError, ConnectionError, isApiError, TimeoutError } from '../src/errors.ts';
import { Posthorn } from '../src/posthorn.ts';
import { rawJson } from '../src/raw-json.ts';
import { breakOff, hang, json, refuse, scriptFetch } from './scripted-fetch.ts';

const baseUrl = 'https://posthorn.example.com/';
const channel = { id: 'chn_1', name: 'orders' };
const clientOf = (script: ReturnType<typeof scriptFetch>, more: object = {}) =>
  new Posthorn({ baseUrl, credentials: { apiKey: 'svc_test_x' }, fetch: script.fetch, ...more });

describe('a request', () => {
  test('has its path, query, body and key in the right places', async () => {
    const script = scriptFetch(json(202, { id: 'msg_1' }), json(200, { data: [], pagination: { hasMore: false } }));
    const posthorn = clientOf(script);
    await posthorn.messages.publish('chn_1', { eventType: 'a', payload: {} }, { headers: { traceparent: '00-1' } });
    await posthorn.messages.list('chn/1', { since: new Date(0), limit: 5, eventType: undefined }).page();
    const [publish, list] = script.sent;
    expect(publish).toMatchObject({ method: 'POST', url: 'https://posthorn.example.com/v1/channels/chn_1/messages' });
    expect(publish?.body).toBe('{"eventType":"a","payload":{}}');
    expect(Object.fromEntries(publish?.headers ?? [])).toMatchObject({
      authorization: 'Bearer svc_test_x',
      'content-type': 'application/json',
      traceparent: '00-1',
      'idempotency-key': expect.stringMatching(/^[\w-]{22}$/),
    });
    expect(list?.url).toBe(
      'https://posthorn.example.com/v1/channels/chn%2F1/messages?since=1970-01-01T00%3A00%3A00.000Z&limit=5',
    );
    expect(list?.headers.has('idempotency-key')).toBe(false);
    expect(list?.body).toBeUndefined();
  });

  test.each([undefined, '', '.', '..', 7])('with the id %j is refused before it could reach another endpoint', (id) => {
    const script = scriptFetch(json(200, channel));
    // `as`: JavaScript lets anything through.
    expect(() => clientOf(script).channels.delete(id as string)).toThrow(TypeError);
    expect(script.sent).toEqual([]);
  });

  test('is sent with digits as they are written', async () => {
    const script = scriptFetch(json(202, {}));
    await clientOf(script).messages.publish('chn_1', '{"eventType":"a","payload":{"n":12.50}}');
    await clientOf(script).messages.publish('chn_1', { eventType: 'a', payload: { n: rawJson('12.50'), s: '$1 "x"' } });
    expect(script.sent.map(({ body }) => body)).toEqual([
      '{"eventType":"a","payload":{"n":12.50}}',
      '{"eventType":"a","payload":{"n":12.50,"s":"$1 \\"x\\""}}',
    ]);
    expect(() => rawJson('12.')).toThrow(SyntaxError);
  });

  test('names the place of a session, its own over that of the client, and sends cookies', async () => {
    let credentials: string | undefined;
    const script = scriptFetch(json(200, channel));
    const posthorn = new Posthorn({
      baseUrl,
      credentials: { session: { appId: 'app_1', environment: 'test' } },
      fetch: (input, init) => {
        credentials = init?.credentials;
        return script.fetch(input, init);
      },
    });
    await posthorn.channels.get('chn_1', { place: { environment: 'live' } });
    expect(credentials).toBe('include');
    expect(Object.fromEntries(script.sent[0]?.headers ?? [])).toEqual({
      accept: 'application/json',
      'posthorn-app': 'app_1',
      'posthorn-environment': 'live',
    });
  });

  test('gives its answer with the text, which JSON.parse reads otherwise', async () => {
    const script = scriptFetch(
      () =>
        new Response('{"payload":{"n":12.50}}', {
          headers: { 'x-request-id': 'req_1', 'idempotent-replayed': 'true' },
        }),
    );
    const answer = await clientOf(script).messages.get('msg_1').withAnswer();
    expect(answer).toMatchObject({
      text: '{"payload":{"n":12.50}}',
      status: 200,
      requestId: 'req_1',
      isReplayed: true,
    });
    expect(answer.data.payload).toEqual({ n: 12.5 });
  });
});

describe('a refusal', () => {
  test('is thrown with its code, field, delay and request id', async () => {
    const details = { field: 'name', reason: 'is required' };
    const script = scriptFetch(refuse(400, 'INVALID_REQUEST', { details, 'x-request-id': 'req_2' }));
    const failure = await clientOf(script)
      .channels.create({ name: '' })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: 'INVALID_REQUEST', status: 400, details, requestId: 'req_2', message: 'no' });
    expect([isApiError(failure), isApiError(failure, 'INVALID_REQUEST'), isApiError(failure, 'NOT_FOUND')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(script.sent).toHaveLength(1);
  });

  test.each([
    ['a page', () => new Response('<html>', { status: 404 })],
    ['an unknown code', json(404, { error: { code: 'TEAPOT', message: 'x' } })],
    ['a good answer that is no JSON', () => new Response('<html>', { status: 200 })],
  ])('by something that is not the service is told apart: %s', async (_, step) => {
    await expect(clientOf(scriptFetch(step)).channels.get('chn_1')).rejects.toBeInstanceOf(AnswerError);
  });
});

describe('retries', () => {
  test('send the same POST under the same key until it is answered', async () => {
    const script = scriptFetch(
      breakOff,
      refuse(503, 'UNAVAILABLE'),
      refuse(409, 'CONFLICT', { 'retry-after': '0' }),
      json(202, { id: 'msg_1' }),
    );
    expect(await clientOf(script).messages.publish('chn_1', { eventType: 'a', payload: {} })).toEqual({ id: 'msg_1' });
    expect(script.sent).toHaveLength(4);
    expect(new Set(script.sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(new Set(script.sent.map(({ body }) => body)).size).toBe(1);
  }, 20_000);

  test('are not made for a change without a key, whose answer was lost', async () => {
    const script = scriptFetch(breakOff);
    await expect(clientOf(script).channels.update('chn_1', { name: 'x' })).rejects.toBeInstanceOf(ConnectionError);
    expect(script.sent).toHaveLength(1);
  });

  test('end after their number, with the last failure', async () => {
    const script = scriptFetch(refuse(503, 'UNAVAILABLE'));
    const call = clientOf(script, { retries: { max: 1 } }).channels.get('chn_1');
    await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(script.sent).toHaveLength(2);
  });

  test('are not begun behind their time: a long delay is thrown at once', async () => {
    const script = scriptFetch(refuse(429, 'RATE_LIMITED', { 'retry-after': '61' }));
    await expect(clientOf(script).channels.get('chn_1')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfter: 61,
    });
    expect(script.sent).toHaveLength(1);
  });

  test('end with the signal, whose reason is thrown', async () => {
    const stopping = new AbortController();
    const script = scriptFetch((sent, signal) => {
      setImmediate(() => stopping.abort(new Error('enough')));
      return hang(sent, signal);
    });
    await expect(clientOf(script).channels.get('chn_1', { signal: stopping.signal })).rejects.toThrow('enough');
    await expect(clientOf(script).channels.get('chn_1', { signal: stopping.signal })).rejects.toThrow('enough');
    expect(script.sent).toHaveLength(1);
  });

  test('a try that takes too long is ended, and told apart', async () => {
    const script = scriptFetch(hang);
    const posthorn = clientOf(script, { timeoutMs: 20, retries: { max: 0 } });
    await expect(posthorn.channels.get('chn_1')).rejects.toBeInstanceOf(TimeoutError);
  });

  test('are made for a token on its own: a call whose exchange fails is not made at all', async () => {
    const script = scriptFetch(refuse(503, 'UNAVAILABLE'));
    const credentials = { clientId: 'oac_1', clientSecret: 'ocs_1' };
    const call = clientOf(script, { credentials, retries: { max: 1 } }).channels.get('chn_1');
    await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(script.sent.map(({ url }) => new URL(url).pathname)).toEqual(['/oauth/token', '/oauth/token']);
    expect(new Set(script.sent.map(({ headers }) => headers.get('dpop'))).size).toBe(2);
  });

  test('are not made for a header that cannot be sent', async () => {
    const script = scriptFetch(json(200, channel));
    const call = clientOf(script).channels.get('chn_1', { headers: { 'x-name': 'line\nfeed' } });
    await expect(call).rejects.toMatchObject({ name: 'TypeError' });
    expect(script.sent).toEqual([]);
  });
});

describe('a list', () => {
  const pageOf = (data: number[], cursor?: string) =>
    json(200, { data, pagination: { hasMore: cursor !== undefined, ...(cursor && { cursor }) } });

  test('is read item by item, and asks for a page when it is needed', async () => {
    const script = scriptFetch(pageOf([1, 2], 'c1'), pageOf([], 'c2'), pageOf([3]));
    const seen: unknown[] = [];
    for await (const item of clientOf(script).channels.list({ status: 'active' })) {
      seen.push([item, script.sent.length]);
    }
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [3, 3],
    ]);
    expect(script.sent.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=100&status=active',
      '?limit=100&status=active&cursor=c1',
      '?limit=100&status=active&cursor=c2',
    ]);
  });

  test('is read page by page, from any cursor', async () => {
    const script = scriptFetch(pageOf([1], 'c1'), pageOf([2]));
    const pages = [];
    for await (const page of clientOf(script).channels.list({ cursor: 'c0' }).pages()) pages.push(page.data);
    expect(pages).toEqual([[1], [2]]);
    expect(script.sent.map(({ url }) => new URL(url).search)).toEqual(['?cursor=c0', '?cursor=c1']);
  });

  test('asks for nothing before it is read', () => {
    const script = scriptFetch(pageOf([]));
    clientOf(script).channels.list();
    expect(script.sent).toEqual([]);
  });
});

test('options that can be of no use are refused at once', () => {
  const of = (options: object) => () => new Posthorn({ baseUrl, ...options });
  expect(of({ baseUrl: 'posthorn' })).toThrow('Invalid URL');
  expect(of({ baseUrl: 'ftp://posthorn' })).toThrow('baseUrl');
  for (const each of [
    'https://user@posthorn.example.com',
    'https://posthorn.example.com/?x=1',
    'https://posthorn.example.com/#x',
  ])
    expect(of({ baseUrl: each })).toThrow('must not have a user');
  expect(() => new Posthorn({ baseUrl }).request({ method: 'GET', path: '@example.com/' })).toThrow('a slash');
  expect(of({ credentials: { apiKey: undefined } })).toThrow('credentials.apiKey');
  expect(of({ credentials: { clientId: 'oac_1', clientSecret: '' } })).toThrow('credentials.clientSecret');
});

test.each([
  ['apiKey', (value: string) => ({ apiKey: value })],
  ['clientId', (value: string) => ({ clientId: value, clientSecret: 'ocs_1' })],
  ['clientSecret', (value: string) => ({ clientId: 'oac_1', clientSecret: value })],
])('%s with a character that no header has is refused when the client is made, and not repeated', (name, of) => {
  for (const end of ['\n', '\r\nx: y', ' ', '\0', 'ä', '…']) {
    const make = () => new Posthorn({ baseUrl, credentials: of(`secret${end}`) });
    expect(make).toThrow(
      new TypeError(`credentials.${name} must only have visible ASCII characters, without spaces and line breaks`),
    );
  }
});

test.each([
  ['retries', [0, 3, null, true, [], { maximum: 1 }, { max: -1 }, { max: '1' }, { withinMs: Number.NaN }]],
  ['timeoutMs', [0, -1, Number.NaN, '1000', null, 2 ** 31]],
])('%s of another form are refused by the client and by each call', (name, values) => {
  const script = scriptFetch(json(200, channel));
  for (const value of values) {
    // `as`: JavaScript lets anything through.
    const options = { [name]: value } as object;
    expect(() => clientOf(script, options)).toThrow(TypeError);
    expect(() => clientOf(script, options)).toThrow(name);
    expect(() => clientOf(script).channels.get('chn_1', options)).toThrow(name);
    expect(() => clientOf(script).messages.stream('chn_1', {}, options)).toThrow(name);
    expect(() => clientOf(script).request({ method: 'GET', path: '/v1/channels' }, options)).toThrow(name);
  }
  expect(script.sent).toEqual([]);
});

test('retries and times of their form are taken, also without an end', async () => {
  const endless = { timeoutMs: Number.POSITIVE_INFINITY, retries: { max: Number.POSITIVE_INFINITY, withinMs: 0 } };
  const script = scriptFetch(json(200, channel));
  expect(await clientOf(script, endless).channels.get('chn_1', { timeoutMs: 2 ** 31 - 1, retries: {} })).toEqual(
    channel,
  );
});
