import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createFilters } from '../../src/messaging/filters/filters.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { createConfigs } from '../../src/process/assembly/create-dependencies.ts';
import { createCheck } from '../../src/messaging/publishing/check.ts';
import { createSchemas } from '../../src/messaging/schemas/schemas.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { createSubscription } from '../support/make/factories.ts';
import { ORDER, type Problem, type Refusal, schemaCalls } from '../support/make/schema-calls.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/second-api.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('channel schemas', () => {
  const { channel, patch, publish, messagesOf } = schemaCalls(() => posthorn);
  const publishBatch = <T = { ids: string[]; warnings?: Problem[] }>(id: string, payloads: unknown[]) =>
    posthorn.request<T>('POST', `/v1/channels/${id}/messages/batch`, {
      messages: payloads.map((payload) => ({ eventType: 'order.created', payload })),
    });

  /** Expects INVALID_REQUEST at that field, and every table as it was. */
  async function expectRefused(act: () => Promise<Answer<Refusal>>, field: string, reason: RegExp | string) {
    const before = await tableContents(posthorn.deps.pool);
    const { status, body } = await act();
    expect([status, body.error.code, body.error.details?.field]).toEqual([400, 'INVALID_REQUEST', field]);
    expect(body.error.details?.reason).toMatch(reason);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }

  describe('a payload that does not fit the schema of its channel', () => {
    test.each([
      [{}, 'payload.amount', 'is required'],
      [{ amount: '7' }, 'payload.amount', 'must be a number'],
      [{ amount: -1 }, 'payload.amount', 'must be at least 0'],
      [{ amount: 1, currency: 'eur' }, 'payload.currency', 'must match the pattern "^[A-Z]{3}$"'],
      [{ amount: 1, lines: [{ sku: 'a' }, {}] }, 'payload.lines[1].sku', 'is required'],
      [{ amount: 1, lines: [{ sku: 7 }] }, 'payload.lines[0].sku', 'must be a string'],
    ])('%j is refused at %s, and nothing is published', async (payload, field, reason) => {
      const id = await channel({ schema: ORDER });
      const isReason = new RegExp(`^${reason.replaceAll(/[$^*+?.()|[\]{}\\]/g, String.raw`\$&`)}$`);
      await expectRefused(() => publish<Refusal>(id, payload), field, isReason);
    });

    test.each<[Record<string, unknown>, unknown, string, string]>([
      [{ additionalProperties: false }, { 'two words': 1 }, 'payload["two words"]', 'is not allowed by the schema'],
      [{ propertyNames: { maxLength: 2 } }, { long: 1 }, 'payload.long', 'must have a name that the schema allows'],
      [{ properties: { a: { enum: ['x', 1] } } }, { a: 2 }, 'payload.a', 'must be one of "x", 1'],
      [{ properties: { a: { const: [1] } } }, { a: 2 }, 'payload.a', 'must be [1]'],
      [{ properties: { a: { format: 'date' } } }, { a: '2026-02-30' }, 'payload.a', 'must be a valid date'],
      [{ properties: { a: false } }, { a: 1 }, 'payload.a', 'is not allowed by the schema'],
      [
        { properties: { a: { uniqueItems: true } } },
        { a: [1, 2, 1] },
        'payload.a',
        'must not contain the same item twice (0 and 2)',
      ],
      [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'payload.b', 'is required together with "a"'],
      [
        JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'),
        { a: 1 },
        'payload.b',
        'is required',
      ],
      [
        { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
        {},
        'payload',
        'must match at least one of the schemas at #/anyOf',
      ],
      [
        { properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: ['null', 'integer'] } } },
        { a: 1.5 },
        'payload.a',
        'must be null or a whole number',
      ],
      // Members of the payload itself, not members that every object inherits.
      [{ required: ['toString'] }, {}, 'payload.toString', 'is required'],
    ])('under %j says where and why: %j', async (schema, payload, field, reason) => {
      const id = await channel({ schema });
      const { status, body } = await publish<Refusal>(id, payload);
      expect([status, body.error.details]).toEqual([400, { field, reason }]);
      expect(body.error.message).toBe(`${field}: ${reason}`);
    });

    test('fails its whole batch, named by its place', async () => {
      const id = await channel({ schema: ORDER });
      await expectRefused(
        () => publishBatch<Refusal>(id, [{ amount: 1 }, { amount: 2 }, { amount: 'x' }, {}]),
        'messages[2].payload.amount',
        'must be a number',
      );
      expect((await publishBatch(id, [{ amount: 1 }, { amount: 2 }])).status).toBe(202);
      expect(await messagesOf(id)).toHaveLength(2);
    });

    test('is checked against the schema of its event type as well, and against no other', async () => {
      const id = await channel({
        schema: { required: ['id'] },
        schemas: { 'order.paid': { required: ['amount'] }, 'order.*': { required: ['star'] } },
      });
      expect((await publish<Refusal>(id, { amount: 1 }, 'order.paid')).body.error.details?.field).toBe('payload.id');
      expect((await publish<Refusal>(id, { id: 1 }, 'order.paid')).body.error.details?.field).toBe('payload.amount');
      expect((await publish(id, { id: 1, amount: 1 }, 'order.paid')).status).toBe(202);
      expect((await publish(id, { id: 1 }, 'order.sent')).status).toBe(202);
    });

    test('is refused in a test message when the caller gave it; the own payload of the platform always goes', async () => {
      const id = await channel({ schema: ORDER });
      const subscription = await createSubscription(posthorn, { channelId: id, webhookUrl: 'http://127.0.0.1:4999/' });
      const path = `/v1/subscriptions/${subscription.id}/test`;
      await expectRefused(() => posthorn.request<Refusal>('POST', path, { payload: {} }), 'payload.amount', 'required');
      expect((await posthorn.request('POST', path, { payload: { amount: 1 } })).status).toBe(202);
      expect((await posthorn.request('POST', path)).status).toBe(202);
    });

    test('is refused with the same words when it has more than 64 KiB, or under a schema of any cost', async () => {
      const filler = 'x'.repeat(100_000);
      const id = await channel({ schema: ORDER });
      await expectRefused(() => publish<Refusal>(id, { filler }), 'payload.amount', /^is required$/);
      expect((await publish(id, { filler, amount: 1 })).status).toBe(202);
      const costly = await channel({
        schema: { ...ORDER, properties: { ...ORDER.properties, tags: { uniqueItems: true } } },
      });
      await expectRefused(() => publish<Refusal>(costly, { amount: 'x' }), 'payload.amount', /^must be a number$/);
      expect((await publish(costly, { amount: 1, tags: [1, 2] })).status).toBe(202);
    });
  });

  describe('numbers', () => {
    test('are checked as the numbers they are and kept as the text they were', async () => {
      const id = await channel({
        schema: {
          properties: { price: { multipleOf: 0.01 }, count: { type: 'integer', minimum: 12345678901234500000 } },
        },
      });
      const text = '{"price":1.10,"count":12345678901234567890}';
      const answer = await fetch(`${posthorn.url}/v1/channels/${id}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' },
        body: `{"eventType":"a","payload":${text}}`,
      });
      expect(answer.status).toBe(202);
      expect(await answer.text()).toContain(text);
      await expectRefused(() => publish<Refusal>(id, { price: 1.105 }), 'payload.price', 'multiple of 0.01');
    });

    test('count by the last value when a key stands twice, as in the message', async () => {
      const id = await channel({ schema: { properties: { a: { type: 'string' } } } });
      const send = (payload: string) =>
        posthorn.request('POST', `/v1/channels/${id}/messages`, `{"eventType":"a","payload":${payload}}`);
      expect((await send('{"a":1,"a":"x"}')).status).toBe(202);
      expect((await send('{"a":"x","a":1}')).status).toBe(400);
    });
  });

  describe('a channel that warns', () => {
    test('publishes what does not fit and says where it does not, one message or a batch', async () => {
      const id = await channel({
        schema: ORDER,
        schemas: { 'order.created': { required: ['id'] } },
        schemaMode: 'warn',
      });
      const single = await publish(id, {});
      expect(single.status).toBe(202);
      expect(single.body.warnings).toEqual([
        { field: 'payload.amount', reason: 'is required' },
        { field: 'payload.id', reason: 'is required' },
      ]);
      const batch = await publishBatch(id, [
        { amount: 1, id: 1 },
        { amount: 'x', id: 2 },
      ]);
      expect(batch.body.warnings).toEqual([{ field: 'messages[1].payload.amount', reason: 'must be a number' }]);
      expect((await publish(id, { amount: 1, id: 1 })).body).not.toHaveProperty('warnings');
      expect(await messagesOf(id)).toHaveLength(4);
      // The record has no place for warnings: they are an answer, not a part of the message.
      expect(await messagesOf(id)).not.toContainEqual(expect.objectContaining({ warnings: expect.anything() }));
    });

    test('is made by PATCH, and is enforcing again by another one', async () => {
      const id = await channel({ schema: ORDER });
      expect((await patch(id, { schemaMode: 'warn' })).body).toMatchObject({ schemaMode: 'warn' });
      expect((await publish(id, {})).status).toBe(202);
      await patch(id, { schemaMode: 'enforce' });
      expect((await publish(id, {})).status).toBe(400);
    });
  });

  test('the first channel in the request that refuses is named, however long its check takes', async () => {
    const [slow, quick] = [await channel({ schema: ORDER }), await channel({ schema: ORDER })];
    const messages = [
      { channelId: slow, eventType: 'a', payload: { text: 'x'.repeat(100_000) } },
      { channelId: quick, eventType: 'a', payload: {} },
    ];
    await expectRefused(
      () => posthorn.request('POST', '/v1/messages/transactional', { messages }),
      'messages[0].payload.amount',
      'is required',
    );
  });

  describe('trying payloads', () => {
    const tryOut = <T = { valid: boolean; results: { valid: boolean; errors: Problem[] }[] }>(
      id: string,
      body: unknown,
    ) => posthorn.request<T>('POST', `/v1/channels/${id}/validate`, body);

    test('says of each whether it would be taken, whatever the mode, and publishes nothing', async () => {
      const id = await channel({ schema: ORDER, schemas: { 'order.paid': { required: ['id'] } }, schemaMode: 'warn' });
      const before = await tableContents(posthorn.deps.pool);
      const answer = await tryOut(id, {
        messages: [
          { eventType: 'order.created', payload: { amount: 1 } },
          { eventType: 'order.paid', payload: { amount: 'x' } },
        ],
      });
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          valid: false,
          results: [
            { valid: true, errors: [] },
            {
              valid: false,
              errors: [
                { field: 'payload.amount', reason: 'must be a number' },
                { field: 'payload.id', reason: 'is required' },
              ],
            },
          ],
        },
      ]);
      expect((await tryOut(id, { eventType: 'a', payload: { amount: 1 } })).body).toEqual({
        valid: true,
        results: [{ valid: true, errors: [] }],
      });
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    });

    test('takes schemas that are not saved in place of all schemas of the channel', async () => {
      const id = await channel({ schema: ORDER, schemas: { 'order.paid': { required: ['id'] } } });
      const before = await tableContents(posthorn.deps.pool);
      const tried = async (eventType: string, schemas: Record<string, unknown>): Promise<string[]> => {
        const { body } = await tryOut(id, { eventType, payload: { total: 1 }, ...schemas });
        return body.results.flatMap(({ errors }) => errors.map(({ field }) => field));
      };
      expect(await tried('order.paid', {})).toEqual(['payload.amount', 'payload.id']);
      expect(await tried('order.paid', { schema: { required: ['tax'] } })).toEqual(['payload.tax']);
      expect(await tried('order.paid', { schemas: {} })).toEqual([]);
      expect(await tried('order.paid', { schema: null })).toEqual(['payload.amount', 'payload.id']);
      const byType = { 'order.paid': { properties: { total: { type: 'string' } } } };
      expect(await tried('order.paid', { schemas: byType })).toEqual(['payload.total']);
      expect(await tried('order.created', { schemas: byType })).toEqual([]);
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    });

    test.each<[Record<string, unknown>, string]>([
      [{ schema: { type: 'text' } }, 'schema'],
      [{ schema: [] }, 'schema'],
      [{ schemas: { 'order.paid': { pattern: '(' } } }, 'schemas["order.paid"]'],
      [{ schemas: { '': {} } }, 'schemas[""]'],
    ])('refuses a schema that no channel could have (%#)', async (schemas, field) => {
      const id = await channel({ schema: ORDER });
      await expectRefused(() => tryOut<Refusal>(id, { eventType: 'a', payload: {}, ...schemas }), field, /./);
    });

    test.each<[unknown, string]>([
      [{}, 'eventType'],
      [{ eventType: 'a' }, 'payload'],
      [{ payload: {} }, 'eventType'],
      [{ messages: [] }, 'messages'],
      [{ messages: Array.from({ length: 101 }, () => ({ eventType: 'a', payload: {} })) }, 'messages'],
      [{ messages: [{ eventType: 'a', payload: [] }] }, 'messages[0].payload'],
      [{ messages: [{ eventType: 'a', payload: {} }], eventType: 'a' }, 'messages'],
      [{ eventType: 'a', payload: { a: 'x'.repeat(262_144) } }, 'payload'],
    ])('needs messages within the bounds of publishing (%#)', async (body, field) => {
      const id = await channel({});
      await expectRefused(() => tryOut<Refusal>(id, body), field, /./);
    });
  });
});

describe('channel schema changes', () => {
  const { channel, patch, publish, messagesOf } = schemaCalls(() => posthorn);

  test('a refused payload is checked a second time only where the schema has changed', async () => {
    const { log, pool, db } = posthorn.deps;
    const channelId = await channel({ schema: ORDER });
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const schemas = createSchemas({ log });
    let checks = 0;
    const { check } = createCheck({
      configs: createConfigs(pool),
      newId: createNewId(Date.now),
      schemas: {
        ...schemas,
        check(...of) {
          checks += 1;
          return schemas.check(...of);
        },
      },
      filters: createFilters(),
    });
    const payload = { eventType: 'a', payload: {}, text: '{}', at: ['payload'] };
    const refusal = async (): Promise<unknown> =>
      check([{ publication: { environmentId, channelId, messages: [] }, payloads: [payload] }], 'known').catch(
        (error: unknown) => error,
      );
    expect([await refusal(), checks]).toMatchObject([{ details: { field: 'payload.amount' } }, 1]);
    expect([await refusal(), checks]).toMatchObject([{ details: { field: 'payload.amount' } }, 2]);
    await patch(channelId, { schema: { required: ['id'] } });
    expect([await refusal(), checks]).toMatchObject([{ details: { field: 'payload.id' } }, 4]);
  });

  // Regression: each channel had a turn of its own, so that a tenant of many channels had as many turns as channels.
  test('all channels of an environment take one turn of the thread that checks', async () => {
    const { pool, db } = posthorn.deps;
    const keys: string[] = [];
    const { check, problemsIn } = createCheck({
      configs: createConfigs(pool),
      newId: createNewId(Date.now),
      schemas: {
        refuseBad: () => Promise.resolve(),
        check(_, { key }) {
          keys.push(key);
          return undefined;
        },
      },
      filters: createFilters(),
    });
    const payloads = [{ eventType: 'a', payload: {}, text: '{}', at: ['payload'] }];
    const environments = new Set<string>();
    for (const mode of ['enforce', 'enforce', 'warn']) {
      const channelId = await channel({ schema: ORDER, schemaMode: mode });
      const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
      environments.add(environmentId);
      await check([{ publication: { environmentId, channelId, messages: [] }, payloads }], 'known');
      await problemsIn({ environmentId, channelId }, payloads);
    }
    expect(environments.size).toBe(1);
    expect(keys).toEqual(Array.from({ length: 6 }, () => [...environments][0]));
  });

  describe('a change of the schema', () => {
    test('in one process is enforced by the next publish through the other one, which then asks PostgreSQL no more', async () => {
      const other = await startSecondApi(posthorn);
      try {
        const id = await channel({});
        const through = (payload: unknown) =>
          other.request<Refusal>('POST', `/v1/channels/${id}/messages`, { eventType: 'a', payload });
        expect((await through({})).status).toBe(202);
        await patch(id, { schema: ORDER });
        const refused = await through({});
        expect([refused.status, refused.body.error.details?.field]).toEqual([400, 'payload.amount']);
        expect((await through({ amount: 1 })).status).toBe(202);
        await patch(id, { schemas: { a: { required: ['id'] } } });
        expect((await through({ amount: 1 })).body.error.details?.field).toBe('payload.id');
        await patch(id, { schema: null, schemas: null });
        expect((await through({})).status).toBe(202);
        expect(await configReads(() => through({}))).toBe(0);
      } finally {
        await other.stop();
      }
    });

    test('while many publish lets nothing in that its version refuses', async () => {
      const id = await channel({ schemas: {} });
      for (let round = 0; round < 5; round += 1) {
        const name = `round${round}`;
        const [, ...answers] = await Promise.all([
          patch(id, { schema: { required: [name] } }),
          ...Array.from({ length: 20 }, () => publish(id, {})),
        ]);
        expect(answers.every(({ status }) => status === 202 || status === 400)).toBe(true);
        // The change has been answered: from here on every process enforces it.
        expect((await publish(id, {})).status).toBe(400);
        await patch(id, { schema: null });
      }
    });

    test('raises the version of the configuration; other changes do not', async () => {
      const id = await channel({ schema: ORDER });
      const version = async () => (await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id } })).configVersion;
      await patch(id, { name: 'x', description: 'y', retentionDays: 3, status: 'paused' });
      expect(await version()).toBe(1);
      for (const change of [
        { schema: {} },
        { schemas: { a: {} } },
        { schemaMode: 'warn' },
        { schema: null, schemas: null },
      ])
        await patch(id, change);
      expect(await version()).toBe(5);
    });

    test('that never ends is UNAVAILABLE for who publishes, not a message that was not checked', async () => {
      const id = await channel({ schema: ORDER });
      const { status, body, headers } = await withQueries(
        async ({ name }) => {
          if (name === 'publish')
            await posthorn.deps.db.channel.update({ where: { id }, data: { configVersion: { increment: 1 } } });
        },
        () => publish<Refusal>(id, { amount: 1 }),
      );
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
      expect(body.error.message).toBe(
        'The configuration of the channel is changing; wait as long as Retry-After says, then try again',
      );
      expect(await messagesOf(id)).toEqual([]);
    });
  });

  /** Does something before each statement of the raw pool meanwhile. */
  async function withQueries<T>(
    before: (statement: { name?: string }) => Promise<void>,
    act: () => Promise<T>,
  ): Promise<T> {
    const { pool } = posthorn.deps;
    const query = pool.query;
    pool.query = (async (statement: { name?: string }, ...rest: unknown[]) => {
      await before(statement);
      return (query as (...parts: unknown[]) => unknown).call(pool, statement, ...rest);
      // `as`: the service calls the pool with promises only.
    }) as unknown as typeof query;
    try {
      return await act();
    } finally {
      pool.query = query;
    }
  }

  /** How often a channel's configuration was read from PostgreSQL meanwhile. */
  async function configReads(act: () => Promise<unknown>): Promise<number> {
    let reads = 0;
    const count = ({ name }: { name?: string }): Promise<void> => {
      if (name === 'publishing-config') reads += 1;
      return Promise.resolve();
    };
    await withQueries(count, act);
    return reads;
  }

  test('the configuration of a channel is read once for any number of publishes', async () => {
    const id = await channel({ schema: ORDER });
    const reads = await configReads(async () => {
      await Promise.all(Array.from({ length: 10 }, () => publish(id, { amount: 1 })));
      for (let count = 0; count < 5; count += 1) await publish(id, { amount: 1 });
    });
    expect(reads).toBe(1);
  });
});

describe('real schemas', () => {
  // Written for this test after schemas that people have: catalogues, generators, the documents of other services.
  const FOLDER = new URL('../support/make/real-schemas/', import.meta.url);
  const fixture = z.strictObject({
    after: z.string().min(1),
    schema: z.record(z.string(), z.unknown()),
    fits: z.array(z.unknown()).min(1),
    misfits: z.array(z.strictObject({ payload: z.unknown(), field: z.string() })).min(1),
  });
  const fixtures = readdirSync(FOLDER).map((file): [string, z.output<typeof fixture>] => [
    file.replace('.json', ''),
    fixture.parse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))),
  ]);

  const { channel, publish } = schemaCalls(() => posthorn);

  test('there are twenty of them, of each draft some', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(20);
    const drafts = fixtures.map(([, { schema }]) => /draft[-/][\d-]+/.exec(String(schema['$schema']))?.[0]);
    expect(new Set(drafts)).toEqual(new Set(['draft-07', 'draft/2019-09', 'draft/2020-12', undefined]));
  });

  // Regression: draft 07, `$id`, `default` and `#/definitions/…` were refused, and so were nearly all schemas of public catalogues.
  describe.each(fixtures)('the schema %s', (_, { schema, fits, misfits }) => {
    test('is saved, shown as it was written, and checks payloads', async () => {
      const id = await channel({ schema });
      expect((await posthorn.request<{ schema: unknown }>('GET', `/v1/channels/${id}`)).body.schema).toEqual(schema);
      for (const payload of fits) expect((await publish(id, payload)).status).toBe(202);
      for (const { payload, field } of misfits) {
        const { status, body } = await publish<Refusal>(id, payload);
        expect([status, body.error.details?.field]).toEqual([400, field]);
      }
    });
  });

  describe('in draft 07', () => {
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#' };

    test('words beside a reference mean nothing; in later drafts they hold', async () => {
      const rest = {
        properties: { a: { $ref: '#/definitions/text', maxLength: 1 } },
        definitions: { text: { type: 'string' } },
      };
      expect((await publish(await channel({ schema: { ...draft07, ...rest } }), { a: 'xy' })).status).toBe(202);
      expect((await publish(await channel({ schema: rest }), { a: 'xy' })).status).toBe(400);
    });

    test('words that are not of this draft mean nothing', async () => {
      const id = await channel({
        schema: { ...draft07, dependentRequired: { a: ['b'] }, unevaluatedProperties: false },
      });
      expect((await publish(id, { a: 1 })).status).toBe(202);
    });
  });

  test('a list of items without $schema is refused as a schema of 2020-12, where it would check nothing', async () => {
    const { status, body } = await posthorn.request<Refusal>('POST', '/v1/channels', {
      name: 'tuples',
      schema: { properties: { a: { items: [{ type: 'string' }] } } },
    });
    expect([status, body.error.details?.field]).toEqual([400, 'schema']);
    expect(body.error.details?.reason).toContain('at #/properties/a/items');
  });

  test('two channels whose schemas have one $id do not meet', async () => {
    const $id = 'https://example.com/one';
    const first = await channel({ schema: { $id, required: ['x'] } });
    const second = await channel({ schema: { $id, required: ['y'] } });
    expect((await publish(first, { x: 1 })).status).toBe(202);
    expect((await publish<Refusal>(second, { x: 1 })).body.error.details?.field).toBe('payload.y');
  });

  describe('members that a condition leaves unevaluated', () => {
    const a = { properties: { a: true } };
    const b = { properties: { b: true } };
    const condition = JSON.parse('{ "if": { "required": ["x"] }, "then": { "properties": { "b": true, "x": true } } }');
    const dependent = { dependentSchemas: { b, x: { properties: { b: true, x: true } } } };
    // Regression: Ajv refused every member beside a condition that did not hold.
    test.each([
      ['beside a condition', { ...a, ...condition }],
      ['beside a condition, behind allOf', { allOf: [a], ...condition }],
      ['inside allOf', { allOf: [{ ...a, ...condition }] }],
      ['behind a reference', { $ref: '#/$defs/a', $defs: { a: { ...a, ...condition } } }],
      ['beside schemas that depend on members', { ...a, ...dependent }],
      ['beside both', { ...a, ...condition, ...dependent }],
    ])('is refused, and nothing else is: %s', async (_, schema) => {
      const id = await channel({ schema: { ...schema, unevaluatedProperties: false } });
      expect((await publish(id, { a: 1 })).status).toBe(202);
      expect((await publish(id, { a: 1, b: 1, x: 1 })).status).toBe(202);
      const { status, body } = await publish<Refusal>(id, { a: 1, z: 1 });
      expect([status, body.error.details]).toEqual([
        400,
        { field: 'payload.z', reason: 'is not allowed by the schema' },
      ]);
    });
  });
});
