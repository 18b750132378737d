import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/check/wait-for.ts';
import { RACES } from '../support/make/burst-size.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const AT_ONCE = 20;
const WITHIN_MS = 60_000 + RACES * 100;

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

/** Ms from the start of a run to the record of its wait, as measured in the first races: where the others aim at. */
async function leadOf(runIds: readonly string[]): Promise<number> {
  const { rows } = await posthorn.database.pool.query<{ ms: number }>(
    `SELECT (extract(epoch FROM avg(s.started_at - posthorn_time(s.run_id))) * 1000)::float8 AS ms FROM run_steps s WHERE s.run_id = ANY ($1)`,
    [runIds],
  );
  return rows[0]?.ms ?? 0;
}

test('a message that arrives just before, while or just after a step starts to wait is taken, exactly once', async () => {
  const channelId = await calls.channel();
  // Counts the waits that a worker has given their message, and not their own look back.
  await posthorn.database.pool.query('CREATE TABLE given (run_id text)');
  await posthorn.database.pool.query(`CREATE FUNCTION note_given() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO given VALUES (NEW.run_id); RETURN NEW; END $$`);
  await posthorn.database.pool.query(
    'CREATE TRIGGER given AFTER UPDATE ON run_waits FOR EACH ROW WHEN (OLD.message_id IS NULL AND NEW.message_id IS NOT NULL AND NEW.due_at IS NOT NULL) EXECUTE FUNCTION note_given()',
  );
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'reply',
      type: 'wait_for_event',
      config: {
        channelId,
        eventType: 'reply',
        match: [{ event: 'event.payload.race', run: 'event.payload.race' }],
        timeout: '1d',
      },
    },
  ]);
  const raced: { id: string; messageId: string }[] = [];
  let lead = 50;
  const race = async (number: number): Promise<void> => {
    const { id } = await calls.start(workflowId, { race: number });
    // Spread over twice the time that the wait takes to begin.
    await sleep((lead * 2 * (number % AT_ONCE)) / AT_ONCE);
    raced.push({ id, messageId: await calls.publish(channelId, { race: number }, 'reply') });
  };
  for (let from = 0; from < RACES; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, RACES - from) }, (_, offset) => from + offset);
    await Promise.all(numbers.map(race));
    await waitFor(
      'the runs to end',
      async () => {
        const { rows } = await posthorn.database.pool.query<{ ended: number }>(
          'SELECT count(*)::int AS ended FROM runs WHERE workflow_id = $1 AND finished_at IS NOT NULL',
          [workflowId],
        );
        return rows[0]?.ended === raced.length;
      },
      WITHIN_MS,
    );
    lead = await leadOf(raced.slice(-AT_ONCE).map(({ id }) => id));
  }

  const { rows } = await posthorn.database.pool.query<{ id: string; messageId: string }>(
    `SELECT run_id AS id, output::json -> 'event' ->> 'id' AS "messageId" FROM run_steps WHERE step_id = 'reply'`,
  );
  const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
  expect(rows.toSorted(byId)).toEqual(raced.toSorted(byId));
  const given = (await posthorn.database.pool.query('SELECT DISTINCT run_id FROM given')).rowCount ?? 0;
  // Both ways were raced: neither found all of them.
  expect(given).toBeGreaterThan(0);
  expect(given).toBeLessThan(RACES);
  await waitFor('all notes to be taken away, and all runs to be told', async () => {
    const { rows: left } = await posthorn.database.pool.query<{ count: number }>(
      `SELECT (SELECT count(*) FROM awaited_messages)::int + (SELECT count(*) FROM run_waits WHERE due_at IS NOT NULL)::int AS count`,
    );
    return left[0]?.count === 0;
  });
}, 600_000);
