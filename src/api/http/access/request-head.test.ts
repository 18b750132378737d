import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { clientAddress } from './request-head.ts';

// As much of a request as clientAddress looks at.
const request = (forwarded: string | undefined): IncomingMessage =>
  ({
    socket: { remoteAddress: '10.0.0.1' },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test.each([
  ['an IPv4 address inside an IPv6 one, from the socket', 0, undefined, '::ffff:127.0.0.1', '127.0.0.1'],
  ['the same from a proxy', 1, '::FFFF:203.0.113.7', '10.0.0.1', '203.0.113.7'],
  ['an IPv6 address', 1, '2001:db8::ffff:1', '10.0.0.1', '2001:db8::ffff:1'],
])('%s is shown as it is written', (_, hops, forwarded, remoteAddress, address) => {
  const { headers } = request(forwarded);
  expect(clientAddress({ headers, socket: { remoteAddress } } as IncomingMessage, hops)).toBe(address);
});

test.each([
  ['no proxy is trusted by default', 0, '203.0.113.7', '10.0.0.1'],
  ['one proxy: the last entry', 1, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['two proxies: the last but one', 2, 'spoofed, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
  ['fewer entries than proxies: the first one there is', 3, '203.0.113.7', '203.0.113.7'],
  ['no header', 1, undefined, '10.0.0.1'],
  ['an entry that is no address', 1, 'unknown', '10.0.0.1'],
])('%s', (_, hops, forwarded, address) => {
  expect(clientAddress(request(forwarded), hops)).toBe(address);
});
