import type { Api, DeliverySeen } from './api.ts';
import { automationOf } from './automation.ts';
import { expectedOf, judgeArrivals, ONE_AT_A_TIME, TARGETS } from './expected.ts';
import type { Figure } from './figures.ts';
import { metadataOf, type Payload } from './payloads.ts';
import { type Progress, waitForCount } from './progress.ts';
import type { Receiver } from './receiver.ts';

// Three attempts a second apart: a delivery that keeps failing is a dead letter after two seconds.
const RETRY_POLICY = { maxRetries: 2, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 };
// The maximum for one request (spec §4).
const BATCH_SIZE = 100;
// A service without progress for this long is stuck: it waits a second between attempts, and two cores manage 50 deliveries in one.
const PATIENCE_MS = 30_000;
// Often enough for the eye; waiting for one arrival must not take the time.
const LOOK_EVERY_MS = 100;
const QUICK_LOOK_MS = 2;

export type RunOptions = {
  api: Api;
  receiver: Receiver;
  payloads: readonly Payload[];
  channelId: string;
  workflowId: string;
  progress: Progress;
  signal: AbortSignal;
};

/**
 * Publishes everything, waits for its arrival, replays the dead letters, and returns its counts. The wait for missing arrivals is
 * limited; the results show them.
 */
export async function runDemo(options: RunOptions): Promise<Figure[]> {
  const { api, receiver, payloads, channelId, workflowId, progress, signal } = options;
  const until = (wanted: number, count: () => number | Promise<number>, everyMs = LOOK_EVERY_MS) =>
    waitForCount(wanted, count, { patienceMs: PATIENCE_MS, signal, everyMs });
  const subscriptionIds = await subscribe(api, receiver, channelId);
  const expected = expectedOf(payloads);
  const toFail = expected.filter(({ plan }) => plan === 'fail for ever').length;
  const toRetry = expected.filter(({ plan }) => plan === 'fail once').length;
  const taken = (): string => `${receiver.takenCount()} of ${expected.length} delivered`;
  let published = 0;

  await progress.during('Publishing one at a time', taken, async () => {
    for (const payload of payloads.slice(0, ONE_AT_A_TIME)) {
      await api.publish(channelId, toMessage(payload));
      published += 1;
      const soFar = expectedOf(payloads.slice(0, published)).length;
      if (!(await until(soFar, receiver.takenCount, QUICK_LOOK_MS))) return;
    }
  });
  const publishing = (): string => `${published} of ${payloads.length} published`;
  await progress.during(`Publishing ${BATCH_SIZE} at a time`, publishing, async () => {
    while (published < payloads.length) {
      const batch = payloads.slice(published, published + BATCH_SIZE).map(toMessage);
      published += (await api.publishBatch(channelId, batch)).ids.length;
    }
  });
  await progress.during('Delivering; retrying after 1 s', taken, () =>
    until(expected.length - toFail, receiver.takenCount),
  );

  let letters = 0;
  const failing = (): string => `${letters} of ${toFail} dead letters`;
  await progress.during('Giving up what fails for ever', failing, () =>
    until(toFail, async () => {
      letters = (await api.openDeadLettersOf(channelId)).length;
      return letters;
    }),
  );

  receiver.mend();
  const replayable = await api.countReplayable(channelId);
  let replayed = 0;
  const replaying = (): string => `${replayed} of ${replayable} replayed, ${taken()}`;
  await progress.during('Mended; replaying dead letters', replaying, async () => {
    const id = await api.replayDeadLetters(channelId);
    await until(replayable, async () => {
      replayed = (await api.bulkReplay(id)).replayed;
      return replayed;
    });
    await until(expected.length, receiver.takenCount);
  });

  const automation = automationOf(payloads);
  let completed = 0;
  const running = (): string => `${completed} of ${automation.runs} runs`;
  await progress.during('Running a workflow', running, () =>
    until(automation.runs, async () => {
      completed = await api.countCompleted(workflowId);
      return completed;
    }),
  );

  let deliveries: DeliverySeen[] = [];
  const delivered = (): number => deliveries.filter(({ status }) => status === 'delivered').length;
  const reading = (): string => `${delivered()} of ${expected.length} deliveries`;
  // The receiver has answered; the service writes that down a moment later.
  await progress.during('Reading what is on record', reading, () =>
    until(expected.length, async () => {
      deliveries = (await Promise.all(subscriptionIds.map(api.deliveriesOf))).flat();
      return delivered();
    }),
  );
  const messages = await api.messagesOf(channelId);
  const finished = messages.filter(({ deliveryStatus }) => deliveryStatus === 'delivered').length;
  // A payload refused once needed at most two attempts, a replayed one more than three.
  const retried = deliveries.filter(({ attempts }) => attempts === 2).length;
  const { figures, latencies } = judgeArrivals(receiver, expected, RETRY_POLICY.initialDelay);
  return [
    { name: 'published', value: published, wanted: payloads.length },
    { name: 'messages with deliveryStatus delivered', value: finished, wanted: payloads.length },
    { name: 'delivered', value: delivered(), wanted: expected.length },
    { name: 'retried', value: retried, wanted: toRetry },
    { name: 'dead-lettered', value: letters, wanted: toFail },
    { name: 'replayed', value: replayed, wanted: toFail },
    { name: 'runs of the workflow', value: completed, wanted: automation.runs },
    { name: 'requests of its steps', value: receiver.toldCount(), wanted: automation.requests },
    ...figures,
    ...latencies,
  ];
}

async function subscribe(api: Api, receiver: Receiver, channelId: string): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, eventTypes } of TARGETS) {
    const webhookUrl = receiver.urlOf(name);
    const { id } = await api.createSubscription({ channelId, name, webhookUrl, eventTypes, retryPolicy: RETRY_POLICY });
    receiver.trust(name, await api.secretOf(id));
    ids.push(id);
  }
  return ids;
}

const toMessage = (payload: Payload): string =>
  `{"eventType":${JSON.stringify(payload.eventType)},"payload":${payload.text},"metadata":${metadataOf(payload)}}`;
