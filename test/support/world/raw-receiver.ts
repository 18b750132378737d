import { createServer, type Server, type Socket } from 'node:net';

/** A receiver below HTTP: the test decides what it does with a connection and with a whole request. */
export type RawReceiver = {
  port: number;
  url: string;
  /** Everything each connection has sent so far, as latin1. */
  received: string[];
  connections: number;
  /** Connections that are open now. */
  open(): number;
  stop(): Promise<void>;
};

type Behaviour = {
  /** Called once per connection, before it has sent anything. */
  onConnection?: (socket: Socket) => void;
  /** Called at each complete request: head and, by its content-length, body. */
  onRequest?: (socket: Socket, request: string) => void;
};

/** The length of the first whole request in `text` (latin1), or undefined. */
function requestLength(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length ? head + 4 + length : undefined;
}

/** Serves `behaviour` on a free port of 127.0.0.1. A test must stop it: open connections are then cut. */
export async function startRawReceiver(
  behaviour: Behaviour,
  server: Server = createServer(),
  event: 'connection' | 'secureConnection' = 'connection',
): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  const receiver: RawReceiver = {
    port: 0,
    url: '',
    received: [],
    connections: 0,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  // TCP connections are followed on a TLS server too, so that `stop` cuts handshakes that never end.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.on(event, (socket: Socket) => {
    const index = receiver.connections;
    receiver.connections += 1;
    receiver.received.push('');
    let pending = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      receiver.received[index] += text;
      pending += text;
      let length = requestLength(pending);
      while (length !== undefined) {
        const request = pending.slice(0, length);
        pending = pending.slice(length);
        behaviour.onRequest?.(socket, request);
        length = requestLength(pending);
      }
    });
    behaviour.onConnection?.(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  receiver.port = typeof address === 'object' && address !== null ? address.port : 0;
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`;
  return receiver;
}

/** A receiver that writes the same bytes at each request. */
export const startAnswering = (answer: string | Buffer): Promise<RawReceiver> =>
  startRawReceiver({ onRequest: (socket) => socket.write(answer) });

/** Calls `write` every `everyMs` until the connection ends. */
export function repeat(socket: Socket, everyMs: number, write: () => void): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : write()), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Writes `chunk` as fast as the connection takes it, until it ends. */
export function flood(socket: Socket, chunk: string | Buffer): void {
  const fill = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', fill);
  fill();
}
