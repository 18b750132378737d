import type { Evidence, FaultEntry, SinkEntry } from './entries.ts';

export const request = (
  message: string,
  subscription: string,
  at: number,
  further: Partial<SinkEntry> = {},
): SinkEntry => ({
  at,
  subscription,
  message,
  hash: `hash of ${message}`,
  isSigned: true,
  status: 200,
  place: 'home',
  ...further,
});

const delivery = (message: string, subscription: string) => ({
  id: `dlv_${message}_${subscription}`,
  messageId: message,
  subscriptionId: subscription,
  status: 'delivered',
  dueAt: null as number | null,
  attempts: [{ number: 1, isAnswered: true, isFailed: false }],
  openLetters: 0,
});

/** A single publish, and a batch of two whose answer was lost, to two subscriptions: everything holds. */
export function sound(): Evidence {
  const messages = ['one', 'two', 'three'];
  const subscriptions = ['a', 'b'];
  const pairs = messages.flatMap((message) => subscriptions.map((subscription) => [message, subscription] as const));
  return {
    client: [
      { kind: 'sent', at: 1_000, request: 'r1', mark: 'm1', channels: ['c'], caller: 'key' },
      { kind: 'acked', at: 1_010, request: 'r1', ids: ['one'] },
      { kind: 'sent', at: 1_020, request: 'r2', mark: 'm2', channels: ['c', 'c'] },
      { kind: 'unknown', at: 1_030, request: 'r2', status: 0 },
      { kind: 'sent', at: 1_040, request: 'r3', mark: 'm3', channels: ['c'] },
      { kind: 'refused', at: 1_050, request: 'r3', status: 503, code: 'UNAVAILABLE' },
    ],
    sink: pairs.map(([message, subscription], n) => request(message, subscription, 1_100 + n)),
    faults: [],
    records: {
      at: 60_000,
      messages: messages.map((id, n) => ({ id, channelId: 'c', mark: n === 0 ? 'm1' : 'm2' })),
      deliveries: pairs.map(([message, subscription]) => delivery(message, subscription)),
      workflows: [],
    },
    subscriptions: subscriptions.map((id) => ({ id, channelId: 'c', maxRetries: 2 })),
    streams: [{ name: 'stream', channelId: 'c', ids: messages }],
    silences: [],
    limits: [{ caller: 'key', requests: 1, windowMs: 60_000, replicas: 2 }],
    concurrency: 1,
    resources: {
      before: { rss: { api: 1e8 }, connections: 40, workflows: 0, stuckTransactions: 0 },
      after: { rss: { api: 1.2e8 }, connections: 45, workflows: 0, stuckTransactions: 0 },
    },
  };
}

export const FAULT: FaultEntry = { name: 'a worker is killed', from: 1_000, until: 2_000, lives: 1 };

export const first = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined) throw new Error('nothing there');
  return item;
};

export const repeated = (evidence: Evidence, at: number): void => void evidence.sink.push(request('one', 'a', at));

/** Asked twice, both times answered 200 and recorded: a repeat that nothing explains. */
export function withDouble(at: number): (evidence: Evidence) => void {
  return (evidence) => {
    repeated(evidence, at);
    first(evidence.records.deliveries).attempts.push({ number: 2, isAnswered: true, isFailed: false });
  };
}

/** So many further requests of the limited caller are acknowledged. */
export function withAnswers(evidence: Evidence, count: number): void {
  for (let n = 0; n < count; n += 1)
    evidence.client.push(
      { kind: 'sent', at: 1_014, request: `r1-${n}`, mark: 'm1', channels: ['c'], caller: 'key' },
      { kind: 'acked', at: 1_015, request: `r1-${n}`, ids: ['one'] },
    );
}
