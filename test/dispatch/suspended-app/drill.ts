import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, publishBatch } from '../../support/make/factories.ts';
import { make } from '../../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../../support/service/posthorn.ts';
import { waitFor } from '../../support/check/wait-for.ts';
import { makeDue } from '../../support/world/scheduled.ts';
import { type Receiver, startReceiver } from '../../support/world/receiver.ts';
import { after } from '../../support/make/scene.ts';

type Waiting = { status: string; isMoved: boolean; round: number; heldBy: string | undefined };

/** How the deliveries of an app wait while it is suspended, whether first tries are drained or have a Temporal workflow each. */
export function suspension(threshold: string): void {
  let posthorn: TestPosthorn;
  let appId: string;
  let receiver: Receiver;
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
    appId = (await posthorn.deps.db.app.findFirstOrThrow()).id;
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await setStatus('active');
    receiver.requests.length = 0;
    receiver.answerWith([200]);
  });
  afterAll(async () => {
    await posthorn.stop();
    await receiver.close();
  });

  const setStatus = (status: 'active' | 'suspended') => posthorn.services.apps.operator.setStatus(appId, status);
  const subscribed = async (fields: Record<string, unknown> = {}): Promise<{ channelId: string; id: string }> => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, ...fields });
    return { channelId, id };
  };
  /** Unfinished deliveries of a subscription. The API refuses the app's keys, so its service is asked. */
  const unfinished = async (subscriptionId: string): Promise<Waiting[]> => {
    const rows = await posthorn.deps.db.delivery.findMany({ where: { subscriptionId, dueAt: { not: null } } });
    const caller = {
      ...({ level: 'environment', principal: { kind: 'apiKey', id: 'test' }, organisationId: '', appId } as const),
      ...({ environmentId: rows[0]?.environmentId ?? '', environment: 'live', scopes: new Set<never>() } as const),
      limits: { requestsPerMinute: 1, burst: 1, concurrent: 1, batchPerMinute: 1 },
    };
    return Promise.all(
      rows.map(async ({ id, status, holder, carrier, round }) => ({
        status,
        round,
        isMoved: holder !== null || carrier !== null,
        heldBy: (await posthorn.services.deliveries.get(caller, id)).held?.reason,
      })),
    );
  };
  const untilAllHeld = (subscriptionId: string): Promise<Waiting[]> =>
    waitFor('everything to be put back', async () => {
      const waiting = await unfinished(subscriptionId);
      return !waiting.some(({ isMoved }) => isMoved) && waiting;
    });
  const untilDelivered = (subscriptionId: string, count: number): Promise<true> =>
    waitFor(`${count} to be delivered`, async () => {
      const found = await posthorn.deps.db.delivery.count({ where: { subscriptionId, status: 'delivered' } });
      return found === count && true;
    });

  test('a burst under way stops, and goes on with nothing lost and nothing doubled', async () => {
    receiver.answerWith(() => after(50));
    const { channelId, id } = await subscribed({ maxConcurrency: 5 });
    const ids = [...(await publishBatch(posthorn, channelId, 100)), ...(await publishBatch(posthorn, channelId, 100))];
    await waitFor('the first requests', () => receiver.requests.length >= 5);

    await setStatus('suspended');

    const waiting = await untilAllHeld(id);
    const sent = receiver.requests.length;
    expect(waiting.length).toBeGreaterThan(0);
    expect(sent + waiting.length).toBe(ids.length);
    expect(new Set(waiting.map(({ heldBy, status }) => `${heldBy} ${status}`))).toEqual(
      new Set(['app_suspended pending']),
    );
    expect((await posthorn.request('GET', '/v1/channels')).status).toBe(403);

    await setStatus('active');

    await untilDelivered(id, ids.length);
    expect(ids.filter((messageId) => receiver.countOf(messageId) !== 1)).toEqual([]);
  });

  test('a retry that waits is held when its time comes, and uses up nothing', async () => {
    receiver.answerWith([500, 200]);
    // The suspension has this long to come first, however slow the machine is.
    const retryPolicy = { maxRetries: 1, initialDelay: 8_000, maxDelay: 8_000, backoffMultiplier: 1 };
    const { channelId, id } = await subscribed({ retryPolicy });
    const message = await publish(posthorn, channelId);
    await waitFor('the first try', async () => (await unfinished(id))[0]?.status === 'retrying');

    await setStatus('suspended');

    const [held] = await waitFor('the retry to be held', async () => {
      const found = await unfinished(id);
      return found.every(({ isMoved, round, status }) => !isMoved && (round > 1 || status === 'retrying')) && found;
    });
    expect(held?.heldBy).toBe('app_suspended');
    await posthorn.deps.pool.query(`UPDATE deliveries SET due_at = now() WHERE subscription_id = $1`, [id]);
    expect(receiver.countOf(message.id)).toBe(1);

    await setStatus('active');

    await untilDelivered(id, 1);
    expect(receiver.countOf(message.id)).toBe(2);
  });

  test('a scheduled message waits, and what is published just before is whole or refused', async () => {
    const { channelId, id } = await subscribed();
    const scheduled = await publish(posthorn, channelId, { delay: 3_600_000 });
    let refused = 0;
    let accepted = 0;
    const publisher = async (): Promise<void> => {
      while (refused === 0) {
        const messages = Array.from({ length: 3 }, () => ({ eventType: 'a', payload: {} }));
        const path = `/v1/channels/${channelId}/messages/batch`;
        const { status } = await posthorn.request('POST', path, { messages });
        if (status === 202) accepted += 3;
        else refused = status;
      }
    };
    const publishers = [publisher(), publisher()];
    await waitFor('some to be accepted', () => accepted > 10);

    await setStatus('suspended');

    await Promise.all(publishers);
    expect(refused).toBe(403);
    await makeDue(posthorn.deps.pool, channelId);
    await waitFor('the scheduled message to be set aside', async () => {
      const row = await posthorn.deps.db.scheduledMessage.findUnique({ where: { id: scheduled.id } });
      return row?.dueAt === null;
    });
    expect(await posthorn.deps.db.message.count({ where: { channelId } })).toBe(accepted);
    await untilAllHeld(id);

    await setStatus('active');
    // Its own time is the one that counts again.
    await makeDue(posthorn.deps.pool, channelId);

    await untilDelivered(id, accepted + 1);
    expect(receiver.countOf(scheduled.id)).toBe(1);
  });

  test('another app goes on meanwhile', async () => {
    const other = await posthorn.services.apps.operator.create({ name: 'Other' }, undefined);
    const draft = { environment: 'live', name: 'key', tier: 'enterprise', appId: other.id } as const;
    const { key } = await posthorn.services.apiKeys.operator.create(draft);
    await setStatus('suspended');
    const { id: channelId } = await make(posthorn, key, '/v1/channels', { name: 'orders' });
    const { id } = await make(posthorn, key, '/v1/subscriptions', { channelId, webhookUrl: receiver.url });
    await make(posthorn, key, `/v1/channels/${channelId}/messages`, { eventType: 'a', payload: {} });
    await untilDelivered(id, 1);
  });

  test('a subscription that is paused stays so when its app is active again', async () => {
    const { channelId, id } = await subscribed();
    await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
    await publish(posthorn, channelId);
    await setStatus('suspended');
    expect((await unfinished(id))[0]?.heldBy).toBe('app_suspended');
    await setStatus('active');
    expect((await unfinished(id))[0]?.heldBy).toBe('paused');
    await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
    await untilDelivered(id, 1);
  });
}
