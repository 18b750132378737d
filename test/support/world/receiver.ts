import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that a subscriber got. `at` is ms since the epoch. */
export type ReceivedRequest = { at: number; path: string; headers: IncomingHttpHeaders; body: string };

/** How it answers: a status, or anything done to the response by hand (never answering included). */
export type Answer = number | ((response: ServerResponse, request: ReceivedRequest) => void);

export type Receiver = {
  url: string;
  requests: ReceivedRequest[];
  /** Requests per webhook-id: more than one is a repeated delivery or a retry. */
  countOf(messageId: string): number;
  /** Open connections: none once everything is read that a process sent which is gone. */
  connections(): Promise<number>;
  /** From now on. */
  answerWith(answers: Answer[] | ((request: ReceivedRequest) => Answer)): void;
  close(): Promise<void>;
};

/**
 * A subscriber: a real HTTP server on loopback. `answers` are used in turn, the last one for ever; a function decides per
 * request.
 */
export async function startReceiver(
  options: { answers?: Answer[]; answer?: (request: ReceivedRequest) => Answer; port?: number } = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let answers = options.answers ?? [200];
  let answer = options.answer;
  let used = 0;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request: ReceivedRequest = {
        at: Date.now(),
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      const chosen = answer?.(request) ?? answers[Math.min(used, answers.length - 1)] ?? 200;
      used += 1;
      if (typeof chosen === 'number') response.writeHead(chosen).end(`answer ${chosen}`);
      else chosen(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    countOf: (messageId) => requests.filter((request) => request.headers['webhook-id'] === messageId).length,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    answerWith(next) {
      used = 0;
      answer = typeof next === 'function' ? next : undefined;
      answers = typeof next === 'function' ? [200] : next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The receivers of one test file, which end together. */
export function createReceivers() {
  const running: Receiver[] = [];
  return {
    async start(options: Parameters<typeof startReceiver>[0] = {}): Promise<Receiver> {
      const receiver = await startReceiver(options);
      running.push(receiver);
      return receiver;
    },
    end: async (): Promise<void> => {
      await Promise.all(running.splice(0).map((receiver) => receiver.close()));
    },
  };
}
