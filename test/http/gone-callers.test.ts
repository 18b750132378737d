import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Context } from '../../src/http/route/context.ts';
import { rawBytes } from '../../src/http/reading/raw-bytes.ts';

const requests: IncomingMessage[] = [];
const server = createServer((request) => void requests.push(request));
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

// Old: a request that had waited for its key while PostgreSQL was busy, and whose caller hung up meanwhile, was a 500 and an error in
// the log.
test('a caller who hangs up before the body was looked at is told that it ended, which is no fault of the service', async () => {
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  const caller = connect(port, '127.0.0.1');
  const head = ['POST / HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Content-Length: 20'];
  caller.write(`${head.join('\r\n')}\r\n\r\n{"half"`);
  await once(server, 'request');
  const [request] = requests;
  if (request === undefined) throw new Error('the server has no request');
  const closed = new Promise((resolve) => request.once('error', () => undefined).once('close', resolve));
  caller.destroy();
  await closed;
  // `as`: rawBytes looks at these two alone.
  const context = { req: request, state: { route: { consumes: 'json' } } } as unknown as Context;
  await expect(rawBytes(context, () => Promise.resolve())).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    details: { field: 'body', reason: 'ended before it was complete' },
  });
});
