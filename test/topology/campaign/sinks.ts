import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type ReceivedRequest, startReceiver } from '../../support/world/receiver.ts';
import type { SinkEntry } from '../ledger/entries.ts';
import type { Journal } from './journal.ts';

/** How a receiver treats a request: the status that goes into the log, and what it does to the response if not that alone. */
export type Treatment = { status: number; act?: (response: ServerResponse) => void };

export type Sink = {
  name: string;
  /** Address of a place at this receiver: a subscription that moves has two. */
  urlOf(place?: string): string;
  /** From now on. Secrets are tried one after the other: a rotation has two. */
  belongsTo(subscription: string, ...secrets: string[]): void;
  behave(treat: (count: number) => Treatment): void;
};

export type Sinks = { add(name: string): Sink; port: number; stop(): Promise<void> };

// Some requests are always under way.
const ANSWER_AFTER_MS = 20;

export const healthy = (): Treatment => ({
  status: 200,
  act: (response) => void setTimeout(() => response.writeHead(200).end(), ANSWER_AFTER_MS),
});

/** Receivers of one server, told apart by their path. Each request is in the journal before it is answered. */
export async function startSinks(journal: Journal<SinkEntry>): Promise<Sinks> {
  type Kept = { subscription: string; secrets: string[]; treat: (count: number) => Treatment; count: number };
  const kept = new Map<string, Kept>();
  const receiver = await startReceiver({
    answer(request) {
      const [, name = '', place = ''] = request.path.split('/');
      const sink = kept.get(name);
      // The server's own list would keep every body for as long as the run lasts.
      receiver.requests.length = 0;
      if (sink === undefined) return 404;
      sink.count += 1;
      const { status, act } = sink.treat(sink.count);
      journal.write({
        at: request.at,
        subscription: sink.subscription,
        message: String(request.headers['webhook-id']),
        hash: createHash('sha256').update(request.body).digest('base64url'),
        isSigned: isSigned(request, sink.secrets),
        status,
        place,
      });
      return act ?? status;
    },
  });
  return {
    port: Number(new URL(receiver.url).port),
    add(name) {
      const sink: Kept = { subscription: name, secrets: [], treat: healthy, count: 0 };
      kept.set(name, sink);
      return {
        name,
        urlOf: (place = 'home') => new URL(`/${name}/${place}`, receiver.url).href,
        belongsTo: (subscription, ...secrets) => void Object.assign(sink, { subscription, secrets }),
        behave: (treat) => void (sink.treat = treat),
      };
    },
    stop: () => receiver.close(),
  };
}

/** By an independent implementation, which signs anew: its own check would refuse a clock that a fault has moved. */
function isSigned({ headers, body }: ReceivedRequest, secrets: readonly string[]): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const signatures = String(headers['webhook-signature']).split(' ');
  return secrets.some((secret) =>
    signatures.includes(new Webhook(secret).sign(String(headers['webhook-id']), at, body)),
  );
}
