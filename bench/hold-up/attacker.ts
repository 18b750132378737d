import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HostileRequest, JSON_TYPE } from './request.ts';

/** Everything that a hostile tenant, sender or receiver does. */
export type Attacker = {
  /** Calls the API with the tenant's key; throws unless the answer is a 2xx. */
  call<T = { id: string }>(method: string, path: string, body?: object): Promise<T>;
  /** A channel of the tenant. */
  channel(fields?: object): Promise<string>;
  /** Sends a request without a key, each time from another address. */
  send(request: HostileRequest): Promise<string>;
  /** Sends a request with the tenant's key. */
  sendKeyed(request: HostileRequest): Promise<string>;
  /** Writes bytes to a connection of its own, and waits for its end. */
  write(bytes: (address: string) => string): Promise<string>;
  /** Opens a stream that is read until the attacker ends. */
  follow(path: string): Promise<void>;
  /** An address of the tenant's own receiver, which answers each request with this text. */
  receiver(body: string): Promise<string>;
  /** Starts a run of the workflow and waits until it has ended. Returns its status, and the code of its error. */
  run(workflowId: string, payload: object): Promise<string>;
};

/** A larger answer is none that says why it refuses something. */
const LARGEST_REFUSAL = 4_096;
const POLL_MS = 20;

/** The status, and the field that a refusal names: `400 payload`. */
function answerOf(status: number, text: string): string {
  if (status < 400 || text.length > LARGEST_REFUSAL || !text.startsWith('{')) return String(status);
  // `as`: refusals of the service have this form.
  const { error } = JSON.parse(text) as { error?: { details?: { field?: string } } };
  const field = error?.details?.field;
  return field === undefined ? String(status) : `${status} ${field}`;
}

/** The service believes this header (`TRUSTED_PROXY_HOPS` is 1): limits by address would hide what is behind them. */
const someAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;

export function createAttacker(url: string, key: string): Attacker {
  const ask = async ({ method, path, headers, body }: HostileRequest): Promise<{ status: number; text: string }> => {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { 'x-forwarded-for': someAddress(), ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const keyed = (request: HostileRequest): HostileRequest => ({
    ...request,
    headers: { authorization: `Bearer ${key}`, ...request.headers },
  });
  const answered = async (request: HostileRequest): Promise<string> => {
    const { status, text } = await ask(request);
    return answerOf(status, text);
  };
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const { status, text } = await ask(
      keyed({ method, path, headers: JSON_TYPE, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    );
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    // `as`: the caller knows what this call answers with.
    return JSON.parse(text) as T;
  };
  const bodies: string[] = [];
  let listening: Promise<string> | undefined;
  const listen = (): Promise<string> =>
    new Promise((resolve) => {
      const server = createServer((request, response) => {
        const body = bodies[Number(request.url?.slice(1))] ?? '';
        request
          .resume()
          .once('end', () =>
            response.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(body) }).end(body),
          );
      });
      server.listen(0, '127.0.0.1', () => {
        // A TCP server's address is an object.
        const { port } = server.address() as AddressInfo;
        resolve(`http://127.0.0.1:${port}`);
      });
    });

  return {
    call,
    channel: async (fields = {}) =>
      (await call<{ id: string }>('POST', '/v1/channels', { name: 'hostile', ...fields })).id,
    send: answered,
    sendKeyed: (request) => answered(keyed(request)),
    write: (bytes) =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(url);
        const socket = connect(Number(port), hostname);
        let said = '';
        socket.setEncoding('latin1').on('data', (text: string) => {
          if (said.length < LARGEST_REFUSAL) said += text;
        });
        // The service may close it while it is written to.
        socket.on('error', () => undefined);
        socket.once('close', () => resolve(/^HTTP\/1.1 (\d+)/.exec(said)?.[1] ?? 'closed'));
        socket.write(bytes(someAddress()), 'latin1');
      }),
    async follow(path) {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
      if (!answer.ok || answer.body === null) throw new Error(`${path} was answered with ${answer.status}`);
      const reader = answer.body.getReader();
      const read = async (): Promise<void> => {
        while (!(await reader.read()).done);
      };
      read().catch(() => undefined);
    },
    async receiver(body) {
      listening ??= listen();
      bodies.push(body);
      return `${await listening}/${bodies.length - 1}`;
    },
    async run(workflowId, payload) {
      type Run = { id: string; status: string; error?: { code: string } };
      const { id } = await call<Run>('POST', `/v1/workflows/${workflowId}/runs`, { payload });
      for (;;) {
        await sleep(POLL_MS);
        const { status, error } = await call<Run>('GET', `/v1/runs/${id}`);
        if (['completed', 'failed', 'cancelled', 'paused', 'skipped'].includes(status))
          return error === undefined ? status : `${status} ${error.code}`;
      }
    },
  };
}
