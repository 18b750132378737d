import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection to a server that a test can cut. */
export type TcpProxy = {
  /** The server's URL through the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones, as if the server had died. */
  cut(): Promise<void>;
  /** Accepts connections again, on the same port. */
  mend(): Promise<void>;
  /** Redirects to the server of that URL from now on, as a failover does; connections to the previous one are broken. */
  aim(targetUrl: string): void;
  stop(): Promise<void>;
};

/** Starts a loopback proxy in front of the server of `targetUrl`, on a free or given port. */
export async function startTcpProxy(targetUrl: string, chosenPort = 0): Promise<TcpProxy> {
  let target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let port = chosenPort;
  let server: Server | undefined;

  const mend = async (): Promise<void> => {
    server = createServer((incoming) => {
      const outgoing = connect(Number(target.port), target.hostname);
      for (const [socket, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      }
      incoming.pipe(outgoing);
      outgoing.pipe(incoming);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    // `as`: a TCP server's address is an object.
    port = (server.address() as AddressInfo).port;
  };
  const cut = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = once(closing, 'close');
    closing.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await mend();
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;
  const aim = (nextUrl: string): void => {
    target = new URL(nextUrl);
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, cut, mend, aim, stop: cut };
}
