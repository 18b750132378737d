import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Leads connections to `port` to these APIs on loopback by turns, and to the next one where one cannot be reached. The faults need no more
 * of a proxy, and Caddy takes Go over two minutes of a processor to build.
 */
export async function startDevelopmentProxy(port: number, apis: readonly number[]): Promise<{ stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let turns = 0;
  const lead = (incoming: Socket, tries: number): void => {
    turns += 1;
    const outgoing = connect(apis[turns % apis.length] ?? 0, '127.0.0.1');
    let hasConnected = false;
    outgoing.on('connect', () => {
      hasConnected = true;
      incoming.pipe(outgoing).pipe(incoming);
    });
    outgoing.on('error', () => {
      if (!hasConnected && tries > 1) lead(incoming, tries - 1);
      else incoming.destroy();
    });
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => {
      if (hasConnected) incoming.destroy();
    });
  };
  const server = createServer((incoming) => {
    sockets.add(incoming);
    incoming.on('error', () => undefined);
    incoming.on('close', () => sockets.delete(incoming));
    lead(incoming, apis.length);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
