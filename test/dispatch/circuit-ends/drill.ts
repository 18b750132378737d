import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createConfigs } from '../../../src/process/assembly/create-dependencies.ts';
import { startWorker } from '../../../src/process/start-worker.ts';
import { createCircuitScene, PATIENT, type Subscribed } from '../../support/make/circuit-scene.ts';
import { publish, publishBatch, waitForDelivery } from '../../support/make/factories.ts';
import { currentRun } from '../../support/service/run.ts';
import { startPosthorn, type TestPosthorn } from '../../support/service/posthorn.ts';
import type { Answer, ReceivedRequest } from '../../support/world/receiver.ts';
import { serviceEvents } from '../../support/make/system-channel.ts';
import { waitFor } from '../../support/check/wait-for.ts';

// The first two are claimed at once, and a probe may be among them.
const AHEAD = 2;
const INTERVAL_MS = 100;

/** A receiver that fails after 200 ms, and how many requests it has had open at a time. */
function slowFailures(): { answer: (request: ReceivedRequest) => Answer; most(): number } {
  let open = 0;
  let most = 0;
  return {
    most: () => most,
    answer: () => (response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(500).end();
      }, 200);
    },
  };
}

/** How what an open circuit holds comes to its end, whether first tries are drained or have a Temporal workflow each. */
export function endsOfHeldDeliveries(threshold: string): void {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
  });
  afterAll(() => posthorn.stop());
  const scene = createCircuitScene(() => posthorn);
  afterEach(scene.endReceivers);

  // Old: an open circuit gave up what it held as soon as the policy's time was over: 31 of 31 were dead letters, 11 of them
  // untried, 12 s before the nextRetryAt that they had announced.
  test('a receiver that is mended at once loses nothing that had tries left, however short the policy', async () => {
    let requests = 0;
    const mended = await scene.subscribed(() => ((requests += 1) <= 20 ? 500 : 200), {
      retryPolicy: { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 },
      timeoutMs: 5_000,
    });
    await publishBatch(posthorn, mended.channelId, 31);

    const ended = await waitFor(
      'each delivery to end',
      async () => {
        const found = await scene.deliveriesOf(mended.subscriptionId);
        return found.every(({ status }) => status === 'delivered' || status === 'failed') && found;
      },
      120_000,
    );

    expect(ended).toHaveLength(31);
    // On a slow machine the first ones may have had their second try, and a failure, before the circuit opened.
    const failed = ended.filter(({ status }) => status === 'failed');
    expect(failed.filter(({ attempts, reason }) => attempts !== 2 || reason !== 'exhausted')).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual(10);
  });

  /** So many that nobody has tried, beyond the end of their policy behind a probe that has just failed; slow to fail. */
  const lastChances = async (dead: Subscribed, count: number) => {
    const { answer, most } = slowFailures();
    const held: string[] = [];
    while (held.length < count)
      held.push(...(await publishBatch(posthorn, dead.channelId, Math.min(100, count - held.length))));
    await scene.endPolicies(dead.subscriptionId);
    dead.receiver.answerWith(answer);
    await scene.endOpenTime(dead.subscriptionId);
    const from = await scene.probeFailed(dead.subscriptionId);
    const letters = await waitFor(
      'each to end',
      async () => {
        const found = await scene.deadLettersOf(dead.subscriptionId);
        return found.length >= held.length && found;
      },
      240_000,
    );
    const times = dead.receiver.requests.map(({ at }) => at - from).filter((at) => at > 0);
    return {
      letters,
      untried: held.filter((id) => dead.receiver.countOf(id) === 0),
      tooEarly: times.filter((at, index) => at < (index - AHEAD) * INTERVAL_MS),
      most: most(),
    };
  };

  // Old: they ended with no attempt at all, in one statement.
  test('150 held at a dead endpoint beyond their policy are tried once each, ten a second, and end', async () => {
    const dead = await scene.opened();

    const { letters, untried, tooEarly, most } = await lastChances(dead, 150);

    expect(untried).toEqual([]);
    expect(letters.map(({ attempts, reason }) => [attempts, reason])).toEqual(letters.map(() => [1, 'circuit']));
    expect(letters[0]?.lastError).toMatchObject({ class: 'status', status: 500 });
    expect(tooEarly).toEqual([]);
    // One of the five places is the probe's.
    expect(most).toBeLessThanOrEqual(5);
    const told = await serviceEvents(posthorn, 'delivery.exhausted');
    expect(told.filter(({ subscriptionId }) => subscriptionId === dead.subscriptionId).length).toBeGreaterThan(0);
  });

  test('two workers keep the bound together', async () => {
    // Opened by the first one alone: each counts its own tries.
    const dead = await scene.opened();
    const settings = { address: currentRun().temporalAddress, namespace: 'default' };
    const memory = { publishingConfigs: createConfigs(posthorn.deps.pool) };
    const second = await startWorker({ ...posthorn.deps, ...memory }, settings, { taskQueue: posthorn.taskQueue });
    try {
      const { untried, tooEarly, most } = await lastChances(dead, 60);
      expect([untried, tooEarly]).toEqual([[], []]);
      expect(most).toBeLessThanOrEqual(5);
    } finally {
      await second.stop();
    }
  });

  // Old: a delivery that had been tried was given up at the end of its policy, before the probe that it had announced.
  test('a tried delivery is given up behind a probe that failed after the end of its policy, not before', async () => {
    const dead = await scene.opened({ retryPolicy: { ...PATIENT, initialDelay: 1_000, maxDelay: 1_000 } });
    await scene.untilHeld(dead.subscriptionId);
    await scene.endPolicies(dead.subscriptionId);
    const lasting = await publish(posthorn, dead.channelId);
    const { circuit } = await scene.subscription(dead.subscriptionId);
    const before = await scene.deliveriesOf(dead.subscriptionId);
    expect(before.map(({ nextRetryAt }) => nextRetryAt)).toEqual(before.map(() => circuit.nextProbeAt));
    expect(await scene.deadLettersOf(dead.subscriptionId)).toEqual([]);
    const endedAt = Date.now();

    await scene.endOpenTime(dead.subscriptionId);

    const letters = await waitFor('them to end', async () => {
      const found = await scene.deadLettersOf(dead.subscriptionId);
      return found.length >= 20 && found;
    });
    expect(new Set(letters.map(({ reason }) => reason))).toEqual(new Set(['circuit']));
    expect(letters.filter(({ attempts, failedAt }) => attempts === 0 || Date.parse(failedAt) < endedAt)).toEqual([]);
    // The one whose policy lasts goes on, even if it was the probe.
    const after = await waitFor('each request to be recorded', async () => {
      const found = await scene.deliveriesOf(dead.subscriptionId);
      return found.reduce((sum, { attempts }) => sum + attempts, 0) === dead.receiver.requests.length && found;
    });
    expect(after.filter(({ status }) => status !== 'failed')).toMatchObject([{ messageId: lasting.id }]);
  });

  test('a last chance that is delivered closes the circuit, and the others follow', async () => {
    const dead = await scene.opened();
    const held = await publishBatch(posthorn, dead.channelId, 30);
    await scene.endPolicies(dead.subscriptionId);
    let requests = 0;
    dead.receiver.answerWith(() => ((requests += 1) === 1 ? 500 : 200));

    await scene.endOpenTime(dead.subscriptionId);

    await scene.untilCircuit(dead.subscriptionId, 'closed');
    await waitFor('the others to be delivered', async () => {
      const found = await scene.deliveriesOf(dead.subscriptionId);
      return found.filter(({ status }) => status === 'delivered').length >= held.length - 1;
    });
    const told = await serviceEvents(posthorn, 'circuit.closed');
    expect(told.filter(({ subscriptionId }) => subscriptionId === dead.subscriptionId)).toHaveLength(1);
    expect(await scene.deadLettersOf(dead.subscriptionId)).toHaveLength(1);
  });

  test('time in the queue until a resume is not held against a delivery', async () => {
    const dead = await scene.subscribed([500]);
    await posthorn.request('POST', `/v1/subscriptions/${dead.subscriptionId}/pause`);
    await publishBatch(posthorn, dead.channelId, 60);
    await scene.endPolicies(dead.subscriptionId);
    await posthorn.request('POST', `/v1/subscriptions/${dead.subscriptionId}/resume`);
    await scene.untilCircuit(dead.subscriptionId, 'open');
    await scene.keepOpen(dead.subscriptionId);

    await scene.endOpenTime(dead.subscriptionId);

    const first = await scene.probeFailed(dead.subscriptionId);
    // The consequences of one probe are drawn before those of the next one.
    await scene.endOpenTime(dead.subscriptionId);
    await scene.probeFailed(dead.subscriptionId, first);
    const { rows } = await posthorn.deps.pool.query(
      'SELECT id FROM deliveries WHERE subscription_id = $1 AND (last_chance_until IS NOT NULL OR due_at IS NULL)',
      [dead.subscriptionId],
    );
    expect(rows).toEqual([]);
    expect(await scene.deadLettersOf(dead.subscriptionId)).toEqual([]);
  });

  // Old: nextRetryAt showed the probe for a try that was under way when the circuit opened, and ended before it.
  test('a try that is under way when the circuit opens announces no probe that it does not wait for', async () => {
    const once = {
      retryPolicy: { maxRetries: 0, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 },
      timeoutMs: 30_000,
    };
    const waiting: (() => void)[] = [];
    const dead = await scene.subscribed([500], once);
    dead.receiver.answerWith((request) =>
      request.body.includes('slow') ? (response) => waiting.push(() => response.writeHead(500).end()) : 500,
    );
    const slow = await publish(posthorn, dead.channelId, { payload: { n: 'slow' } });
    await waitFor('the slow request', () => waiting.length === 1);
    await publishBatch(posthorn, dead.channelId, 20);
    await scene.untilCircuit(dead.subscriptionId, 'open');

    const underWay = (await scene.deliveriesOf(dead.subscriptionId)).find(({ messageId }) => messageId === slow.id);
    expect(underWay).toMatchObject({ status: 'pending', attempts: 0 });
    expect(underWay).not.toHaveProperty('nextRetryAt');
    for (const answer of waiting) answer();
    expect(await waitForDelivery(posthorn, slow.id, 'failed')).toMatchObject({ attempts: 1, reason: 'exhausted' });
  });

  // Old: the circuit could not be switched off.
  test('without its circuit breaker a subscription is tried however much fails; switching it off closes an open circuit', async () => {
    const exempt = await scene.subscribed([500], { circuitBreaker: false });
    await publishBatch(posthorn, exempt.channelId, 40);
    await waitFor('40 failures', async () => {
      const found = await scene.deliveriesOf(exempt.subscriptionId);
      return found.filter(({ attempts }) => attempts === 1).length === 40;
    });
    expect(await scene.subscription(exempt.subscriptionId)).toMatchObject({
      circuitBreaker: false,
      circuit: { state: 'closed' },
    });
    const dead = await scene.opened();
    const held = await publish(posthorn, dead.channelId);
    dead.receiver.answerWith([200]);

    const path = `/v1/subscriptions/${dead.subscriptionId}`;
    const { body } = await posthorn.request('PATCH', path, { circuitBreaker: false });

    expect(body).toMatchObject({ circuitBreaker: false, circuit: { state: 'closed' } });
    await waitForDelivery(posthorn, held.id, 'delivered');
    const refused = await posthorn.request('PATCH', path, { circuitBreaker: 'no' });
    expect([refused.status, refused.body]).toMatchObject([400, { error: { details: { field: 'circuitBreaker' } } }]);
  });
}
