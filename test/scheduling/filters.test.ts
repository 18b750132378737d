import { storePublications } from '../../src/delivery/record/statements/publish.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Filters } from '../../src/messaging/filters/filters.ts';
import { createConfigs } from '../../src/process/assembly/create-dependencies.ts';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { noHandOver } from '../../src/messaging/publishing/hand-over.ts';
import { createPublishing } from '../../src/messaging/publishing/service.ts';
import { createSchemas } from '../../src/messaging/schemas/schemas.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, type PageJson, publish } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/second-api.ts';
import {
  createDuePublisher,
  createHeldFilters,
  insertOverdue,
  makeDue,
  publishAllDue,
} from '../support/world/scheduled.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('filters', () => {
  const webhookUrl = 'https://example.com/in';
  const MINUTE_MS = 60_000;

  let channelId: string;
  let subscriptionId: string;

  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
    ({ id: subscriptionId } = await createSubscription(posthorn, { channelId, webhookUrl, filter: 'payload.n == 1' }));
  });

  type State = { status: number; body: { deliveryStatus: string } };
  const get = (id: string): Promise<State> => posthorn.request('GET', `/v1/messages/${id}`);
  const statusOf = async (id: string | undefined): Promise<string> => (await get(id ?? '')).body.deliveryStatus;
  const patchChannel = (fields: Record<string, unknown>): Promise<{ status: number }> =>
    posthorn.request('PATCH', `/v1/channels/${channelId}`, fields);
  const patchFilter = (filter: string | null): Promise<{ status: number }> =>
    posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { filter });
  const insert = (of: string, fields: { count?: number; payload?: string; agoMs?: number } = {}): Promise<string[]> =>
    insertOverdue(posthorn, of, { agoMs: MINUTE_MS, ...fields });

  const noTransactionIsOpen = async (): Promise<boolean> => {
    const { rows } = await posthorn.deps.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
       AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
    );
    return rows.length === 0;
  };

  /** Begins a batch of a process whose filters do not decide yet about what is due in this channel, and waits until they are asked. */
  async function beginAsking(): Promise<{ decide(): Promise<void> }> {
    const held = createHeldFilters(posthorn, channelId);
    const publishDue = createDuePublisher(posthorn, held);
    const begun = publishDue();
    await waitFor('the filter to be asked', () => held.asked.length > 0);
    return {
      async decide() {
        held.decide();
        await begun;
        await publishAllDue(publishDue);
      },
    };
  }

  // Regression: filters were asked in the transaction of a batch of all channels: minutes of costly ones stopped them all, the streams,
  // and whoever changed the channel.
  test('while filters decide, what nobody filters is published, no transaction is open, and others publish and change', async () => {
    const { id: plain } = await createChannel(posthorn);
    const asked = await insert(channelId, { count: 3, agoMs: 10 * MINUTE_MS });
    const unfiltered = await insert(plain);
    const { decide } = await beginAsking();

    expect(await Promise.all(unfiltered.map(statusOf))).toEqual(['unrouted']);
    await waitFor('no transaction to be open', noTransactionIsOpen);
    expect(await posthorn.deps.db.message.count({ where: { channelId } })).toBe(0);
    expect((await patchChannel({ description: 'changed meanwhile' })).status).toBe(200);
    expect((await publish(posthorn, channelId, { payload: { n: 1 } })).deliveryStatus).toBe('pending');

    await decide();
    expect(await Promise.all(asked.map(statusOf))).toEqual(['pending', 'pending', 'pending']);
    expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(4);
  });

  describe('a change to a message while filters decide about it holds:', () => {
    let asking: Awaited<ReturnType<typeof beginAsking>>;
    let ids: string[];
    beforeEach(async () => {
      ids = await insert(channelId, { count: 3 });
      asking = await beginAsking();
    });
    const decide = async (): Promise<string[]> => {
      await asking.decide();
      return Promise.all(ids.map(statusOf));
    };

    test('one that is cancelled is not published, one that is erased neither', async () => {
      const [cancelled, , erased] = ids;
      expect((await posthorn.request('POST', `/v1/messages/${cancelled}/cancel`)).status).toBe(200);
      expect((await posthorn.request('DELETE', `/v1/messages/${erased}`)).status).toBe(204);
      expect(await decide()).toEqual(['cancelled', 'pending', 'cancelled']);
      expect(await posthorn.deps.db.message.count({ where: { channelId } })).toBe(1);
    });

    test('a changed filter is the one that counts', async () => {
      expect((await patchFilter('payload.n == 2')).status).toBe(200);
      expect(await decide()).toEqual(['unrouted', 'unrouted', 'unrouted']);
    });

    test('so is no filter, and a subscription that is new', async () => {
      expect((await patchFilter(null)).status).toBe(200);
      await createSubscription(posthorn, { channelId, webhookUrl, filter: 'payload.n < 2' });
      expect(await decide()).toEqual(['pending', 'pending', 'pending']);
      expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(6);
    });

    test('in a paused channel all of them wait until it is active', async () => {
      await patchChannel({ status: 'paused' });
      expect(await decide()).toEqual(['scheduled', 'scheduled', 'scheduled']);
      await patchChannel({ status: 'active' });
      expect(await decide()).toEqual(['pending', 'pending', 'pending']);
    });

    test('with a deleted channel all of them are cancelled', async () => {
      expect((await posthorn.request('DELETE', `/v1/channels/${channelId}`)).status).toBe(204);
      expect(await decide()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    });

    test('a message that another process has published meanwhile is not published again', async () => {
      await publishAllDue(createDuePublisher(posthorn));
      expect(await decide()).toEqual(['pending', 'pending', 'pending']);
      expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(3);
    });
  });

  test('four processes whose filters decide at the same moment publish each message once', async () => {
    const ids = await insert(channelId, { count: 120 });
    const processes: Awaited<ReturnType<typeof beginAsking>>[] = [];
    // One after the other: what one has locked is passed over by the next.
    for (let n = 0; n < 4; n += 1) processes.push(await beginAsking());
    await Promise.all(processes.map(({ decide }) => decide()));
    const deliveries = await posthorn.deps.db.delivery.findMany({ where: { channelId } });
    expect(deliveries.map(({ messageId }) => messageId).toSorted()).toEqual(ids.toSorted());
    expect(await posthorn.deps.db.scheduledMessage.count({ where: { channelId } })).toBe(0);
  });

  test('channels whose filters take long leave others their turn, and all is published in the end', async () => {
    const { id: other } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId: other, webhookUrl, filter: 'payload.n == 1' });
    const ids = [...(await insert(channelId, { count: 300 })), ...(await insert(other, { count: 3 }))];
    // Each message is decided about when all of a batch's time is over.
    const slow: Pick<Filters, 'evaluate'> = {
      async evaluate(expressions, input) {
        const verdicts = await posthorn.deps.filters.evaluate(expressions, input);
        const until = performance.now() + 260;
        while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
        return verdicts;
      },
    };
    const publishDue = createDuePublisher(posthorn, slow);
    const published = async (of: string): Promise<number> =>
      posthorn.deps.db.message.count({ where: { channelId: of } });
    for (let batch = 0; batch < 12 && (await published(other)) === 0; batch += 1) await publishDue();
    expect([await published(other), (await published(channelId)) < 20]).toEqual([1, true]);
    await publishAllDue(createDuePublisher(posthorn));
    expect(new Set(await Promise.all(ids.map(statusOf)))).toEqual(new Set(['pending']));
  });

  test('a message that cannot be stored is put off alone in a channel with filters, too', async () => {
    const { pool, db } = posthorn.deps;
    const ids = await insert(channelId, { count: 3 });
    const [bad = ''] = await insert(channelId, { payload: '{"n":1,"text":"bad"}' });
    await pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.payload LIKE '%bad%' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse()`);
    try {
      await publishAllDue(createDuePublisher(posthorn));
    } finally {
      await pool.query('DROP FUNCTION refuse() CASCADE');
    }
    expect(await Promise.all([...ids, bad].map(statusOf))).toEqual(['pending', 'pending', 'pending', 'scheduled']);
    const row = await db.scheduledMessage.findUniqueOrThrow({ where: { id: bad } });
    expect(row.dueAt?.getTime()).toBeGreaterThan(row.deliverAt.getTime() + MINUTE_MS);
  });

  // Regression: 20 messages for tomorrow to a channel with 20 costly filters took 24 s.
  test('no filter is asked about a message that is scheduled, but about what its batch publishes at once', async () => {
    const { deps } = posthorn;
    const held = createHeldFilters(posthorn, '');
    const filters = { ...deps.filters, evaluate: held.evaluate };
    const services = createServices(deps);
    const { streams } = services;
    const publishing = createPublishing(deps, {
      schemas: createSchemas(deps),
      filters,
      configs: createConfigs(deps.pool),
      streams,
      storePublications,
      handOver: noHandOver,
    });
    const api = await startSecondApi(posthorn, { ...services, publishing });
    const bodyOf = (n: number) => ({ eventType: 'a', payload: { n } });
    const batch = [{ ...bodyOf(1), delay: MINUTE_MS }, bodyOf(2), { ...bodyOf(3), delay: MINUTE_MS }];
    const path = `/v1/channels/${channelId}/messages`;
    const answers = [
      await api.request('POST', `${path}/batch`, { messages: batch }),
      await api.request('POST', path, { ...bodyOf(4), delay: MINUTE_MS }),
    ];
    await api.stop();
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(held.asked).toEqual(['{"n":2}']);
    expect(await deps.db.scheduledMessage.count({ where: { channelId } })).toBe(3);
  });
});

describe('publisher ids', () => {
  type MessageJson = { id: string; deliveryStatus: string };
  type Accepted = { count: number; ids: string[] };
  type Refusal = { error: { code: string; details?: { field: string; reason: string } } };

  const HOUR_MS = 3_600_000;
  const message = { eventType: 'order.created', payload: { n: 1 } };
  const ahead = (ms: number): string => new Date(Date.now() + ms).toISOString();

  // Its clock is two hours ahead: what was scheduled for the next hour has passed there.
  let later: Awaited<ReturnType<typeof startSecondApi>>;
  let channelId: string;

  beforeAll(async () => {
    const clock = (): Date => new Date(Date.now() + 2 * HOUR_MS);
    later = await startSecondApi({ keys: posthorn.keys, deps: { ...posthorn.deps, clock } });
  });
  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });
  afterAll(async () => {
    await later.stop();
  });

  const path = (): string => `/v1/channels/${channelId}/messages`;
  const send = (body: unknown): Promise<Answer<MessageJson>> => posthorn.request('POST', path(), body);
  const sendBatch = (messages: unknown): Promise<Answer<Accepted>> =>
    posthorn.request('POST', `${path()}/batch`, { messages });
  const cancel = (id: string): Promise<Answer<MessageJson>> => posthorn.request('POST', `/v1/messages/${id}/cancel`);
  const listWaiting = async (): Promise<string[]> => {
    const { body } = await posthorn.request<PageJson<MessageJson>>('GET', `/v1/channels/${channelId}/scheduled`);
    return body.data.map(({ id }) => id);
  };

  async function expectRefused(
    answering: () => Promise<{ status: number; body: Refusal }>,
    status: number,
    field: string,
  ): Promise<void> {
    const before = await tableContents(posthorn.deps.pool);
    const { status: answered, body } = await answering();
    expect([answered, body.error.details?.field]).toEqual([status, field]);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }

  // Regression: five minutes after its time a repeat was refused for that, whatever its id.
  test('a repeat is answered with the first message long after the time it was scheduled for, alone and in a batch', async () => {
    const scheduled = { ...message, id: 'order-1', deliverAt: ahead(HOUR_MS) };
    const first = await send(scheduled);
    await makeDue(posthorn.deps.pool, channelId);
    await publishAllDue(createDuePublisher(posthorn));

    const again = await later.request<MessageJson>('POST', path(), scheduled);

    expect(again).toMatchObject({ status: 202, body: { id: first.body.id, deliveryStatus: 'unrouted' } });
    const batch = [scheduled, { ...message, id: 'order-2' }];
    const inBatch = await later.request<Accepted>('POST', `${path()}/batch`, { messages: batch });
    expect([inBatch.status, inBatch.body.ids[0]]).toEqual([202, first.body.id]);
    const across = { messages: [{ ...scheduled, channelId }] };
    expect((await later.request<Accepted>('POST', '/v1/messages/transactional', across)).body.ids).toEqual([
      first.body.id,
    ]);
    expect(await posthorn.deps.db.message.count({ where: { channelId } })).toBe(2);
  });

  test('an id that stands for nothing, or for something else, changes nothing about a time that has passed', async () => {
    const scheduled = { ...message, id: 'order-1', deliverAt: ahead(HOUR_MS) };
    const post = (body: unknown) => later.request<Refusal>('POST', path(), body);
    const postBatch = (messages: unknown) => later.request<Refusal>('POST', `${path()}/batch`, { messages });
    await expectRefused(() => post(scheduled), 400, 'deliverAt');
    await send(scheduled);
    await expectRefused(() => post({ ...scheduled, deliverAt: ahead(HOUR_MS / 2) }), 409, 'id');
    await expectRefused(() => post({ ...scheduled, delay: 1 }), 400, 'delay');
    await expectRefused(() => post({ ...scheduled, id: undefined }), 400, 'deliverAt');
    const other = { ...scheduled, id: 'order-2' };
    await expectRefused(() => postBatch([message, scheduled, other]), 400, 'messages[2].deliverAt');
    expect(await listWaiting()).toHaveLength(1);
  });

  // Regression: the answer was 202 with the id of the cancelled message, and nothing was published.
  test('cancelling a message frees its id, for the same and for another message, alone and in a batch', async () => {
    const scheduled = { ...message, id: 'order-1', delay: HOUR_MS };
    const first = await send(scheduled);
    await cancel(first.body.id);

    const second = await send(scheduled);

    expect(second).toMatchObject({ status: 202, body: { deliveryStatus: 'scheduled' } });
    expect(second.body.id).not.toBe(first.body.id);
    expect((await send(scheduled)).body.id).toBe(second.body.id);
    expect(await listWaiting()).toEqual([second.body.id]);
    await cancel(second.body.id);
    const batch = [{ ...scheduled, payload: { n: 2 } }, message];
    const third = await sendBatch(batch);
    expect(third.status).toBe(202);
    expect(await listWaiting()).toEqual([third.body.ids[0]]);
    await expectRefused(() => posthorn.request<Refusal>('POST', path(), scheduled), 409, 'id');
  });

  test('the id of a message that was erased before its time still stands for it', async () => {
    const scheduled = { ...message, id: 'order-1', delay: HOUR_MS };
    const first = await send(scheduled);
    await posthorn.request('DELETE', `/v1/messages/${first.body.id}`);
    const again = await send(scheduled);
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    expect(await listWaiting()).toEqual([]);
  });

  test('one of 20 requests that schedule anew under the id of a cancelled message succeeds, and all get its message', async () => {
    const scheduled = { ...message, id: 'order-1', delay: HOUR_MS };
    const first = await send(scheduled);
    await cancel(first.body.id);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(scheduled)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    expect(await listWaiting()).toEqual([...new Set(answers.map(({ body }) => body.id))]);
  });
});
