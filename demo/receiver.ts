import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { metadataOf, type Payload } from './payloads.ts';

/** How the receiver treats a payload: accept it, refuse it once, or refuse it until it is repaired. */
export type Plan = 'take' | 'fail once' | 'fail for ever';

/** Every request about one payload for one subscription. Times are ms since the epoch, of this machine. */
export type Arrivals = { publishedAt: number; tries: { at: number; isTaken: boolean }[] };

export type ReceiverOptions = {
  payloads: readonly Payload[];
  /** By the payload's position. */
  planOf: (position: number) => Plan;
};

export type Receiver = {
  /** URL of a subscription named `target`. */
  urlOf(target: string): string;
  /** Sets its signing secret; requests before that are refused. */
  trust(target: string, secret: string): void;
  /** From now on nothing is refused. */
  mend(): void;
  arrivalsOf(target: string, position: number): Arrivals | undefined;
  /** Number of payloads accepted, for any subscription. */
  takenCount(): number;
  /** Number of requests that workflow steps have sent. */
  toldCount(): number;
  /** Faults that a correct service never shows: a wrong signature, or other bytes than were published. */
  problems: string[];
  close(): Promise<void>;
};

const envelope = z.object({
  id: z.string(),
  timestamp: z.iso.datetime(),
  metadata: z.object({ position: z.string().regex(/^\d+$/) }),
});

/** The end of a correct body: the payload's own text, then its metadata. */
const tailOf = (payload: Payload): string => `,"data":${payload.text},"metadata":${metadataOf(payload)}}`;

/** Starts a subscriber: an HTTP server on the loopback interface that verifies each request with an independent library. */
export async function startReceiver({ payloads, planOf }: ReceiverOptions): Promise<Receiver> {
  const verifiers = new Map<string, Webhook>();
  const arrivals = new Map<string, Arrivals>();
  const problems: string[] = [];
  let isMended = false;
  let told = 0;

  const answerTo = (target: string, request: IncomingMessage, body: string, at: number): number => {
    if (target === 'workflow') {
      told += 1;
      return 204;
    }
    const verifier = verifiers.get(target);
    if (verifier === undefined) return 404;
    let verified: unknown;
    try {
      verified = verifier.verify(body, signatureHeaders(request));
    } catch (failure) {
      problems.push(`a request to ${target} does not verify: ${String(failure)}`);
      return 401;
    }
    const { id, timestamp, metadata } = envelope.parse(verified);
    const position = Number(metadata.position);
    const payload = payloads[position];
    if (payload === undefined || !body.endsWith(tailOf(payload)) || request.headers['webhook-id'] !== id) {
      problems.push(`payload ${position} arrived at ${target} with other bytes than were published`);
      return 422;
    }
    const key = `${target} ${position}`;
    const seen = arrivals.get(key) ?? { publishedAt: Date.parse(timestamp), tries: [] };
    arrivals.set(key, seen);
    const plan = isMended ? 'take' : planOf(position);
    const isTaken = plan === 'take' || (plan === 'fail once' && seen.tries.length > 0);
    seen.tries.push({ at, isTaken });
    return isTaken ? 204 : 503;
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = Date.now();
      const target = (request.url ?? '').slice(1);
      try {
        response.writeHead(answerTo(target, request, Buffer.concat(chunks).toString('utf8'), at)).end();
      } catch (failure) {
        problems.push(`a request to ${target} is no webhook: ${String(failure)}`);
        response.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // `as`: a server that listens on TCP has no other kind of address.
  const { port } = server.address() as AddressInfo;

  return {
    urlOf: (target) => `http://127.0.0.1:${port}/${target}`,
    trust: (target, secret) => void verifiers.set(target, new Webhook(secret)),
    mend() {
      isMended = true;
    },
    arrivalsOf: (target, position) => arrivals.get(`${target} ${position}`),
    takenCount: () => [...arrivals.values()].filter(({ tries }) => tries.some(({ isTaken }) => isTaken)).length,
    toldCount: () => told,
    problems,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function signatureHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name] ?? '')]),
  );
}
