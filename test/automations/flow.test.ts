import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { abandonRuns } from '../../src/automations/starting/due-store.ts';
import { createConfigs } from '../../src/process/assembly/create-dependencies.ts';
import { startWorker } from '../../src/process/start-worker.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { ask, note, orderCalls } from '../support/make/order-calls.ts';
import { type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { currentRun } from '../support/service/run.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
let { place, placed, placeAtOnce, placeInOrder, queued, standing } = {} as ReturnType<typeof orderCalls>;
let letThemEnd = (): void => {};
/** The receiver answers no request before. */
const mayEnd = new Promise<void>((resolve) => {
  letThemEnd = resolve;
});
/** Requests under way at the receiver: now, and the most at a time, by path. */
const present = new Map<string, { now: number; most: number }>();

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({
    answer: ({ path }) => {
      const count = present.get(path) ?? { now: 0, most: 0 };
      count.now += 1;
      count.most = Math.max(count.most, count.now);
      present.set(path, count);
      return (response) =>
        void mayEnd
          .then(() => setTimeout(20))
          .then(() => {
            count.now -= 1;
            response.writeHead(200).end();
          });
    },
  });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

// The workflows of earlier tests hear nothing of it.
beforeEach(async () => {
  ({ place, placed, placeAtOnce, placeInOrder, queued, standing } = orderCalls(posthorn, calls, await calls.channel()));
});
const to = (path: string): string => `${new URL(receiver.url).origin}${path}`;
const approve = (runId: string | undefined) => calls.good('POST', `/v1/runs/${runId}/approve`);

describe('concurrency', () => {
  test('never lets more runs be under way than the limit, also with two workers', async () => {
    const temporal = { address: currentRun().temporalAddress, namespace: 'default' };
    const memory = { publishingConfigs: createConfigs(posthorn.deps.pool) };
    const second = await startWorker({ ...posthorn.deps, ...memory }, temporal, { taskQueue: posthorn.taskQueue });
    const call: Step = { id: 'call', type: 'action', config: { action: 'http', url: to('/three') } };
    const workflowId = await calls.activate(placed({ concurrency: { limit: 3 } }), [call]);
    const count = 40;
    await placeAtOnce(count);
    await queued(workflowId, count - 3);
    await waitFor('three requests', () => present.get('/three')?.now === 3);
    letThemEnd();
    await waitFor('all runs to complete', async () => {
      const { rowCount } = await posthorn.deps.pool.query(
        `SELECT FROM runs WHERE workflow_id = $1 AND status = 'completed'`,
        [workflowId],
      );
      return rowCount === count;
    });
    await second.stop();
    expect(present.get('/three')?.most).toBe(3);
  });

  test('lets runs in in the order in which they were made', async () => {
    const first = { ...ask, config: { title: 'Go on?', if: 'event.payload.n == 0' } };
    const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [first]);
    const { id } = await place({ n: 0 }).then(() => calls.onlyRun(workflowId));
    await placeAtOnce(12);
    await queued(workflowId, 12);
    await waitFor('the first one to ask', async () => (await calls.getRun(id)).status === 'waiting');
    await approve(id);
    const { rows } = await waitFor('all runs to complete', async () => {
      const found = await posthorn.deps.pool.query<{ id: string }>(
        `SELECT id FROM runs WHERE workflow_id = $1 AND status = 'completed' ORDER BY started_at`,
        [workflowId],
      );
      return found.rowCount === 13 && found;
    });
    const ids = rows.map((run) => run.id);
    expect(ids).toEqual(ids.toSorted());
  });

  test('with a key, so many runs of each value', async () => {
    const workflowId = await calls.activate(placed({ concurrency: { limit: 1, key: 'event.payload.customer' } }), [
      ask,
    ]);
    await placeInOrder([{ customer: 'a' }, { customer: 'b' }, { customer: 'a' }, { customer: 'c' }]);
    const [first, second, third] = await standing(workflowId, ['waiting', 'waiting', 'pending', 'waiting']);
    await approve(second?.id);
    await standing(workflowId, ['waiting', 'completed', 'pending', 'waiting']);
    await approve(first?.id);
    await standing(workflowId, ['completed', 'completed', 'waiting', 'waiting']);
    await approve(third?.id);
  });

  test('a run that is cancelled, or ended in Temporal, makes room', async () => {
    const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
    await placeInOrder([{}, {}, {}]);
    const [first, second] = await standing(workflowId, ['waiting', 'pending', 'pending']);
    await calls.good('POST', `/v1/runs/${first?.id}/cancel`);
    await standing(workflowId, ['cancelled', 'waiting', 'pending']);
    await posthorn.temporal.workflow.getHandle(`run/${second?.id}/1`).cancel();
    const [, , third] = await standing(workflowId, ['cancelled', 'cancelled', 'waiting']);
    await approve(third?.id);
    expect(stepOf(await calls.ended(third?.id ?? ''), 'ask').status).toBe('completed');
  });

  test('`skip` ends a run that finds no room', async () => {
    const workflowId = await calls.activate(placed({ concurrency: { limit: 1, onLimit: 'skip' } }), [ask]);
    await placeInOrder([{}, {}]);
    const [first, second] = await standing(workflowId, ['waiting', 'skipped']);
    expect(second).toMatchObject({ reason: 'the limit of 1 is reached' });
    await approve(first?.id);
    await calls.ended(first?.id ?? '');
    await place();
    const [, , third] = await standing(workflowId, ['completed', 'skipped', 'waiting']);
    await approve(third?.id);
  });

  test('`cancelRunning` cancels the oldest one', async () => {
    const workflowId = await calls.activate(placed({ concurrency: { limit: 2, onLimit: 'cancelRunning' } }), [ask]);
    for (const wanted of [['waiting'], ['waiting', 'waiting'], ['cancelled', 'waiting', 'waiting']]) {
      await place();
      await standing(workflowId, wanted);
    }
    const [first, , third] = await standing(workflowId, ['cancelled', 'waiting', 'waiting']);
    expect(first).toMatchObject({ reason: `cancelled by the newer run ${third?.id}` });
  });

  test('runs that wait can be cancelled, wait on while the workflow is paused, and go with it', async () => {
    const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
    await placeInOrder([{}, {}, {}, {}]);
    const [first, second, third] = await standing(workflowId, ['waiting', 'pending', 'pending', 'pending']);
    await calls.good('POST', `/v1/runs/${second?.id}/cancel`);
    await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
    await approve(first?.id);
    await standing(workflowId, ['completed', 'cancelled', 'pending', 'pending']);
    await calls.good('POST', `/v1/workflows/${workflowId}/activate`);
    await standing(workflowId, ['completed', 'cancelled', 'waiting', 'pending']);
    await posthorn.request('DELETE', `/v1/workflows/${workflowId}`);
    const [, , , fourth] = await standing(workflowId, ['completed', 'cancelled', 'waiting', 'cancelled']);
    expect(fourth).toMatchObject({ reason: 'its workflow was deleted' });
    await approve(third?.id);
  });

  test('runs keep their places when the store of Temporal is lost', async () => {
    const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
    await placeInOrder([{}, {}, {}]);
    const [first, second] = await standing(workflowId, ['waiting', 'pending', 'pending']);
    await abandonRuns(posthorn.deps.pool);
    await waitFor('the second round', async () => {
      const { rows } = await posthorn.deps.pool.query('SELECT carrier FROM runs WHERE id = $1', [first?.id]);
      return rows[0]?.carrier === `run/${first?.id}/2`;
    });
    await standing(workflowId, ['waiting', 'pending', 'pending']);
    await approve(first?.id);
    const [, , third] = await standing(workflowId, ['completed', 'waiting', 'pending']);
    for (const id of [second?.id, third?.id]) await calls.good('POST', `/v1/runs/${id}/cancel`);
  });

  test('a limit that is raised, or taken away, holds for the runs that wait', async () => {
    const workflowId = await calls.activate(placed({ concurrency: { limit: 1 } }), [ask]);
    await placeInOrder([{}, {}, {}, {}]);
    await standing(workflowId, ['waiting', 'pending', 'pending', 'pending']);
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, { trigger: placed({ concurrency: { limit: 2 } }) });
    await standing(workflowId, ['waiting', 'waiting', 'pending', 'pending']);
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, { trigger: placed() });
    await standing(workflowId, ['waiting', 'waiting', 'waiting', 'waiting']);
  });
});

test('a definition that cannot be read fails its own run, and no other waits for it', async () => {
  const unreadable = await calls.activate({ type: 'manual' }, [note]);
  const good = await calls.activate({ type: 'manual' }, [note]);
  await posthorn.deps.pool.query(
    `UPDATE workflow_versions SET trigger = '{"type":"nonsense"}' WHERE workflow_id = $1`,
    [unreadable],
  );
  const runs = [await calls.start(unreadable), await calls.start(good)];
  const [failed, completed] = await Promise.all(runs.map(({ id }) => calls.ended(id)));
  expect([failed?.status, failed?.error?.code, completed?.status]).toEqual(['failed', 'INTERNAL', 'completed']);
});

test.each([
  [{ dedupe: {} }, 'trigger.config.dedupe.key', /is required/],
  [{ dedupe: { key: 'event.id', window: '31d' } }, 'trigger.config.dedupe.window', /at most 30d/],
  [
    { dedupe: { key: 'steps.note.output' } },
    'trigger.config.dedupe.key',
    /before the first step, and reads none: steps/,
  ],
  [{ concurrency: { limit: 0 } }, 'trigger.config.concurrency.limit', /1/],
  [{ concurrency: { limit: 1, key: 'evnt.id' } }, 'trigger.config.concurrency.key', /evnt/],
  [{ concurrency: { limit: 1, onLimit: 'wait' } }, 'trigger.config.concurrency.onLimit', /queue/],
])('%j is refused', async (config, field, reason) => {
  const { status, body } = await posthorn.request<{ error: { details: { field: string; reason: string } } }>(
    'POST',
    '/v1/workflows',
    { name: 'refused', trigger: placed(config), steps: [note] },
  );
  expect([status, body.error.details.field]).toEqual([400, field]);
  expect(body.error.details.reason).toMatch(reason);
});
