import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

type CallerAnswer = { status: number; headers: IncomingHttpHeaders; body: unknown };

/** A caller with one persistent connection. */
export type Caller = {
  call(
    method: string,
    path: string,
    options?: { key?: string; body?: object; idempotencyKey?: string; headers?: Record<string, string> },
  ): Promise<CallerAnswer>;
  /** Its local port, once it has sent a request. */
  port(): number;
  close(): void;
};

export function createCaller(url: string): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let port = 0;
  return {
    async call(method, path, { key, body, idempotencyKey, headers } = {}) {
      const outgoing = request(new URL(path, url), {
        method,
        agent,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...headers,
        },
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
      // `as`: what a response event carries.
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      port = incoming.socket.localPort ?? 0;
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      return {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
    port: () => port,
    close: () => agent.destroy(),
  };
}
