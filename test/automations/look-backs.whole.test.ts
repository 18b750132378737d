import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createFirstFit, createLookBack } from '../../src/automations/engine/waits/look-back.ts';
import { hashOfValue } from '../../src/automations/engine/json-text.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = workflowCalls(posthorn);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => posthorn.stop());

const FILTER = 'payload.of >= 0';
const MATCH = [{ event: 'event.payload.of', run: 'event.payload.of' }];
const RUNS = 20;
const KEYS = 10;

/** Counts how often the step's filter is evaluated, and how many messages are read outside transactions, from now on. */
function countWork(): { evaluated(): number; read(): number } {
  const evaluate = jest.spyOn(posthorn.deps.filters, 'evaluate');
  const query = jest.spyOn(posthorn.deps.pool, 'query');
  return {
    evaluated: () => evaluate.mock.calls.filter(([[filter]]) => filter?.includes(FILTER)).length,
    read: () =>
      query.mock.calls
        .map(([statement]) => statement as unknown as { name?: string; values: string[][] })
        .filter(({ name }) => name === 'read_arrived')
        .reduce((sum, { values }) => sum + (values[0]?.length ?? 0), 0),
  };
}

/** Waits until the worker has routed all messages: from then on only runs that start to wait query them. */
const routed = (): Promise<unknown> =>
  waitFor('all notes to be taken away', async () => {
    const { rowCount } = await posthorn.deps.pool.query('SELECT FROM awaited_messages');
    return rowCount === 0;
  });

/** Publishes replies one after the other; returns their ids. */
async function publishReplies(channelId: string, payloads: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (const payload of payloads) ids.push(await calls.publish(channelId, payload, 'reply'));
  return ids;
}

test('runs that start to wait read and evaluate each earlier message once together, and each takes the first match', async () => {
  const channelId = await calls.channel();
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'reply',
      type: 'wait_for_event',
      config: { channelId, eventType: 'reply', filter: FILTER, match: MATCH, lookback: '1h' },
    },
  ]);
  const unfit = Array.from({ length: KEYS }, (_, of) => ({ of: of - KEYS }));
  const fit = Array.from({ length: KEYS }, (_, of) => ({ of }));
  const ids = await publishReplies(channelId, [...unfit, ...fit, ...fit]);
  await posthorn.worker.start();
  try {
    await routed();
    const work = countWork();
    const takenBy = async (of: number): Promise<unknown> => {
      const { id } = await calls.start(workflowId, { of });
      return (stepOf(await calls.ended(id), 'reply').output as { event: { id: string } }).event.id;
    };
    const taken = await Promise.all(Array.from({ length: RUNS }, (_, run) => takenBy(run % KEYS)));
    expect(taken).toEqual(Array.from({ length: RUNS }, (_, run) => ids[KEYS + (run % KEYS)]));
    // Each run reads its message again, for its output.
    expect({ evaluated: work.evaluated(), read: work.read() }).toEqual({ evaluated: 30, read: 30 + RUNS });

    const [another] = await publishReplies(channelId, [{ of: KEYS }]);
    await routed();
    const before = work.read();
    expect(await takenBy(KEYS)).toBe(another);
    expect(work.read() - before).toBe(2);
  } finally {
    await posthorn.worker.stop();
  }
});

test('runs that a message may cancel read each earlier message once together, and one message cancels several', async () => {
  const channelId = await calls.channel();
  const cancelOn = [{ eventTypes: ['withdrawn'], match: MATCH }];
  const workflowId = await calls.activate({ type: 'event', config: { channelId, eventTypes: ['asked'], cancelOn } }, [
    { id: 'wait', type: 'delay', config: { for: '1h' } },
  ]);
  for (let run = 0; run < RUNS; run += 1) await calls.publish(channelId, { of: run % KEYS }, 'asked');
  const ids: string[] = [];
  for (let of = 0; of < KEYS; of += 1) ids.push(await calls.publish(channelId, { of }, 'withdrawn'));
  // The queue entries would lead the worker to the same messages.
  await posthorn.deps.pool.query('DELETE FROM awaited_messages');
  const work = countWork();
  await posthorn.worker.start();
  try {
    const runs = await waitFor('the runs to be cancelled', async () => {
      const found = await calls.runsOf(workflowId);
      return found.length === RUNS && found.every(({ status }) => status === 'cancelled') && found;
    });
    expect(new Set(runs.map(({ reason }) => reason))).toEqual(
      new Set(ids.map((id) => `cancelled by the message ${id}`)),
    );
    expect(work.read()).toBe(KEYS);
  } finally {
    await posthorn.worker.stop();
  }
});

describe('a look back', () => {
  /** Creates a run without a Temporal workflow, earlier replies, and a look back for it. */
  const scene = async (payloads: readonly object[]) => {
    const channelId = await calls.channel();
    const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'note', type: 'action', config: {} }]);
    const { id } = await calls.start(workflowId);
    const { pool, filters } = posthorn.deps;
    const { rows } = await pool.query<{ environmentId: string }>(
      'SELECT environment_id AS "environmentId" FROM runs WHERE id = $1',
      [id],
    );
    const environmentId = rows[0]?.environmentId ?? '';
    const wanted = { channelIds: [channelId], eventTypes: ['reply'], filter: FILTER, match: MATCH };
    const ids = await publishReplies(channelId, payloads);
    const matching = { pool, filters, expressions: createStepExpressions() };
    const lookBack = createLookBack(matching);
    return {
      ids,
      wanted,
      environmentId,
      firstFit: createFirstFit(matching),
      look: (of: number, since = new Date(0)) =>
        lookBack({ id, environmentId }, { wanted, key: hashOfValue([of]), since }),
    };
  };

  test('does not return a message that was erased or deleted after it was evaluated', async () => {
    const { ids, look } = await scene([{ of: 1 }, { of: 1 }, { of: 1 }]);
    expect(await look(1)).toBe(ids[0]);
    const { status } = await posthorn.request('DELETE', `/v1/messages/${ids[0]}`);
    expect(status).toBe(204);
    expect(await look(1)).toBe(ids[1]);
    await posthorn.deps.pool.query('DELETE FROM messages WHERE id = $1', [ids[1]]);
    expect(await look(1)).toBe(ids[2]);
  });

  test('does not return a message from before the wait, even if another run has evaluated it', async () => {
    const { ids, look } = await scene([{ of: 1 }]);
    expect(await look(1)).toBe(ids[0]);
    expect(await look(1, new Date(Date.now() + 60_000))).toBeUndefined();
  });

  test('reads again what PostgreSQL could not read, and fails only for the run whose read failed', async () => {
    const { ids, look } = await scene([{ of: 1 }]);
    const { pool } = posthorn.deps;
    const query = pool.query.bind(pool) as (statement: unknown, values?: unknown) => Promise<never>;
    let failures = 0;
    jest.spyOn(pool, 'query').mockImplementation(((statement: { name?: string }, values?: unknown) => {
      if (statement.name !== 'read_arrived' || failures > 0) return query(statement, values);
      failures += 1;
      return Promise.reject(new Error('Connection terminated'));
    }) as never);
    const looks = await Promise.allSettled([look(1), look(1)]);
    expect(looks.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await look(1)).toBe(ids[0]);
    expect(failures).toBe(1);
  });

  test('evaluates again what threw, and returns a message that stands before it', async () => {
    const { ids, look } = await scene([{ of: 1 }, { of: 2 }, { of: 3 }]);
    const { filters } = posthorn.deps;
    const evaluate = filters.evaluate.bind(filters);
    let isFaulty = true;
    const spy = jest.spyOn(filters, 'evaluate').mockImplementation((expressions, input) => {
      if (isFaulty && input.payload.includes('2')) return Promise.reject(new Error('a fault of the moment'));
      return evaluate(expressions, input);
    });
    expect(await look(1)).toBe(ids[0]);
    await expect(look(3)).rejects.toThrow('a fault of the moment');
    isFaulty = false;
    expect(await look(3)).toBe(ids[2]);
    // The first once, the second until it could be evaluated.
    expect(spy.mock.calls.map(([, { payload }]) => (JSON.parse(payload) as { of: number }).of)).toEqual([
      1, 2, 2, 2, 3,
    ]);
  });

  test('parses a payload within the turn of its expressions, and rejects with one that cannot be parsed', async () => {
    const { ids, wanted, environmentId } = await scene([{ of: 1 }]);
    const { pool, filters } = posthorn.deps;
    await pool.query(`UPDATE messages SET payload = '{"of": ' WHERE id = $1`, [ids[0]]);
    const asked = { environmentId, wanted: { ...wanted, filter: 'true' }, key: hashOfValue([1]) };
    let asks = 0;
    const expressions = createStepExpressions();
    const firstFit = createFirstFit({
      pool,
      filters,
      expressions: {
        evaluateAll(all, context, environment) {
          asks += 1;
          return expressions.evaluateAll(all, context, environment);
        },
      },
    });
    await expect(firstFit(asked, ids)).rejects.toThrow(`The payload of ${ids[0]} cannot be read`);
    // It was not parsed before.
    expect(asks).toBe(1);
    await pool.query(`UPDATE messages SET payload = '{"of": 1}' WHERE id = $1`, [ids[0]]);
    expect(await firstFit(asked, ids)).toBe(ids[0]);
  });

  test('shares nothing between environments, or between waits that ask a message something else', async () => {
    const { ids, wanted, environmentId, firstFit } = await scene([{ of: 1, other: 2 }]);
    const work = countWork();
    const ask = (changed: object = {}, of = 1, environment = environmentId) =>
      firstFit({ environmentId: environment, wanted: { ...wanted, ...changed }, key: hashOfValue([of]) }, ids);
    expect(await ask()).toBe(ids[0]);
    expect(await ask({ match: [{ event: 'event.payload.of', run: 'vars.anything' }] })).toBe(ids[0]);
    expect(work.evaluated()).toBe(1);
    expect(await ask({}, 1, 'env_another')).toBe(ids[0]);
    expect(work.evaluated()).toBe(2);
    expect(await ask({ match: [{ event: 'event.payload.other', run: 'vars.anything' }] }, 2)).toBe(ids[0]);
    expect(await ask({ filter: `${FILTER} && false` })).toBeUndefined();
    expect(await ask({ eventTypes: ['answer'] })).toBeUndefined();
    expect(await ask()).toBe(ids[0]);
    expect(work.evaluated()).toBe(4);
  });
});
