import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import { Posthorn } from '../../../client/src/index.ts';
import { followStream } from '../../support/world/stream-follower.ts';
import { waitFor } from '../../support/check/wait-for.ts';
import type { ClientEntry, Evidence, FaultEntry, Limit, Silence, SinkEntry, Watched } from '../ledger/entries.ts';
import { type Figures, reconcile } from '../ledger/reconcile.ts';
import { readFaultSettings } from '../settings.ts';
import type { Topology } from '../topology.ts';
import { openJournal } from './journal.ts';
import { createPublisher, type Load, type Publisher, startLoad } from './load.ts';
import { countUnfinished, readRecords, readResources } from './records.ts';
import { type Sink, type Sinks, startSinks } from './sinks.ts';
import { type Times, timesOf } from './times.ts';
import { saveEvidence } from './saved.ts';

export type Subscription = Watched & { sink: Sink };

type SubscriptionFields = {
  channelId?: string;
  retryPolicy?: typeof POLICY;
  maxConcurrency?: number;
  rateLimit?: number;
  timeoutMs?: number;
};

export type FaultOf = Pick<FaultEntry, 'name' | 'lives' | 'subscription' | 'counts'>;

export type Outcome = { breaches: string[]; figures: Figures & Times; folder: string };

/** One scenario's publishers, channels, receivers and logs. */
export type Stage = {
  topology: Topology;
  client: Posthorn;
  publisher: Publisher;
  load: Load;
  channels: readonly [string, string];
  /** Healthy from the beginning to the end: two on the first channel, one on the second. */
  subscriptions: readonly Subscription[];
  sinks: Sinks;
  sent: readonly ClientEntry[];
  received: readonly SinkEntry[];
  subscribe(name: string, fields?: SubscriptionFields): Promise<Subscription>;
  /** Runs the fault, waits until everything works again, and writes down how long that took. */
  during(fault: FaultOf, act: () => Promise<void>): Promise<void>;
  /** Begins a fault; the result waits until everything works again, and writes it down. */
  begin(fault: FaultOf): () => Promise<void>;
  /** No request is to come then, but for those under way. */
  expectSilence(silence: Silence): void;
  /** A finding of the scenario itself. */
  report(breach: string): void;
  /** A figure of the scenario itself, for people. */
  note(name: string, value: number): void;
  /** Stops publishing, waits until every delivery has ended, and reconciles. */
  finish(): Promise<Outcome>;
  /** Ends everything where it stands. Repeating it is harmless. */
  abandon(): Promise<void>;
};

// The longest pause of these policies is 4 s; the rest is for claims of dead workers (10 s) and a busy machine.
const SETTLED_WITHIN_MS = 120_000;
// Beyond the pause between two batches, a minute has 150 of them.
const LIMIT: Limit = { caller: 'limited', requests: 5, windowMs: 60_000, replicas: 2 };
const PLACES = 10;
const POLICY = { maxRetries: 4, initialDelay: 1_000, maxDelay: 4_000, backoffMultiplier: 2 };
const WARM_UP_MS = 1_000;

export type StageOptions = { topology: Topology; pool: Pool; temporal: Client; folder: string };

/** Sets a stage whose logs go into `folder`, and begins to publish; returns once all of it works. */
export async function setStage({ topology, pool, temporal, folder }: StageOptions): Promise<Stage> {
  mkdirSync(folder, { recursive: true });
  const journals = {
    client: openJournal<ClientEntry>(join(folder, 'client.jsonl')),
    sink: openJournal<SinkEntry>(join(folder, 'sink.jsonl')),
    faults: openJournal<FaultEntry>(join(folder, 'faults.jsonl')),
  };
  const { url, key } = topology;
  const client = new Posthorn({ baseUrl: url, credentials: { apiKey: key } });
  const sinks = await startSinks(journals.sink);
  const main = (await client.channels.create({ name: 'orders' })).id;
  const other = (await client.channels.create({ name: 'invoices' })).id;
  const subscriptions: Subscription[] = [];
  const silences: Silence[] = [];
  const breaches: string[] = [];
  const notes: Record<string, number> = {};
  const subscribe = async (
    name: string,
    { channelId = main, retryPolicy = POLICY, ...fields }: SubscriptionFields = {},
  ): Promise<Subscription> => {
    const sink = sinks.add(name);
    const askedAt = Date.now();
    const { id } = await client.subscriptions.create({
      channelId,
      webhookUrl: sink.urlOf(),
      retryPolicy,
      maxConcurrency: PLACES,
      circuitBreaker: false,
      ...fields,
    });
    const made = { askedAt, doneAt: Date.now() };
    const { secret } = await client.subscriptions.getSecret(id);
    sink.belongsTo(id, secret);
    const subscription = { id, channelId, maxRetries: retryPolicy.maxRetries, made, sink };
    subscriptions.push(subscription);
    return subscription;
  };
  await subscribe('first');
  await subscribe('second');
  await subscribe('third', { channelId: other });
  const healthy = [...subscriptions];
  const limited = await client.apiKeys.create({
    name: LIMIT.caller,
    tier: 'enterprise',
    limits: { batchPerMinute: LIMIT.requests },
  });
  const stream = await followStream({ urlOf: () => url, key }, { path: `/v1/channels/${main}/stream` });
  const publisher = createPublisher(topology, journals.client);
  const load = startLoad({
    api: topology,
    publisher,
    channels: [main, other],
    client: journals.client,
    sink: journals.sink,
    limitedKey: limited.key,
    rate: readFaultSettings().rate,
  });
  const works = (): Promise<void> =>
    load.works(healthy.filter(({ channelId }) => channelId === main).map(({ id }) => id));
  let isOver = false;
  const abandon = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await load.stop();
    await stream.stop();
    await sinks.stop();
    for (const journal of Object.values(journals)) journal.close();
  };
  const begin = (fault: FaultOf) => {
    const from = Date.now();
    return async (): Promise<void> => {
      const mendedAt = Date.now();
      try {
        await works();
        notes['healedMs'] = Math.max(notes['healedMs'] ?? 0, Date.now() - mendedAt);
      } finally {
        journals.faults.write({ ...fault, from, until: Date.now() });
      }
    };
  };
  await works();
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  const before = { ...(await readResources(topology, pool, temporal)), workflows: 0 };

  return {
    topology,
    client,
    publisher,
    load,
    channels: [main, other],
    subscriptions: healthy,
    sinks,
    sent: journals.client.entries,
    received: journals.sink.entries,
    subscribe,
    begin,
    async during(fault, act) {
      const end = begin(fault);
      try {
        await act();
      } finally {
        await end();
      }
    },
    expectSilence: (silence) => void silences.push(silence),
    report: (breach) => void breaches.push(breach),
    note: (name, value) => void (notes[name] = value),
    async finish() {
      await load.stop();
      const stoppedAt = Date.now();
      const channelIds = [main, other];
      // A delivery that does not end is a breach, which the checker names.
      await waitFor(
        'every delivery to end',
        async () => (await countUnfinished(pool, channelIds)) === 0,
        SETTLED_WITHIN_MS,
      ).catch(() => undefined);
      notes['settledMs'] = Date.now() - stoppedAt;
      // Temporal shows a workflow, and then its end, a moment after either: only records without one that runs are the last ones.
      let records = await readRecords(pool, temporal, channelIds);
      await waitFor('every Temporal workflow to end', async () => {
        records = await readRecords(pool, temporal, channelIds);
        return records.workflows.length === 0 && (await readResources(topology, pool, temporal)).workflows === 0;
      }).catch(() => undefined);
      const stored = records.messages.filter(({ channelId }) => channelId === main).length;
      await waitFor('the stream to show all', () => stream.ids.length >= stored).catch(() => undefined);
      const evidence: Evidence = {
        client: [...journals.client.entries],
        sink: [...journals.sink.entries],
        faults: [...journals.faults.entries],
        records,
        subscriptions: subscriptions.map(({ sink: _sink, ...watched }) => watched),
        streams: [{ name: 'the stream', channelId: main, ids: [...stream.ids] }],
        silences,
        limits: [LIMIT],
        concurrency: subscriptions.length * PLACES,
        resources: { before, after: await readResources(topology, pool, temporal) },
      };
      saveEvidence(folder, evidence);
      const found = reconcile(evidence);
      await abandon();
      return {
        breaches: [...breaches, ...found.breaches.map(({ invariant, text }) => `${invariant}: ${text}`)],
        figures: { ...found.figures, ...timesOf(evidence), ...notes },
        folder,
      };
    },
    abandon,
  };
}
