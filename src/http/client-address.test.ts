import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { clientAddress } from './client-address.ts';

// As much of a request as clientAddress looks at.
const request = (forwarded: string | undefined): IncomingMessage =>
  ({
    socket: { remoteAddress: '10.0.0.1' },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

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
