import { createServer, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createServer as createTlsServer } from 'node:tls';
import { nowMs } from './clock.ts';
import { answer } from './helper.ts';

/**
 * The receiver's behaviour, and the beginning of its counts. A request counts when it is complete, and is answered `delayMs` later, or
 * `hangMs` later where the path is `hangingPath`. `failEvery` 5: every fifth delivery fails once.
 */
export type Behaviour = { failEvery?: number; delayMs?: number; hangingPath?: string; hangMs?: number };

/**
 * Arrivals since `begin`. A key is the message's id and the path. `at`: the first one that gets a 2xx, ms of `nowMs`. `late`: the
 * lateness of each delayed answer, ms.
 */
export type Arrivals = { keys: string[]; at: Float64Array; late: Float64Array; requests: number; failures: number };

/** `arrived`: distinct deliveries that get a 2xx. `busy`: share of the time since `begin` in which the receiver's thread worked. */
export type Seen = { arrived: number; requests: number; busy: number };

/** Ports to open: plain, or with TLS by this certificate, both as PEM. */
export type Listen = { count: number; tls?: { cert: string; key: string } };

const OK = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok');
const FAILED = Buffer.from('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n');
// An answer like the service's to a publish, for the run that shows the limit of the load generator.
const MESSAGE = JSON.stringify({ data: { id: `msg_${'0'.repeat(26)}`, payload: { text: 'x'.repeat(1_000) } } });
const ACCEPTED = Buffer.from(
  `HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\ncontent-length: ${MESSAGE.length}\r\n\r\n${MESSAGE}`,
);

let behaviour: Behaviour = {};
let firstAt = new Map<string, number>();
const failedOnce = new Set<string>();
const met = new Set<string>();
let requests = 0;
let failures = 0;
let late: number[] = [];
let beganAt = performance.eventLoopUtilization();
const servers: Server[] = [];

/** Answer to a request, and its delay. */
function judge(path: string, key: string): { response: Buffer; delayMs: number } {
  requests += 1;
  const { failEvery = 0, delayMs = 0, hangingPath, hangMs = 0 } = behaviour;
  const wait = path === hangingPath ? hangMs : delayMs;
  if (failEvery > 0 && !met.has(key)) {
    met.add(key);
    if (met.size % failEvery === 0) {
      failedOnce.add(key);
      failures += 1;
      return { response: FAILED, delayMs: wait };
    }
  }
  if (!firstAt.has(key)) firstAt.set(key, nowMs());
  return { response: OK, delayMs: wait };
}

const between = (head: string, from: string, to: string): string => {
  const start = head.indexOf(from);
  return start < 0 ? '' : head.slice(start + from.length, head.indexOf(to, start + from.length));
};

/**
 * HTTP/1.1 as far as the senders here speak it: kept connections, a content-length, header names in lower case. An HTTP library would
 * cost the machine three times as much per request, at the expense of the measured service.
 */
function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = rest.toString('latin1', 0, end + 2);
      const size = end + 4 + Number(between(head, 'content-length: ', '\r\n'));
      if (rest.length < size) return;
      rest = rest.subarray(size);
      const path = between(head, ' ', ' ');
      if (path.startsWith('/v1/')) {
        socket.write(ACCEPTED);
        continue;
      }
      const { response, delayMs } = judge(path, `${between(head, 'webhook-id: ', '\r\n')} ${path}`);
      if (delayMs === 0) socket.write(response);
      else writeLater(socket, response, delayMs);
    }
  });
}

function writeLater(socket: Socket, response: Buffer, delayMs: number): void {
  const [dueAt, times] = [nowMs() + delayMs, late];
  setTimeout(() => {
    // Into the list of its own run: a hanging answer may come after the next `begin`.
    times.push(nowMs() - dueAt);
    socket.write(response);
  }, delayMs);
}

const listen = (tls: Listen['tls']): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, () => {
      servers.push(server);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

const commands = {
  /** Opens `count` ports: as many endpoints, each an origin of its own. */
  listen: ({ count, tls }: Listen): Promise<number[]> => Promise.all(Array.from({ length: count }, () => listen(tls))),

  begin: (next: Behaviour): Promise<void> => {
    behaviour = next;
    firstAt = new Map();
    met.clear();
    failedOnce.clear();
    requests = 0;
    failures = 0;
    late = [];
    beganAt = performance.eventLoopUtilization();
    return Promise.resolve();
  },

  seen: (): Promise<Seen> =>
    Promise.resolve({
      arrived: firstAt.size,
      requests,
      busy: performance.eventLoopUtilization(beganAt).utilization,
    }),

  arrivals: (): Promise<Arrivals> =>
    Promise.resolve({
      keys: [...firstAt.keys()],
      at: Float64Array.from(firstAt.values()),
      late: Float64Array.from(late),
      requests,
      failures,
    }),
};

export type ReceiverCommands = typeof commands;
answer(commands);
