import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFilters } from '../../src/filters/filters.ts';
import { createNewId } from '../../src/new-id.ts';
import { createConfigs } from '../../src/process/assembly/create-dependencies.ts';
import { createCheck } from '../../src/publishing/check.ts';
import { createSchemas } from '../../src/schemas/schemas.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { ORDER, type Refusal, schemaCalls } from '../support/make/schema-calls.ts';
import { startSecondApi } from '../support/service/second-api.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

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

// The old mechanism: each channel had a turn of its own, so that a tenant of many channels had as many turns as channels.
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
    expect(body.error.message).toBe("The channel's configuration is changing at this moment");
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
