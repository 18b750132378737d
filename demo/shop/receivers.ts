import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Answer of a receiver. `hang`: none at all, until the sender gives up. */
export type Reply = { status: number; delayMs: number; headers?: Record<string, string>; body?: object } | 'hang';

/** Decides how a receiver answers its request with this number, counted from 0, on this path and with this JSON body. */
export type Behaviour = (request: { count: number; path: string; body: unknown }) => Reply;

/** HTTP servers on loopback, one for each subscription of the shop and one for the steps of its workflows. */
export type Receivers = {
  urlOf(name: string, path: string): string;
  behave(name: string, behaviour: Behaviour): void;
  /** Connections are refused from now on. */
  shut(name: string): Promise<void>;
  /** Connections are accepted again, on the same port. */
  open(name: string): Promise<void>;
  close(): Promise<void>;
};

/** Port of the first receiver; the others follow it. A taken one is replaced by any free port. */
const FIRST_PORT = 4_811;
const LARGEST_BODY = 1_048_576;

/** Starts a receiver for each name. All answer 204 until `behave` says otherwise. */
export async function startReceivers(names: readonly string[]): Promise<Receivers> {
  const behaviours = new Map<string, Behaviour>();
  const servers = new Map<string, { server: Server; port: number }>();
  const stopping = new AbortController();

  for (const [index, name] of names.entries()) {
    let count = 0;
    const server = createServer((request, response) => {
      const path = request.url ?? '/';
      void readBody(request)
        .then((body) => behaviours.get(name)?.({ count: count++, path, body }) ?? { status: 204, delayMs: 5 })
        .then((reply) => answer(response, reply, stopping.signal))
        // A connection that its sender has closed has nobody to answer.
        .catch(() => response.destroy());
    });
    servers.set(name, { server, port: await listen(server, FIRST_PORT + index) });
  }
  const find = (name: string): { server: Server; port: number } => {
    const found = servers.get(name);
    if (found === undefined) throw new Error(`No receiver is named ${name}`);
    return found;
  };
  const shut = async (name: string): Promise<void> => {
    const { server } = find(name);
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };

  return {
    urlOf: (name, path) => `http://127.0.0.1:${find(name).port}${path}`,
    behave: (name, behaviour) => void behaviours.set(name, behaviour),
    shut,
    async open(name) {
      const { server, port } = find(name);
      if (!server.listening) await listen(server, port);
    },
    async close() {
      stopping.abort();
      await Promise.all([...servers.keys()].map(shut));
    },
  };
}

/** Listens on this port of 127.0.0.1, or on any free one if it is taken. Returns the port. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'EADDRINUSE' || port === 0) return reject(failure);
      listen(server, 0).then(resolve, reject);
    });
    server.listen(port, '127.0.0.1', () => {
      server.removeAllListeners('error');
      // `as`: a server that listens on TCP has no other kind of address.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // `as`: a request without an encoding gives buffers.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= LARGEST_BODY) chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

async function answer(response: ServerResponse, reply: Reply, signal: AbortSignal): Promise<void> {
  if (reply === 'hang') return;
  await sleep(reply.delayMs, undefined, { signal });
  const body = reply.body === undefined ? undefined : JSON.stringify(reply.body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(reply.status, { ...type, ...reply.headers }).end(body);
}
