import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Edge, startEdge } from '../support/world/edge.ts';
import { echo, expectRefused, nested, payload } from '../support/check/edge-answers.ts';

let edge: Edge;
beforeAll(async () => {
  // No test here may meet the strangers' limit but the one about it.
  edge = await startEdge({ strangerRequestsPerMinute: 100_000 });
});
afterAll(() => edge.stop());

describe('a body', () => {
  test.each([
    ['nothing at all', '', 'body', /^is required$/],
    ['broken JSON', '{"payload":{}', 'body', /^is not valid JSON/],
    ['a trailing comma', '{"payload":{},}', 'body', /^is not valid JSON \(at position \d+\)$/],
    ['JavaScript', '{payload:NaN}', 'body', /^is not valid JSON/],
    ['two values', '{} {}', 'body', /^is not valid JSON/],
    ['white space', '  ', 'body', /^is not valid JSON/],
    ['null', 'null', 'body', /^must be an object$/],
    ['an array', '[]', 'body', /^must be an object$/],
    ['a text', '"x"', 'body', /^must be an object$/],
    ['a number', '1', 'body', /^must be an object$/],
    ['a missing field', '{}', 'payload', /^is required$/],
    ['a field of another type', payload('[]'), 'payload', /^must be an object$/],
    ['a text too long', '{"payload":{},"name":"abcdef"}', 'name', /^must be at most 5 characters$/],
    ['__proto__', payload('{"__proto__":{"a":1}}'), 'body', /__proto__/],
    ['__proto__ in disguise', payload('{"\\u005f_proto__":{"a":1}}'), 'body', /__proto__/],
    ['constructor.prototype', payload('{"constructor":{"prototype":{"a":1}}}'), 'body', /prototype/],
    ['NUL', payload('{"a":["x","y\\u0000"]}'), 'payload.a[1]', /NUL/],
    ['NUL in a key', payload('{"a":{"\\u0000":1}}'), 'payload.a', /key that contains a NUL/],
    ['NUL in a field nobody knows', '{"payload":{},"other":"\\u0000"}', 'other', /NUL/],
    ['a lone surrogate', payload('{"a":"\\ud800"}'), 'payload.a', /surrogate/],
    ['a lone surrogate in a key', payload('{"\\udfff":1}'), 'payload', /key that contains half of a surrogate/],
    ['1e400', payload('{"n":[1,1e400]}'), 'payload.n[1]', /too large/],
    ['33 levels', payload(nested(33)), `payload${'.a'.repeat(32)}`, /deeper than 32/],
    ['100,000 levels', payload('['.repeat(100_000) + ']'.repeat(100_000)), 'body', /deeper than 32/],
    [
      '10,001 keys',
      payload(JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, 1])))),
      'payload',
      /more than 10000 members/,
    ],
  ])('that is or holds %s is INVALID_REQUEST with its place', async (_, body, field, reason) => {
    await expectRefused(edge, echo(body), { status: 400, code: 'INVALID_REQUEST', field, reason });
  });

  test.each([
    ['an overlong form', [0xc0, 0x80]],
    ['a byte of Latin-1', [0xe9]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['half a character', [0xe2, 0x82]],
  ])('with %s is not valid UTF-8', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"payload":{"a":"'), Buffer.from(bytes), Buffer.from('"}}')]);
    await expectRefused(edge, echo(body), {
      status: 400,
      code: 'INVALID_REQUEST',
      field: 'body',
      reason: /^is not valid UTF-8$/,
    });
  });

  test("a batch's fourth bad message is named by its place", async () => {
    const messages = Array.from({ length: 5 }, (_, index) =>
      index === 3 ? { payload: {} } : { eventType: 'a', payload: {} },
    );
    await expectRefused(
      edge,
      { method: 'POST', path: '/v1/messages/batch', body: { messages } },
      { status: 400, code: 'INVALID_REQUEST', field: 'messages[3].eventType', reason: /^is required$/ },
    );
  });

  test('is refused even where none is wanted, when it is not valid', async () => {
    await expectRefused(
      edge,
      { method: 'POST', path: '/v1/bodyless', body: '{' },
      { status: 400, code: 'INVALID_REQUEST', field: 'body' },
    );
    await expectRefused(
      edge,
      { method: 'GET', path: '/v1/list', body: '{' },
      { status: 400, code: 'INVALID_REQUEST', field: 'body' },
    );
  });

  test.each([
    ['by its length, before it is read', {}],
    ['by what comes, when it is chunked', { 'transfer-encoding': 'chunked' }],
  ])('over the limit is PAYLOAD_TOO_LARGE %s', async (_, headers) => {
    await expectRefused(edge, echo(Buffer.alloc(5 * 1024 * 1024 + 1, ' '), headers), {
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      field: 'body',
      reason: /^must be at most 5242880 bytes$/,
    });
    await expectRefused(
      edge,
      { method: 'PATCH', path: '/v1/control', body: Buffer.alloc(256 * 1024 + 1, ' '), headers },
      { status: 413, code: 'PAYLOAD_TOO_LARGE', field: 'body', reason: /^must be at most 262144 bytes$/ },
    );
  });

  test('may have 256 KiB on a control route', async () => {
    const body = `{"text":"${'x'.repeat(256 * 1024 - 11)}"}`;
    expect((await edge.call({ method: 'PATCH', path: '/v1/control', body })).status).toBe(200);
  });

  test.each(['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x'])(
    'with Content-Encoding %s is refused before it is read',
    async (encoding) => {
      const body = encoding === 'gzip' ? gzipSync(payload('{}')) : Buffer.from([0xff, 0xff]);
      await expectRefused(edge, echo(body, { 'content-encoding': encoding }), {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        field: 'Content-Encoding',
        reason: /identity/,
      });
    },
  );

  test('with a Content-Encoding is refused without waiting for it', async () => {
    const socket = await edge.connect();
    socket.write(
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.key}\r\nContent-Type: application/json\r\nContent-Encoding: br\r\nContent-Length: 1000\r\n\r\n`,
    );
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
    );
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  });

  test.each([
    ['text/plain', /application\/json/],
    ['', /application\/json/],
    ['application/x-www-form-urlencoded', /application\/json/],
    ['application/jsonp', /application\/json/],
    ['application/vnd.api+json', /application\/json/],
    ['application/json; charset=latin1', /utf-8/],
    ['application/json; charset=utf-16', /utf-8/],
    ['application/json; charset=utf-8; charset=latin1', /utf-8/],
  ])('with the content type %j is refused', async (type, reason) => {
    await expectRefused(edge, echo(payload('{}'), { 'content-type': type }), {
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
      field: 'Content-Type',
      reason,
    });
  });

  test('that ends early changes nothing and leaves the service well', async () => {
    const handledBefore = edge.handled();
    const socket = await edge.connect();
    socket.write(
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"payload"`,
    );
    socket.destroy();
    expect((await edge.call({ path: '/v1/list' })).status).toBe(200);
    expect(edge.handled()).toBe(handledBefore + 1);
  });
});

describe('a query', () => {
  test('is read', async () => {
    expect((await edge.call({ path: '/v1/list?limit=7&cursor=a%20b&since=2026-01-31T12:00:00%2B02:00' })).json).toEqual(
      { limit: 7, cursor: 'a b', since: '2026-01-31T10:00:00.000Z' },
    );
    expect((await edge.call({ path: '/v1/list' })).json).toEqual({ limit: 20 });
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=+20', 'limit'],
    ['limit=', 'limit'],
    ['limit=-5', 'limit'],
    ['limit=2.0', 'limit'],
    ['limit=1&limit=1', 'limit'],
    ['status=active&status=paused', 'status'],
    ['status=gone', 'status'],
    ['status=', 'status'],
    ['since=2026-02-30T00:00:00Z', 'since'],
    ['since=1', 'since'],
    ['since=yesterday', 'since'],
    ['since=2026-01-31T12:00:00+02:00', 'since'],
    ['since=', 'since'],
    ['utm=x', 'utm'],
    ['Limit=1', 'Limit'],
    ['limit=0&utm=', 'utm'],
    ['cursor=%00', 'cursor'],
    ['cursor=%', 'cursor'],
    ['cursor=%ff', 'cursor'],
  ])('%s is INVALID_REQUEST with its parameter', async (query, field) => {
    await expectRefused(edge, { path: `/v1/list?${query}` }, { status: 400, code: 'INVALID_REQUEST', field });
  });
});
