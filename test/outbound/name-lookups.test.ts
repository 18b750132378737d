import { lookup } from 'node:dns/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createResolveHost, resolveWithin } from '../../src/outbound/guard/resolve-host.ts';
import { type NameAnswer, startNameServer } from '../support/world/name-server.ts';

const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of cleanUp.splice(0)) await end();
});

const NAME = 'hooks.example.com';

/** Asks a real name server for hooks.example.com, as production does. */
async function resolveWith(answers: { A: NameAnswer; AAAA: NameAnswer }, limitMs = 4_900) {
  const { server, questions, stop } = await startNameServer((_name, type) => answers[type]);
  cleanUp.push(stop);
  const resolve = createResolveHost(() => true, { servers: [server] });
  return { questions, addresses: await resolveWithin(resolve, NAME, limitMs).catch((error: unknown) => error) };
}

describe('a name has', () => {
  test.each<[string, NameAnswer, NameAnswer, string[]]>([
    [
      'all its addresses, IPv4 first',
      ['8.8.8.8', '8.8.4.4'],
      ['2001:4860:4860::8888'],
      ['8.8.8.8', '8.8.4.4', '2001:4860:4860::8888'],
    ],
    ['those of one family when the other has none', ['8.8.8.8'], [], ['8.8.8.8']],
    ['those of IPv6 alone', [], ['2001:4860:4860::8888'], ['2001:4860:4860::8888']],
    [
      'those of one family when the other question fails',
      'SERVFAIL',
      ['2001:4860:4860::8888'],
      ['2001:4860:4860::8888'],
    ],
    [
      'the private ones too, for the guard to refuse',
      ['127.0.0.1'],
      ['::ffff:10.0.0.1'],
      ['127.0.0.1', '::ffff:10.0.0.1'],
    ],
  ])('%s', async (_what, A, AAAA, expected) => {
    const { addresses, questions } = await resolveWith({ A, AAAA });
    expect(addresses).toEqual(expected);
    // The name as it is: no search domain is tried.
    expect(new Set(questions)).toEqual(new Set([`A ${NAME}`, `AAAA ${NAME}`]));
  });
});

describe('a name without an address is a dns failure', () => {
  test.each<[string, NameAnswer, string]>([
    ['it does not exist', 'NXDOMAIN', 'the host name does not exist'],
    ['it has no record', [], 'the host name has no address'],
    ['its server fails', 'SERVFAIL', 'the host name could not be resolved'],
  ])('%s', async (_what, answer, message) => {
    const { addresses } = await resolveWith({ A: answer, AAAA: answer });
    expect(addresses).toMatchObject({ class: 'dns', message });
  });

  test('its server is silent, for no longer than allowed', async () => {
    const { addresses } = await resolveWith({ A: 'silence', AAAA: 'silence' }, 200);
    expect(addresses).toMatchObject({ class: 'dns', message: 'the host name could not be resolved within 200 ms' });
  });
});

test('silent name servers of many domains hold up nobody else’s lookups', async () => {
  const { server, stop } = await startNameServer(() => 'silence');
  cleanUp.push(stop);
  const resolve = createResolveHost(() => true, { servers: [server] });
  // More than the four threads that dns.lookup and all file access share.
  const silent = Array.from({ length: 12 }, (_, index) =>
    resolveWithin(resolve, `d${index}.example.com`, 4_000).catch(() => 'silent'),
  );
  expect(await Promise.race([lookup('localhost').then(() => 'found'), ...silent])).toBe('found');
  await Promise.all(silent);
});
