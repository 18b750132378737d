import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ScheduleNotFoundError, type ScheduleOverlapPolicy } from '@temporalio/client';
import { reconcilerScheduleId } from '../../src/contract/temporal-names.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const rest: Step = { id: 'rest', type: 'delay', config: { for: '1h' } };
const scheduleOf = (workflowId: string) => posthorn.temporal.schedule.getHandle(`workflow/${workflowId}`);
const waiting = (id: string): Promise<RunAnswer> =>
  waitFor(`run ${id} to wait`, async () => {
    const run = await calls.getRun(id);
    return run.status === 'waiting' && run;
  });
const another = (workflowId: string, than: string): Promise<RunAnswer> =>
  waitFor('another run', async () => (await calls.runsOf(workflowId)).find(({ id }) => id !== than));

/** A workflow with that policy, and its schedule. */
async function scheduled(overlap: string) {
  const workflowId = await calls.activate({ type: 'schedule', config: { cron: '0 9 1 1 *', overlap } }, [rest]);
  const { policies } = await waitFor('the schedule', () =>
    scheduleOf(workflowId)
      .describe()
      .catch((failure: unknown) => {
        if (failure instanceof ScheduleNotFoundError) return undefined;
        throw failure;
      }),
  );
  let last = 0;
  const comes = async (): Promise<void> => {
    // Two times of one second are one to Temporal; those of a real schedule are a minute apart.
    await waitFor('the next second', () => Math.floor(Date.now() / 1_000) > last);
    // A trigger by hand has a policy of its own: this one is the schedule's.
    await scheduleOf(workflowId).trigger(policies.overlap);
    last = Math.floor(Date.now() / 1_000);
  };
  return { workflowId, policy: policies.overlap, comes };
}

const first = async ({ workflowId, comes }: Awaited<ReturnType<typeof scheduled>>): Promise<string> => {
  await comes();
  const { id } = await calls.onlyRun(workflowId);
  await waiting(id);
  return id;
};

test.each<[string, ScheduleOverlapPolicy, string]>([
  ['cancelOther', 'CANCEL_OTHER', 'cancelled in Temporal'],
  ['terminateOther', 'TERMINATE_OTHER', 'ended in Temporal: with the workflow of its schedule, by `terminateOther`'],
])('%s: the run before ends as cancelled, and the next one is under way', async (overlap, expected, reason) => {
  const schedule = await scheduled(overlap);
  expect(schedule.policy).toBe(expected);
  const before = await first(schedule);
  await schedule.comes();
  await waitFor('the end of the run before', async () => {
    // Its next look of its own is up to half a minute away.
    await posthorn.temporal.schedule.getHandle(reconcilerScheduleId(posthorn.taskQueue)).trigger();
    return (await calls.getRun(before)).status === 'cancelled';
  });
  expect((await calls.getRun(before)).reason).toContain(reason);
  const next = await another(schedule.workflowId, before);
  expect((await waiting(next.id)).trigger).toEqual({ type: 'schedule' });
});

test.each<[string, ScheduleOverlapPolicy, number]>([
  ['bufferOne', 'BUFFER_ONE', 1],
  ['bufferAll', 'BUFFER_ALL', 2],
])('%s: a time that comes meanwhile has its run behind the one before', async (overlap, expected, behind) => {
  const schedule = await scheduled(overlap);
  expect(schedule.policy).toBe(expected);
  const before = await first(schedule);
  await schedule.comes();
  await schedule.comes();
  expect(await calls.runsOf(schedule.workflowId)).toHaveLength(1);
  const seen = new Set([before]);
  for (let turn = 0; turn < behind; turn += 1) {
    await calls.good('POST', `/v1/runs/${[...seen].at(-1)}/cancel`);
    const next = await waitFor('the next run', async () =>
      (await calls.runsOf(schedule.workflowId)).find(({ id }) => !seen.has(id)),
    );
    await waiting(next.id);
    seen.add(next.id);
  }
  // A time that was let fall never comes: the schedule's own count tells of it.
  expect(seen.size).toBe(behind + 1);
  await waitFor('each run to be counted', async () => {
    const { info } = await scheduleOf(schedule.workflowId).describe();
    return info.numActionsTaken === behind + 1;
  });
});

test('allowAll: runs are under way beside each other', async () => {
  const schedule = await scheduled('allowAll');
  expect(schedule.policy).toBe('ALLOW_ALL');
  const before = await first(schedule);
  await schedule.comes();
  const next = await another(schedule.workflowId, before);
  await waiting(next.id);
  expect((await calls.getRun(before)).status).toBe('waiting');
});
