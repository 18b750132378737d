import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createNewId } from '../../src/new-id.ts';
import { readOverdue } from '../../src/observe/figure-queries.ts';
import { ageDaysAgo, type AgedRun, insertAgedRun } from '../support/make/aged-runs.ts';
import { insertAged } from '../support/make/aged.ts';
import { createChannel } from '../support/make/factories.ts';
import { insertOrganisation } from '../support/make/organisation.ts';
import { type RetentionScene, setRetentionScene } from '../support/make/retention-scene.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';

describe('runs', () => {
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
});

describe('overdue', () => {
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
});
