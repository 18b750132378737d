import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createNewId } from '../../src/new-id.ts';
import { ageDaysAgo, type AgedRun, insertAgedRun } from '../support/make/aged-runs.ts';
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
  await setDays(30);
});
afterAll(() => scene.posthorn.stop());

const setDays = (days: number): Promise<unknown> =>
  scene.posthorn.deps.pool.query(
    `UPDATE apps SET settings = settings || jsonb_build_object('retentionDays', $1::int)`,
    [days],
  );
const aged = (run: Omit<AgedRun, 'workflowId'> & { workflowId?: string }): Promise<string> =>
  insertAgedRun(scene.posthorn, { workflowId, ...run });
const idsOf = async (): Promise<string[]> =>
  (await scene.posthorn.deps.db.run.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);

test('a run that ended before the retentionDays of its app goes with its steps and letters, and a younger one stays', async () => {
  await aged({ madeDaysAgo: 40, endedDaysAgo: 31, steps: 3 });
  await aged({ madeDaysAgo: 32, endedDaysAgo: 31, letter: 'discarded' });
  const endedLate = await aged({ madeDaysAgo: 40, endedDaysAgo: 29 });
  const young = await aged({ madeDaysAgo: 2, endedDaysAgo: 2 });

  expect(await scene.pass()).toMatchObject({ runs: 2, steps: 4, deadLetters: 1 });

  expect(await idsOf()).toEqual([endedLate, young].toSorted());
  const { db } = scene.posthorn.deps;
  expect([await db.runStep.count(), await db.deadLetter.count()]).toEqual([2, 0]);
  await setDays(1);
  expect(await scene.pass()).toMatchObject({ runs: 2, steps: 2 });
});

test('a run that has not ended is never removed, and its message stays with it', async () => {
  const messageId = await scene.aged(400);
  const waiting = await aged({ madeDaysAgo: 400, messageId });
  const paused = await aged({ madeDaysAgo: 400, status: 'paused' });
  expect(await scene.pass()).toMatchObject({ runs: 0, messages: 0, kept: 1 });
  expect(await idsOf()).toEqual([waiting, paused].toSorted());
  expect(await scene.messageIds()).toEqual([messageId]);

  await scene.posthorn.deps.db.run.update({
    where: { id: waiting },
    data: { status: 'completed', finishedAt: ageDaysAgo(31) },
  });
  expect(await scene.pass()).toMatchObject({ runs: 1, messages: 1 });
});

test('an open dead letter keeps its run and the message until it is replayed or its workflow is deleted', async () => {
  const messageId = await scene.aged(400);
  const other = await workflowCalls(scene.posthorn).activate({ type: 'manual' }, [{ id: 'only', type: 'action' }]);
  const run = await aged({ workflowId: other, madeDaysAgo: 400, endedDaysAgo: 399, messageId, letter: 'open' });
  expect(await scene.pass()).toMatchObject({ runs: 0, messages: 0, deadLetters: 0 });
  expect(await idsOf()).toEqual([run]);

  await scene.posthorn.request('DELETE', `/v1/workflows/${other}`);
  expect(await scene.pass()).toMatchObject({ runs: 1, messages: 1, deadLetters: 1 });
  expect(await scene.posthorn.deps.db.deadLetter.count()).toBe(0);
});

test('more runs, or steps, than one batch takes go in one pass', async () => {
  const { pool, db } = scene.posthorn.deps;
  const { environmentId } = await db.workflow.findUniqueOrThrow({ where: { id: workflowId } });
  const newId = createNewId(() => ageDaysAgo(40).getTime());
  const ids = Array.from({ length: 700 }, () => newId('run'));
  await pool.query(
    `INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, executions, finished_at)
     SELECT id, $2, $3, 1, 'completed', 'manual', 20, $4 FROM unnest($1::text[]) AS id`,
    [ids, environmentId, workflowId, ageDaysAgo(31)],
  );
  expect(await scene.pass()).toMatchObject({ runs: 700, steps: 0 });
  expect(await idsOf()).toEqual([]);
});
