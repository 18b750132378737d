import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Edge, startEdge } from '../support/world/edge.ts';
import { readRaw } from '../support/check/edge-answers.ts';

/**
 * The Host of a request (RFC 9112 §3.2). Old mechanism: only a missing one was looked for, and Node takes the first of several
 * for the request's, so two Hosts and an empty one were answered 200.
 */
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.stop());

const get = (path: string, version: string, hosts: readonly string[]) => {
  const lines = hosts.map((host) => `${host}\r\n`).join('');
  const credentials = `Authorization: Bearer ${edge.key}\r\nConnection: close\r\n`;
  return edge.raw(`GET ${path} HTTP/${version}\r\n${lines}${credentials}\r\n`).then(readRaw);
};

const refusedFor = (reason: string) => ({
  status: 400,
  body: { error: { code: 'INVALID_REQUEST', message: `Host: ${reason}`, details: { field: 'Host', reason } } },
});

const TWICE = 'is given more than once';
const MALFORMED = 'must be a host name or an address, with a port or without';

describe('a request is refused', () => {
  test.each<[string, string[], string]>([
    ['two Hosts', ['Host: a.example', 'Host: b.example'], TWICE],
    ['the same Host twice', ['Host: a.example', 'Host: a.example'], TWICE],
    ['two in two cases', ['host: a.example', 'HOST: b.example'], TWICE],
    ['three, two of them empty', ['Host:', 'Host: a.example', 'Host:'], TWICE],
    ['an empty one', ['Host:'], MALFORMED],
    ['only white space', ['Host:   '], MALFORMED],
    ['a port alone', ['Host: :3000'], MALFORMED],
    ['a URL', ['Host: http://a.example'], MALFORMED],
    ['a path', ['Host: a.example/x'], MALFORMED],
    ['a query', ['Host: a.example?x'], MALFORMED],
    ['user and host', ['Host: user@a.example'], MALFORMED],
    ['two names with a space', ['Host: a.example b.example'], MALFORMED],
    ['two names with a comma and a space', ['Host: a.example, b.example'], MALFORMED],
    ['a port that is no number', ['Host: a.example:http'], MALFORMED],
    ['a port beyond 65535', ['Host: a.example:65536'], MALFORMED],
    ['two ports', ['Host: a.example:80:80'], MALFORMED],
    ['an IPv6 address without brackets', ['Host: ::1'], MALFORMED],
    ['a bracket that is not closed', ['Host: [::1'], MALFORMED],
    ['half a percent-escape', ['Host: a%2.example'], MALFORMED],
    ['a letter beyond ASCII', ['Host: b\u00fccher.example'], MALFORMED],
  ])('for %s, on the API and on its health', async (_what, hosts, reason) => {
    const handled = edge.handled();
    const answer = await get('/v1/list', '1.1', hosts);
    expect(answer).toMatchObject(refusedFor(reason));
    expect(answer.headers['x-ratelimit-limit']).toMatch(/^\d+$/);
    expect(edge.handled()).toBe(handled);
    expect(await get('/healthz', '1.1', hosts)).toMatchObject(refusedFor(reason));
  });

  test('for none in HTTP/1.1, and for two in HTTP/1.0', async () => {
    expect(await get('/v1/list', '1.1', [])).toMatchObject(refusedFor('is required'));
    expect(await get('/readyz', '1.1', [])).toMatchObject(refusedFor('is required'));
    expect(await get('/v1/list', '1.0', ['Host: a', 'Host: b'])).toMatchObject(refusedFor(TWICE));
  });
});

describe('a request is answered', () => {
  test.each([
    'a.example',
    'A.EXAMPLE:3000',
    'a.example.',
    'a_b',
    'localhost:',
    '127.0.0.1:3000',
    '[::1]:3000',
    '[::ffff:127.0.0.1]',
    'xn--bcher-kva.example',
    'b%C3%BCcher.example',
  ])('for the Host %s', async (host) => {
    expect(await get('/v1/list', '1.1', [`Host: ${host}`])).toMatchObject({ status: 200 });
    expect(await get('/healthz', '1.1', [`Host: ${host}`])).toMatchObject({ status: 200 });
  });

  test('for none in HTTP/1.0', async () => {
    expect(await get('/v1/list', '1.0', [])).toMatchObject({ status: 200 });
  });
});
