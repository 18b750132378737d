import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { waitFor } from '../support/check/wait-for.ts';

const authority = makeCertificate(['127.0.0.1']);
const SUBSCRIPTIONS = 50;
const AT_A_TIME = 2;
const MESSAGES = 20;
// A connection that is idle for 4 s is closed. A fan-out that a starved machine drags out so long opens it again, the next one does not.
const FAN_OUTS_AT_MOST = 10;

let posthorn: TestPosthorn;
beforeAll(async () => {
  // Everything goes through the drain, which keeps as many requests in flight as it may.
  posthorn = await startPosthorn({
    variables: { DELIVERY_BURST_THRESHOLD: '0' },
    trustedCertificates: [authority.cert],
  });
});
afterAll(() => posthorn.stop());

/** A host that counts the connections that were ready for a request: with TLS, the handshakes. */
async function startHost(
  create: (answer: RequestListener) => { server: Server; scheme: string; ready: 'connection' | 'secureConnection' },
) {
  const counts = { arrived: 0, opened: 0, open: 0, mostOpen: 0 };
  const { server, scheme, ready } = create((request, response) => {
    request.resume().once('end', () => {
      counts.arrived += 1;
      response.end('ok');
    });
  });
  // Longer than the sender keeps a connection: it is the sender that closes.
  server.keepAliveTimeout = 60_000;
  server.on(ready, (socket: Socket) => {
    counts.opened += 1;
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
    socket.once('close', () => {
      counts.open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    counts,
    url: `${scheme}://127.0.0.1:${port}/`,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each<[string, Parameters<typeof startHost>[0]]>([
  ['plain', (answer) => ({ server: createServer(answer), scheme: 'http', ready: 'connection' })],
  ['TLS', (answer) => ({ server: createTlsServer(authority, answer), scheme: 'https', ready: 'secureConnection' })],
])(
  'a fan-out to 50 subscriptions of one host (%s) has at most a connection for each request in flight, and the next one opens none',
  async (_kind, create) => {
    const host = await startHost(create);
    const { counts } = host;
    const { id: channelId } = await createChannel(posthorn);
    await Promise.all(
      Array.from({ length: SUBSCRIPTIONS }, (_, at) =>
        createSubscription(posthorn, { channelId, webhookUrl: `${host.url}${at}`, maxConcurrency: AT_A_TIME }),
      ),
    );

    await publishBatch(posthorn, channelId, MESSAGES);
    await waitFor('the first fan-out', () => counts.arrived === SUBSCRIPTIONS * MESSAGES);
    expect(counts.mostOpen).toBeLessThanOrEqual(SUBSCRIPTIONS * AT_A_TIME);
    // Ten requests for each connection that may be open; closing idle ones may cost some of that.
    expect(counts.opened).toBeLessThanOrEqual((SUBSCRIPTIONS * MESSAGES) / 2);

    let opened = counts.opened;
    for (let fanOuts = 0; opened > 0 && fanOuts < FAN_OUTS_AT_MOST; fanOuts += 1) {
      const before = { ...counts };
      await publish(posthorn, channelId);
      await waitFor('the next fan-out', () => counts.arrived === before.arrived + SUBSCRIPTIONS);
      opened = counts.opened - before.opened;
    }
    expect(opened).toBe(0);
    expect(counts.mostOpen).toBeLessThanOrEqual(SUBSCRIPTIONS * AT_A_TIME);
    await host.close();
  },
);
