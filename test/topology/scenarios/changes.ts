import { setTimeout as sleep } from 'node:timers/promises';
import { READ_AGAIN_AFTER_MS } from '../../../src/kernel/contract/delivery-workflow.ts';
import type { Stage, Subscription } from '../campaign/stage.ts';
import type { Scenario } from './scenario.ts';

// One place in each of two workers: no more can be under way when a change has become known.
const UNDER_WAY = 2;
// A worker may use a read delivery for READ_AGAIN_AFTER_MS, and a starved one needs its time from there to the request.
const KNOWN_WITHIN_MS = READ_AGAIN_AFTER_MS + 1_000;
const LASTING_SHORT_MS = 3_000;
const LASTING_LONG_MS = 30_000;
// Requests that were signed before a rotation have arrived by then.
const SIGNED_BEFORE_MS = 3_000;

/** A far longer time than any run: silence to the end. */
const FOR_GOOD = Number.MAX_SAFE_INTEGER;

const subscribe = (stage: Stage, name: string): Promise<Subscription> =>
  stage.subscribe(name, { maxConcurrency: 1, rateLimit: 100 });

async function pause(stage: Stage, lastingMs: number): Promise<void> {
  const { id, sink } = await subscribe(stage, 'paused');
  await sleep(lastingMs);
  await stage.client.subscriptions.pause(id);
  const from = Date.now() + KNOWN_WITHIN_MS;
  await sleep(KNOWN_WITHIN_MS + lastingMs);
  const until = Date.now();
  await stage.client.subscriptions.resume(id);
  const why = `${sink.name} from the answer to its pause until its resume`;
  stage.expectSilence({ subscription: id, from, until, underWay: UNDER_WAY, why });
}

async function move(stage: Stage, lastingMs: number): Promise<void> {
  const { id, sink } = await subscribe(stage, 'moved');
  await sleep(lastingMs);
  await stage.client.subscriptions.update(id, { webhookUrl: sink.urlOf('new') });
  const why = `${sink.name} at its old address`;
  stage.expectSilence({
    subscription: id,
    place: 'home',
    from: Date.now() + KNOWN_WITHIN_MS,
    until: FOR_GOOD,
    underWay: UNDER_WAY,
    why,
  });
}

async function remove(stage: Stage, lastingMs: number): Promise<void> {
  const subscription = await subscribe(stage, 'deleted');
  await sleep(lastingMs);
  const askedAt = Date.now();
  await stage.client.subscriptions.delete(subscription.id);
  const doneAt = Date.now();
  subscription.deleted = { askedAt, doneAt };
  const why = `${subscription.sink.name} after the answer to its removal`;
  stage.expectSilence({
    subscription: subscription.id,
    from: doneAt + KNOWN_WITHIN_MS,
    until: FOR_GOOD,
    underWay: UNDER_WAY,
    why,
  });
}

async function rotate(stage: Stage, lastingMs: number): Promise<void> {
  const { id, sink } = await subscribe(stage, 'rotated');
  await sleep(lastingMs);
  const { secret: before } = await stage.client.subscriptions.getSecret(id);
  // Both sign for that hour, so a receiver that knows the old one alone goes on.
  const { secret: after } = await stage.client.subscriptions.rotateSecret(id, { overlapHours: 1 });
  await sleep(lastingMs);
  sink.belongsTo(id, after);
  await sleep(SIGNED_BEFORE_MS);
  sink.belongsTo(id, before);
  await sleep(SIGNED_BEFORE_MS);
  sink.belongsTo(id, before, after);
}

export const CHANGES: Scenario = {
  number: 'F11',
  title: 'subscriptions are paused and resumed, moved, removed and given a new secret under load',
  async act(stage, chance) {
    const lastingMs = chance.lasting(LASTING_SHORT_MS, LASTING_LONG_MS);
    await Promise.all([pause, move, remove, rotate].map((change) => change(stage, lastingMs)));
  },
};
