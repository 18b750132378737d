import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { storePublications } from '../../src/delivery/record/statements/publish.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { stringifyExact } from '../../src/kernel/values/exact-json.ts';
import { answerTo } from '../../src/messaging/publishing/answer.ts';
import { type Commit, createCommit } from '../../src/messaging/publishing/commit.ts';
import {
  createPublishingConfigs,
  loadPublishingConfig,
  type PublishingConfig,
} from '../../src/messaging/publishing/configs/channel-configs.ts';
import { eventTriggerOf } from '../../src/automations/definitions/plan/events.ts';
import { noHandOver } from '../../src/messaging/publishing/hand-over.ts';
import { createPrepare } from '../../src/messaging/publishing/prepare.ts';
import type { PublishUnit } from '../../src/messaging/publishing/transaction.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, type PageJson } from '../support/make/factories.ts';
import { make } from '../support/make/seed.ts';
import { PATIENT } from '../support/service/patience.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type SecondApi, startSecondApi } from '../support/service/two-apis.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('publisher ids', () => {
  type MessageJson = { id: string; payload: unknown; publishedAt: string; deliveryStatus: string };
  type Accepted = { count: number; ids: string[]; status: string };
  type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };

  const message = { id: 'order-1', eventType: 'order.created', payload: { n: 1 }, metadata: { a: '1', b: '2' } };

  let second: SecondApi;
  let channelId: string;

  beforeAll(async () => {
    second = await startSecondApi(posthorn);
  });
  beforeEach(async () => {
    channelId = (await createChannel(posthorn)).id;
  });
  afterAll(async () => {
    await second.stop();
  });

  const path = (): string => `/v1/channels/${channelId}/messages`;
  const send = <T = MessageJson>(body: unknown): Promise<Answer<T>> => posthorn.request<T>('POST', path(), body);
  const sendBatch = <T = Accepted>(messages: unknown): Promise<Answer<T>> =>
    posthorn.request<T>('POST', `${path()}/batch`, { messages });
  const list = async (): Promise<MessageJson[]> =>
    (await posthorn.request<PageJson<MessageJson>>('GET', `${path()}?limit=100`)).body.data;

  async function expectRefused(
    answering: () => Promise<Answer<Refusal>>,
    status: number,
    field: string,
  ): Promise<void> {
    const before = await tableContents(posthorn.deps.pool);
    const { status: answered, body } = await answering();
    expect([answered, body.error.details?.field]).toEqual([status, field]);
    expect(body.error.code).toBe(status === 409 ? 'CONFLICT' : 'INVALID_REQUEST');
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }

  test('a message published again under the same id returns the first one, in its current state, and publishes nothing', async () => {
    await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const first = await send(message);
    expect(first.status).toBe(202);
    expect(Object.keys(first.body)).not.toContain('publisherId');
    expect(first.body.id).toMatch(/^msg_/);
    await posthorn.deps.pool.query(`UPDATE deliveries SET status = 'delivered', due_at = NULL WHERE message_id = $1`, [
      first.body.id,
    ]);
    const before = await tableContents(posthorn.deps.pool);
    const again = await send({ ...message, metadata: { b: '2', a: '1' } });
    expect([again.status, again.body]).toEqual([202, { ...first.body, deliveryStatus: 'delivered' }]);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    // Nothing is published, so the state of the channel does not matter.
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
    expect((await send(message)).body.id).toBe(first.body.id);
  });

  test('a batch publishes what is new in it and returns the first message in place of each duplicate', async () => {
    const { body: first } = await send(message);
    const batch = [
      { ...message, id: 'order-0' },
      message,
      { ...message, id: 'order-2' },
      { ...message, id: undefined },
    ];
    const answer = await sendBatch(batch);
    expect([answer.status, answer.body.count, answer.body.ids[1]]).toEqual([202, 4, first.id]);
    expect((await list()).map(({ id }) => id)).toEqual([...answer.body.ids.toReversed().toSpliced(2, 1), first.id]);
    const again = await sendBatch(batch.slice(0, 3));
    expect(again.body.ids).toEqual(answer.body.ids.slice(0, 3));
    expect(await list()).toHaveLength(4);
  });

  test.each([
    ['eventType', { eventType: 'order.changed' }],
    ['payload', { payload: { n: 2 } }],
    ['metadata', { metadata: { a: '1' } }],
    ['no metadata', { metadata: undefined }],
  ])('the same id with another %s is CONFLICT and publishes nothing, nor the rest of the batch', async (_, change) => {
    await send(message);
    await expectRefused(() => send({ ...message, ...change }), 409, 'id');
    const batch = [
      { ...message, id: 'order-0' },
      { ...message, ...change },
    ];
    await expectRefused(() => sendBatch(batch), 409, 'messages[1].id');
  });

  test('a payload is the same if its text is, digit for digit', async () => {
    const body = (n: string): string => `{"id":"order-1","eventType":"a","payload":{"n":${n}}}`;
    const first = await send(body('1.0'));
    expect((await send(body('1.0'))).body.id).toBe(first.body.id);
    await expectRefused(() => send(body('1')), 409, 'id');
  });

  test('two messages with one id in a batch are refused', async () => {
    await expectRefused(() => sendBatch([message, { ...message, id: 'order-2' }, message]), 400, 'messages[2].id');
  });

  test.each([
    ['empty', ''],
    ['longer than 128 characters', 'x'.repeat(129)],
    ['with a space', 'a b'],
    ['with a line feed', 'a\n'],
    ['beyond ASCII', 'é'],
    ['a number', 7],
  ])('an id that is %s is refused', async (_, id) => {
    await expectRefused(() => send({ ...message, id }), 400, 'id');
  });

  test('an id may have any 128 visible ASCII characters, for its own channel and environment', async () => {
    const id = String.fromCharCode(...Array.from({ length: 94 }, (_, n) => n + 33)).padEnd(128, '~');
    const first = await send({ ...message, id });
    expect((await send({ ...message, id })).body.id).toBe(first.body.id);
    const other = await createChannel(posthorn);
    const elsewhere = await posthorn.request<MessageJson>('POST', `/v1/channels/${other.id}/messages`, {
      ...message,
      id,
    });
    expect([elsewhere.status, elsewhere.body.id === first.body.id]).toEqual([202, false]);
    const before = await tableContents(posthorn.deps.pool);
    const foreign = await posthorn.request('POST', path(), { ...message, id }, { key: posthorn.keys.test });
    expect([foreign.status, JSON.stringify(foreign.body).includes(first.body.id)]).toEqual([404, false]);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });

  describe('once the schema of the channel requires more', () => {
    const tighten = async (): Promise<void> => {
      const schemas = { 'order.created': { type: 'object', required: ['amount'] } };
      const { status } = await posthorn.request('PATCH', `/v1/channels/${channelId}`, {
        schemas,
        schemaMode: 'enforce',
      });
      expect(status).toBe(200);
    };
    const fitting = { ...message, id: 'order-2', payload: { amount: 1 } };

    test('a message published again returns the first one, whether this process has the schema cached or not', async () => {
      const first = await send(message);
      await tighten();
      const unaware = await send(message);
      await send(fitting);
      const aware = await send(message);
      expect([unaware, aware].map(({ status, body }) => [status, body.id])).toEqual([
        [202, first.body.id],
        [202, first.body.id],
      ]);
      expect((await sendBatch([message, { ...fitting, id: 'order-3' }])).body.ids[0]).toBe(first.body.id);
      expect(await list()).toHaveLength(3);
    });

    test('a new message violates it, and its id stays free', async () => {
      await tighten();
      await expectRefused(() => send(message), 400, 'payload.amount');
      await expectRefused(() => sendBatch([fitting, message]), 400, 'messages[1].payload.amount');
      expect((await send({ ...message, payload: { amount: 2 } })).status).toBe(202);
    });

    test('another message under a known id is CONFLICT, before its payload is validated', async () => {
      await send(message);
      await tighten();
      await expectRefused(() => send({ ...message, payload: { n: 2 } }), 409, 'id');
      await expectRefused(
        () =>
          sendBatch([
            { ...message, id: 'order-9' },
            { ...message, payload: {} },
          ]),
        409,
        'messages[1].id',
      );
    });

    test('one that violates it is refused alone: the rest of its transaction is published', async () => {
      await tighten();
      const ids = Array.from({ length: 20 }, (_, n) => `order-${n}`);
      const answers = await Promise.all(
        ids.map((id, n) => send({ ...message, id, payload: n % 2 === 0 ? { amount: n } : { n } })),
      );
      expect(answers.map(({ status }) => status)).toEqual(ids.map((_, n) => (n % 2 === 0 ? 202 : 400)));
      expect(await list()).toHaveLength(10);
    });
  });

  test('an id that was refused is free', async () => {
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
    expect((await send(message)).status).toBe(409);
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
    expect((await send({ ...message, payload: { n: 2 } })).status).toBe(202);
  });

  /**
   * Sends like a caller that retries when told to: a request that met another one under its id, on a machine that stalls in its
   * transaction for five seconds, is 409 with Retry-After. Every other refusal of an id has no Retry-After.
   */
  const sendTo = (url: string, body: unknown): Promise<Response> =>
    waitFor('the id to be free', async () => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (response.status !== 409 || !response.headers.has('retry-after')) return response;
      await response.body?.cancel();
      return false;
    });

  test('50 at once through two API instances are one message, and all receive it', async () => {
    await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const response = await sendTo((n % 2 === 0 ? posthorn.url : second.url) + path(), message);
        return [response.status, await response.text()];
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(202);
    expect(await list()).toHaveLength(1);
    expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(1);
  });

  test('batches with the same ids in opposite orders wait for each other without a deadlock', async () => {
    const { pool } = posthorn.deps;
    // Each id takes 20 ms, so that all are in progress at once.
    await pool.query(`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$;
    CREATE TRIGGER slowly BEFORE INSERT ON publisher_ids FOR EACH ROW EXECUTE FUNCTION slowly()`);
    const messages = Array.from({ length: 10 }, (_, n) => ({ ...message, id: `order-${n}` }));
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const batch = n % 2 === 0 ? messages : messages.toReversed();
        const url = `${n % 3 === 0 ? posthorn.url : second.url}${path()}/batch`;
        const response = await sendTo(url, { messages: batch });
        const { ids = [] } = (await response.json()) as Partial<Accepted>;
        return { status: response.status, ids: n % 2 === 0 ? ids : ids.toReversed() };
      }),
    );
    await pool.query('DROP FUNCTION slowly() CASCADE');
    expect(answers).toEqual(answers.map(() => ({ status: 202, ids: answers[0]?.ids })));
    expect(await list()).toHaveLength(10);
  });

  test('after 24 hours an id is free for another message', async () => {
    const first = await send(message);
    await posthorn.deps.pool.query(
      `UPDATE publisher_ids SET expires_at = now() - interval '1 second' WHERE channel_id = $1`,
      [channelId],
    );
    const later = await send({ ...message, payload: { n: 2 } });
    expect([later.status, later.body.id === first.body.id]).toEqual([202, false]);
    expect((await send({ ...message, payload: { n: 2 } })).body.id).toBe(later.body.id);
    const { rows } = await posthorn.deps.pool.query<{ hours: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float / 3600 AS hours FROM publisher_ids WHERE channel_id = $1`,
      [channelId],
    );
    expect(rows).toEqual([{ hours: expect.closeTo(24, 1) }]);
  });

  test('an id whose message is deleted is still in use', async () => {
    const first = await send(message);
    await posthorn.deps.db.message.delete({ where: { id: first.body.id } });
    const again = await send(message);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(await list()).toEqual([]);
  });

  test('an id that is null counts as none', async () => {
    const { body: first } = await send({ ...message, id: null });
    const { body: second } = await send({ ...message, id: null });
    expect(first.id).toMatch(/^msg_/);
    expect(second.id).not.toBe(first.id);
  });

  test('a test message of a subscription has no such id', async () => {
    const { id } = await make(posthorn, posthorn.keys.live, '/v1/subscriptions', {
      channelId,
      webhookUrl: 'https://example.com/in',
    });
    await expectRefused(
      () => posthorn.request('POST', `/v1/subscriptions/${id}/test`, { id: 'x', payload: {} }),
      400,
      'id',
    );
  });
});

describe('publishing configs', () => {
  /** Creates a channel with one filter, and a way to request its configuration; what was read is returned only once `opened` settles. */
  async function setUp(opened: Promise<unknown> = Promise.resolve()) {
    const { id: channelId } = await createChannel(posthorn);
    const webhookUrl = 'https://example.com/in';
    const filter = 'payload.n == 0';
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl, filter, eventTypes: ['order.*'] });
    const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
    let reads = 0;
    const configs = createPublishingConfigs(async (...which) => {
      reads += 1;
      const config = await loadPublishingConfig({ pool: posthorn.deps.pool, readTrigger: eventTriggerOf }, ...which);
      await opened;
      return config;
    });
    return {
      channelId,
      subscriptionId: id,
      reads: () => reads,
      of: async () => configs.of(environmentId, channelId),
      newest: () => configs.newest(environmentId, channelId),
      patch: (body: unknown) => posthorn.request('PATCH', `/v1/subscriptions/${id}`, body),
    };
  }

  const filtersIn = (config: PublishingConfig | undefined): string[] | undefined =>
    config?.filters.map(({ expression }) => expression);

  describe('the configuration of a channel', () => {
    test('has its filters, each once, with the subscriptions that use it', async () => {
      const { subscriptionId, newest } = await setUp();
      const config = await newest();
      const subscriptions = [{ id: subscriptionId, eventTypes: ['order.*'] }];
      expect(config?.filters).toEqual([{ expression: 'payload.n == 0', subscriptions }]);
    });

    test('that has not changed is not read again', async () => {
      const { newest, patch } = await setUp();
      const first = await newest();
      await patch({ name: 'other', headers: { a: 'b' }, filter: 'payload.n == 0' });
      expect(await newest()).toBe(first);
      await patch({ filter: 'payload.n == 1' });
      expect(filtersIn(await newest())).toEqual(['payload.n == 1']);
    });

    test('requested by many at once is read once more, and not too early for any', async () => {
      let open = (): void => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      const { reads, of, newest, patch } = await setUp(opened);
      const early = [of(), of(), newest()];
      await patch({ filter: 'payload.n == 1' });
      const late = Array.from({ length: 50 }, newest);
      open();
      await Promise.all(early);
      expect((await Promise.all(late)).map(filtersIn)).toEqual(Array.from(late, () => ['payload.n == 1']));
      expect(reads()).toBe(2);
    });

    test.each([
      ['a filter', { filter: 'true' }, true],
      ['no filter any more', { filter: null }, true],
      ['other event types beside its filter', { eventTypes: [] }, true],
      ['the filter that it has', { filter: 'payload.n == 0' }, false],
      ['another name', { name: 'other' }, false],
    ])('changes when a subscription gets %s: %j %j', async (_, body, isChanged) => {
      const { newest, patch } = await setUp();
      const before = await newest();
      expect((await patch(body)).status).toBe(200);
      expect((await newest())?.version !== before?.version).toBe(isChanged);
    });

    test('has the workflows and waits that concern its messages, and none of other channels', async () => {
      const { channelId, newest } = await setUp();
      const { id: otherId } = await createChannel(posthorn);
      const begin = async (config: object, waits: object): Promise<string> => {
        const steps = [{ id: 'wait', type: 'wait_for_event', config: { ...waits, timeout: '1h' } }];
        const trigger = { type: 'event', config };
        const made = { name: 'test', status: 'active', trigger, steps };
        const { status, body } = await posthorn.request('POST', '/v1/workflows', made);
        expect(status).toBe(201);
        return (body as { id: string }).id;
      };
      const own = await begin({ channelId }, { channelId, eventType: 'own' });
      const ofBoth = await begin({ channelIds: [otherId, channelId] }, { channelIds: [otherId, channelId] });
      // Only its filter contains the words with which a trigger names channels.
      const filter = `payload.text == '"channelId": "${otherId}"'`;
      const ofAll = await begin({ eventType: 'order.paid', filter }, { eventType: 'all' });
      await begin({ channelId: otherId }, { channelId: otherId, eventType: 'other' });
      const config = await newest();
      expect(config?.triggers.map(({ workflowId }) => workflowId).toSorted()).toEqual([own, ofBoth, ofAll].toSorted());
      const named = { channelIds: [channelId], eventTypes: ['own'] };
      const both = { channelIds: [otherId, channelId], eventTypes: [] };
      const all = { channelIds: [], eventTypes: ['all'] };
      expect(config?.listens).toHaveLength(3);
      expect(config?.listens).toEqual(expect.arrayContaining([named, both, all]));
    });
  });
});

describe('commit', () => {
  let environmentId: string;
  let channelId: string;
  let pool: Pool;
  let commit: Commit;
  let woken: string[];
  /** Every statement that PostgreSQL receives: its name, or its first word. */
  let statements: string[];

  beforeAll(async () => {
    ({ id: channelId } = await createChannel(posthorn));
    ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
    pool = createPool(posthorn.database.url, { max: 3, ...PATIENT });
    pool.on('connect', (client) => {
      const { query } = client;
      client.query = ((...given: unknown[]) => {
        // `as`: the service passes a text, or a statement with a name or a text.
        const [asked] = given as [string | { name?: string; text: string }];
        const { name, text } = typeof asked === 'string' ? { name: undefined, text: asked } : asked;
        statements.push(name ?? text.trim().split(/\s/)[0] ?? '');
        return (query as (...parts: unknown[]) => unknown).apply(client, given);
      }) as typeof query;
    });
  });
  beforeEach(async () => {
    ({ id: channelId } = await createChannel(posthorn));
    statements = [];
    woken = [];
    commit = createCommit({
      pool,
      log: posthorn.deps.log,
      storePublications,
      handOver: noHandOver,
      streams: { wake: (id) => woken.push(id) },
    });
  });
  afterAll(async () => {
    await pool.end();
  });

  const request = <B>(body: B) => ({ body, bodyText: JSON.stringify(body), header: () => undefined });
  type Terms = { to?: string; id?: string; delay?: number; configVersion?: number; isKeyed?: boolean };
  /** A request for one message, after validation. */
  function unit({ to = channelId, id, delay, configVersion, isKeyed = false }: Terms = {}): PublishUnit {
    const body = { eventType: 'order.created', payload: { n: 1 }, id, delay };
    const { toPublish, naming, asked } = createPrepare(posthorn.deps).single(environmentId, to, request(body));
    const key = { environmentId, id: randomBytes(32), requestHash: randomBytes(32) };
    return {
      publications: toPublish.map(({ publication }) => ({
        ...publication,
        ...(configVersion !== undefined && { configVersion }),
      })),
      naming,
      asked,
      warnings: [],
      ...(isKeyed && { keep: { request: key, status: 202, headers: {} } }),
    };
  }

  /** Commits units that come together. Returns for each the text of its answer, `stale`, or the code of its refusal. */
  const together = (units: readonly PublishUnit[]): Promise<string[]> =>
    Promise.all(
      units.map(async (each) => {
        try {
          const outcome = await commit(each);
          return outcome === 'stale' ? outcome : stringifyExact(answerTo(each.asked, outcome));
        } catch (refusal) {
          return refusal instanceof Error && 'code' in refusal ? String(refusal.code) : String(refusal);
        }
      }),
    );
  const idIn = (answer: string | undefined): unknown => (JSON.parse(answer ?? '') as { id: unknown }).id;
  const stored = (): Promise<number> => posthorn.deps.db.message.count({ where: { channelId } });

  describe('publishes that come together', () => {
    test('without keys, ids and times of their own are one statement, without a transaction around it', async () => {
      const answers = await together(Array.from({ length: 20 }, () => unit()));
      expect(new Set(answers.map(idIn)).size).toBe(20);
      expect(statements).toEqual(['publish']);
      expect(await stored()).toBe(20);
      expect(woken).toEqual(Array.from(answers, () => channelId));
    });

    test('are that one statement where some are refused, and nothing of these is stored', async () => {
      const { id: paused } = await createChannel(posthorn);
      await posthorn.request('PATCH', `/v1/channels/${paused}`, { status: 'paused' });
      const refused = [unit({ to: paused }), unit({ to: 'chn_none' }), unit({ configVersion: 99 })];
      const [fine, ...others] = await together([unit(), ...refused]);
      expect(others).toEqual(['CONFLICT', 'NOT_FOUND', 'stale']);
      expect(fine).toContain('"deliveryStatus":"unrouted"');
      expect(statements).toEqual(['publish']);
      expect(await stored()).toBe(1);
      expect(await posthorn.deps.db.message.count({ where: { channelId: paused } })).toBe(0);
      expect(woken).toEqual([channelId]);
    });

    test('with keys are one transaction, which asks only for what they need', async () => {
      await together([unit({ isKeyed: true }), unit({ isKeyed: true })]);
      expect(statements).toEqual(['BEGIN', 'SET', 'publish', 'keep-answers', 'COMMIT']);
      expect(await stored()).toBe(2);
    });

    test('with keys are made again without one that was checked by an older configuration', async () => {
      const answers = await together([unit({ isKeyed: true }), unit({ isKeyed: true, configVersion: 99 })]);
      expect(answers[1]).toBe('stale');
      expect(statements).toEqual([
        'BEGIN',
        'SET',
        'publish',
        'ROLLBACK',
        'BEGIN',
        'SET',
        'publish',
        'keep-answers',
        'COMMIT',
      ]);
      expect(await stored()).toBe(1);
    });

    test('hold each other up in no way: plain ones go beside those with keys', async () => {
      await together([unit(), unit({ isKeyed: true }), unit()]);
      expect(statements.filter((statement) => statement === 'publish')).toHaveLength(2);
      expect(await stored()).toBe(3);
    });
  });

  /** A request for 100 messages to a channel that is believed to have 1,000 subscriptions without a filter. */
  function wideUnit(to = channelId, ofEnvironment = environmentId, width = { unfiltered: 1_000 }): PublishUnit {
    const messages = Array.from({ length: 100 }, (_, n) => ({ eventType: 'order.created', payload: { n } }));
    const prepared = createPrepare(posthorn.deps).batch(ofEnvironment, to, request({ messages }));
    return {
      publications: prepared.toPublish.map(({ publication }) => ({ ...publication, width })),
      naming: prepared.naming,
      asked: prepared.asked,
      warnings: [],
    };
  }

  /** A channel of the other environment. */
  async function foreignChannel(): Promise<{ id: string; environmentId: string }> {
    const { body } = await posthorn.request<{ id: string }>(
      'POST',
      '/v1/channels',
      { name: 'theirs' },
      { key: posthorn.keys.test },
    );
    const row = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: body.id } });
    return { id: row.id, environmentId: row.environmentId };
  }

  /** The channels of the transactions that have published, one after the other. */
  const transactions = async (...channelIds: string[]): Promise<string[][]> =>
    (
      await posthorn.deps.pool.query<{ ids: string[] }>(
        `SELECT array_agg(DISTINCT channel_id) AS ids FROM messages WHERE channel_id = ANY ($1)
       GROUP BY transaction_id ORDER BY transaction_id`,
        [channelIds],
      )
    ).rows.map(({ ids }) => ids);

  describe('a wide request', () => {
    test('shares no transaction with another one, and with none of another environment', async () => {
      const theirs = await foreignChannel();
      await together([wideUnit(), unit(), wideUnit()]);
      expect(await transactions(channelId)).toHaveLength(3);
      await together([wideUnit(theirs.id, theirs.environmentId), unit()]);
      expect(await transactions(theirs.id, channelId)).toHaveLength(5);
    });

    test('waits for one of each other environment, not for all that one environment publishes', async () => {
      const theirs = await foreignChannel();
      await together([...Array.from({ length: 3 }, () => wideUnit()), wideUnit(theirs.id, theirs.environmentId)]);
      expect(await transactions(channelId, theirs.id)).toEqual([[channelId], [theirs.id], [channelId], [channelId]]);
    });

    test('is refused once half a million rows of its environment wait, while all other requests are stored', async () => {
      const theirs = await foreignChannel();
      const answers = await together([
        ...Array.from({ length: 7 }, () => wideUnit()),
        wideUnit(theirs.id, theirs.environmentId),
        unit(),
      ]);
      expect(answers.map((answer) => answer === 'UNAVAILABLE')).toEqual([
        ...Array.from({ length: 5 }, () => false),
        true,
        true,
        false,
        false,
      ]);
      expect(await stored()).toBe(501);
    });

    test('is wide no longer when its channel has lost subscriptions, and the next one is when it has gained some', async () => {
      for (let count = 0; count < 3; count += 1)
        await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
      const [tooWide, tooNarrow] = [{ unfiltered: 1_000 }, { unfiltered: 0 }];
      await together([wideUnit(channelId, environmentId, tooWide), wideUnit(channelId, environmentId, tooNarrow)]);
      expect([tooWide, tooNarrow]).toEqual([{ unfiltered: 3 }, { unfiltered: 3 }]);
    });
  });

  test('requests whose rows do not fit into one transaction are stored in several, and environments take turns', async () => {
    const theirs = await foreignChannel();
    const width = { unfiltered: 12 };
    const ofOne = Array.from({ length: 9 }, () => wideUnit(channelId, environmentId, width));
    await together([...ofOne, wideUnit(theirs.id, theirs.environmentId, width)]);
    const inOrder = await transactions(channelId, theirs.id);
    expect(inOrder).toHaveLength(10);
    // Two are stored at a time: on a busy machine some of the next ones may overtake it, and in the order of coming it would be the last.
    expect(inOrder.findIndex(([id]) => id === theirs.id)).toBeLessThan(6);
  });

  describe('a message that its publisher had published under the same id', () => {
    /** Publishes it again under a key. Returns the answer, which is the one that is kept, and is the message as it is now. */
    async function publishAgain(terms: Terms): Promise<Record<string, unknown>> {
      statements = [];
      const again = unit({ id: 'order-1', isKeyed: true, ...terms });
      const [answer = ''] = await together([again]);
      expect(statements.filter((statement) => statement !== 'SELECT')).toEqual([
        'BEGIN',
        'SET',
        'INSERT',
        'keep-answers',
        'COMMIT',
      ]);
      const kept = await posthorn.deps.db.idempotencyKey.findUniqueOrThrow({
        where: { id: Uint8Array.from(again.keep?.request.id ?? []) },
      });
      expect(kept.body).toBe(answer);
      const { body } = await posthorn.request<Record<string, unknown>>('GET', `/v1/messages/${String(idIn(answer))}`);
      expect(JSON.parse(answer)).toEqual(body);
      return body;
    }

    test('is read by the transaction that finds it', async () => {
      await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
      const [first] = await together([unit({ id: 'order-1' })]);
      expect(await publishAgain({})).toMatchObject({ id: idIn(first), deliveryStatus: 'pending', payload: { n: 1 } });
    });

    test('and that waits, or was to wait, is read there too', async () => {
      const [first] = await together([unit({ id: 'order-1', delay: 60_000 })]);
      const id = idIn(first);
      expect(await publishAgain({ delay: 60_000 })).toMatchObject({
        id,
        deliveryStatus: 'scheduled',
        payload: { n: 1 },
      });
      await posthorn.request('DELETE', `/v1/messages/${String(id)}`);
      const erased = await publishAgain({ delay: 60_000 });
      expect(erased).toMatchObject({ id, deliveryStatus: 'cancelled', cancelReason: 'erased' });
      expect(erased).not.toHaveProperty('payload');
    });
  });
});
