import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readOverdue } from '../../src/observe/figure-queries.ts';
import { insertAgedRun } from '../support/make/aged-runs.ts';
import { createChannel } from '../support/make/factories.ts';
import { insertAged } from '../support/make/aged.ts';
import { insertOrganisation } from '../support/make/organisation.ts';
import { type RetentionScene, setRetentionScene } from '../support/make/retention-scene.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';

let scene: RetentionScene;
let workflowId: string;

beforeAll(async () => {
  scene = await setRetentionScene();
  workflowId = await workflowCalls(scene.posthorn).activate({ type: 'manual' }, [{ id: 'only', type: 'action' }]);
});
beforeEach(async () => {
  await scene.reset();
  await scene.posthorn.deps.pool.query('TRUNCATE runs CASCADE');
});
afterAll(() => scene.posthorn.stop());

const aged = (run: { madeDaysAgo: number; endedDaysAgo?: number; letter?: 'open' }): Promise<string> =>
  insertAgedRun(scene.posthorn, { workflowId, ...run });

/** In whole days: the test itself takes less than one. */
async function daysOverdue(): Promise<{ messages: number; runs: number }> {
  const { messages, runs } = await readOverdue(scene.posthorn.deps.pool, new Date());
  return { messages: Math.floor(messages / 86_400), runs: Math.floor(runs / 86_400) };
}

test('the oldest message that may go says by how much retention is behind, and a pass brings it back to nothing', async () => {
  await scene.aged(0.5);
  expect(await readOverdue(scene.posthorn.deps.pool, new Date())).toEqual({ messages: 0, runs: 0 });
  await scene.aged(3);
  const { id: longer } = await createChannel(scene.posthorn, { retentionDays: 10 });
  await insertAged(scene.posthorn, { channelId: longer, subscriptionIds: [], ageDays: 15 });
  expect(await daysOverdue()).toEqual({ messages: 5, runs: 0 });

  await scene.pass();

  expect(await readOverdue(scene.posthorn.deps.pool, new Date())).toEqual({ messages: 0, runs: 0 });
});

test('a message that an open dead letter keeps is left out, and the next one behind it counts', async () => {
  await scene.aged(9, 'open');
  await scene.aged(4);
  expect(await daysOverdue()).toEqual({ messages: 3, runs: 0 });
  await scene.pass();
  expect(await daysOverdue()).toEqual({ messages: 0, runs: 0 });
});

test('a run counts from its end, and not while an open dead letter keeps it', async () => {
  await aged({ madeDaysAgo: 400 });
  await aged({ madeDaysAgo: 90, endedDaysAgo: 80, letter: 'open' });
  await aged({ madeDaysAgo: 60, endedDaysAgo: 29 });
  expect(await daysOverdue()).toEqual({ messages: 0, runs: 0 });
  await aged({ madeDaysAgo: 50, endedDaysAgo: 34 });
  expect(await daysOverdue()).toEqual({ messages: 0, runs: 4 });
});

test('each run counts by the retentionDays of its own app', async () => {
  const { live } = await insertOrganisation(scene.posthorn.deps);
  await scene.posthorn.deps.pool.query(
    `UPDATE apps SET settings = settings || '{"retentionDays":1}' WHERE id = (SELECT app_id FROM environments WHERE id = $1)`,
    [live],
  );
  await aged({ madeDaysAgo: 34, endedDaysAgo: 29 });
  expect(await daysOverdue()).toEqual({ messages: 0, runs: 0 });
  await aged({ madeDaysAgo: 34, endedDaysAgo: 32 });
  expect(await daysOverdue()).toEqual({ messages: 0, runs: 2 });
});
