import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Client,
  Connection,
  ScheduleNotFoundError,
  type ScheduleOverlapPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { findFreePort } from '../../local/ports.ts';
import { timesOf } from '../../src/automations/definitions/configs/schedule-times.ts';
import { plannedSchedule } from '../../src/automations/definitions/configs/schedule.ts';
import { beginScheduledRun } from '../../src/automations/schedules/begin.ts';
import { upcomingOf } from '../../src/automations/schedules/calendars.ts';
import { forgetSynced } from '../../src/automations/schedules/store.ts';
import { syncSchedules } from '../../src/automations/schedules/sync.ts';
import { reconcilerScheduleId } from '../../src/kernel/contract/temporal-names.ts';
import { createSchedules } from '../../src/automations/schedules/temporal-schedules.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('schedules', () => {
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    // Another app's suspension is nothing to these.
    const { operator } = posthorn.services.apps;
    const other = await operator.create({ name: 'Other' }, undefined);
    await operator.setStatus(other.id, 'suspended');
  });

  const YEARLY = '0 9 1 1 *';
  const scheduleOf = (workflowId: string) => posthorn.temporal.schedule.getHandle(`workflow/${workflowId}`);
  const described = (workflowId: string) =>
    scheduleOf(workflowId)
      .describe()
      .catch((error: unknown) => {
        if (error instanceof ScheduleNotFoundError) return undefined;
        throw error;
      });
  const there = (workflowId: string) => waitFor(`the schedule of ${workflowId}`, () => described(workflowId));
  // A run is in the database before its Temporal workflow begins.
  const parentOf = (runId: string) =>
    posthorn.temporal.workflow
      .getHandle(`run/${runId}/1`)
      .describe()
      .then(({ raw }) => raw.workflowExecutionInfo?.parentExecution?.workflowId ?? undefined)
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      });
  const gone = (workflowId: string) =>
    waitFor(`the end of the schedule of ${workflowId}`, async () => (await described(workflowId)) === undefined);
  const note: Step = {
    id: 'note',
    type: 'action',
    config: { action: 'log', number: '{{ event.payload.number }}', at: '{{ event.publishedAt }}' },
  };
  const rest: Step = { id: 'rest', type: 'delay', config: { for: '1h' } };

  test('an active workflow has a schedule in Temporal, which starts runs with the trigger’s payload, digit for digit', async () => {
    const { id } = await calls.good<{ id: string }>(
      'POST',
      '/v1/workflows',
      `{"name":"Report","status":"active","trigger":{"type":"schedule","config":{"cron":"0 9 * * 1-5","timezone":"Europe/Berlin","payload":{"number":12345678901234567890}}},"steps":${JSON.stringify([note])}}`,
    );
    const { spec, policies, action, info } = await there(id);
    // The next hundred times, as they are in UTC.
    expect(spec.calendars).toHaveLength(100);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 600_000 });
    expect(action).toMatchObject({
      workflowType: 'runScheduled',
      workflowId: `workflow/${id}`,
      args: [{ workflowId: id }],
    });

    const times = `/v1/workflows/${id}/schedule`;
    const before = await calls.good<{ nextRunAt: string }>('GET', times);
    expect(Date.parse(before.nextRunAt)).toBeGreaterThan(Date.now());
    expect(info.nextActionTimes[0]?.toISOString()).toBe(before.nextRunAt);
    expect(before).not.toHaveProperty('lastRunAt');

    await scheduleOf(id).trigger();
    const run = await calls.ended((await calls.onlyRun(id)).id);

    expect(run).toMatchObject({ status: 'completed', trigger: { type: 'schedule' } });
    const text = await (
      await fetch(`${posthorn.url}/v1/runs/${run.id}`, { headers: { authorization: `Bearer ${posthorn.keys.live}` } })
    ).text();
    expect(text).toContain('"number":12345678901234567890');
    // The time that the schedule means stands for a message's.
    const { rows } = await posthorn.deps.pool.query<{ at: Date }>('SELECT scheduled_at AS at FROM runs WHERE id = $1', [
      run.id,
    ]);
    expect(stepOf(run, 'note').output).toMatchObject({ at: rows[0]?.at.toISOString() });
    const lastRunAt = rows[0]?.at.toISOString();
    await waitFor('the time to be told', async () => {
      const told = await calls.good<{ lastRunAt?: string }>('GET', times);
      return told.lastRunAt === lastRunAt;
    });
  });

  test('a change, a pause and a deletion of the workflow update its schedule', async () => {
    const workflowId = await calls.activate({ type: 'schedule', config: { every: '1h' } }, [note]);
    expect((await there(workflowId)).spec.intervals).toEqual([expect.objectContaining({ every: 3_600_000 })]);

    await calls.good('PATCH', `/v1/workflows/${workflowId}`, {
      trigger: {
        type: 'schedule',
        config: { cron: [YEARLY, '30 9 * * *'], overlap: 'bufferOne', catchupWindow: '1h', jitter: '30s' },
      },
    });
    const changed = await waitFor('the change', async () => {
      const found = await described(workflowId);
      return found?.spec.intervals?.length === 0 && found;
    });
    expect(changed.spec.calendars).toHaveLength(100);
    expect(changed.spec.jitter).toBe(30_000);
    expect(changed.policies).toMatchObject({ overlap: 'BUFFER_ONE', catchupWindow: 3_600_000 });

    await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
    await gone(workflowId);
    await calls.good('POST', `/v1/workflows/${workflowId}/activate`);
    await there(workflowId);
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, { trigger: { type: 'manual' } });
    await gone(workflowId);
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, {
      trigger: { type: 'schedule', config: { cron: YEARLY } },
    });
    await there(workflowId);
    await calls.good('DELETE', `/v1/workflows/${workflowId}`);
    await gone(workflowId);
  });

  test('a time during a run is skipped, because the schedule tracks the run to its end', async () => {
    const workflowId = await calls.activate({ type: 'schedule', config: { cron: YEARLY } }, [rest]);
    await there(workflowId);
    // A trigger by hand has a policy of its own; this one is the schedule's.
    await scheduleOf(workflowId).trigger('SKIP');
    const { id } = await calls.onlyRun(workflowId);
    await waitFor('the run to wait', async () => (await calls.getRun(id)).status === 'waiting');

    await scheduleOf(workflowId).trigger('SKIP');
    await waitFor(
      'the second time to be left out',
      async () => (await described(workflowId))?.info.numActionsSkippedOverlap === 1,
    );
    expect(await calls.runsOf(workflowId)).toHaveLength(1);

    await calls.good('POST', `/v1/runs/${id}/cancel`);
    // The schedule hears of the end a little later.
    const second = await waitFor('a second run', async () => {
      const found = (await calls.runsOf(workflowId)).find((run) => run.id !== id);
      if (found === undefined) await scheduleOf(workflowId).trigger('SKIP');
      return found;
    });
    // Cancelled with its schedule's Temporal workflow, as a person does in the Temporal UI.
    const begun = await waitFor('its Temporal workflow', () => parentOf(second.id));
    await posthorn.temporal.workflow.getHandle(begun).cancel();
    expect(await calls.ended(second.id)).toMatchObject({ status: 'cancelled' });
  });

  test('one time has one run, however often it is started', async () => {
    const workflowId = await calls.activate({ type: 'schedule', config: { cron: YEARLY } }, [note]);
    await there(workflowId);
    const { pool, newId } = posthorn.deps;
    const removed: string[] = [];
    const deps = {
      pool,
      newId,
      isSearchable: () => false,
      schedules: { remove: (id: string) => Promise.resolve(void removed.push(id)) },
    };
    const scheduledAt = '2026-01-01T09:00:00.000Z';
    const begun = await Promise.all([1, 2, 3].map(() => beginScheduledRun(deps, { workflowId, scheduledAt })));
    expect(new Set(begun.map((each) => each?.run.runId)).size).toBe(1);
    expect(await calls.runsOf(workflowId)).toHaveLength(1);

    // A schedule that is still there, of a workflow that is active no more, begins nothing and goes away.
    await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
    expect(await beginScheduledRun(deps, { workflowId, scheduledAt: '2026-01-02T09:00:00.000Z' })).toBeNull();
    expect(removed).toEqual([workflowId]);
  });

  test('a time while the app is suspended has no run, and the next one after it has one again', async () => {
    const workflowId = await calls.activate({ type: 'schedule', config: { cron: YEARLY } }, [note]);
    const { pool, newId } = posthorn.deps;
    const schedules = { remove: () => Promise.reject(new Error('the schedule is to stay')) };
    const begin = (day: number) =>
      beginScheduledRun(
        { pool, newId, isSearchable: () => false, schedules },
        { workflowId, scheduledAt: `2026-02-0${day}T09:00:00.000Z` },
      );
    const { rows } = await pool.query<{ id: string }>(
      'SELECT e.app_id AS id FROM workflows w JOIN environments e ON e.id = w.environment_id WHERE w.id = $1',
      [workflowId],
    );
    const { apps } = posthorn.services;
    await apps.operator.setStatus(rows[0]?.id ?? '', 'suspended');
    expect(await begin(1)).toBeNull();
    await apps.operator.setStatus(rows[0]?.id ?? '', 'active');
    expect(await calls.runsOf(workflowId)).toEqual([]);
    expect(await begin(2)).not.toBeNull();
  });

  test('a worker starts a run whose Temporal workflow was never started by its schedule', async () => {
    const workflowId = await calls.activate({ type: 'schedule', config: { cron: YEARLY } }, [{ ...note, config: {} }]);
    const { pool, newId } = posthorn.deps;
    const schedules = { remove: () => Promise.resolve() };
    const begun = await beginScheduledRun(
      { pool, newId, isSearchable: () => false, schedules },
      { workflowId, scheduledAt: '2026-01-01T09:00:00.000Z' },
    );
    await pool.query('UPDATE runs SET due_at = now() WHERE id = $1', [begun?.run.runId]);
    expect(await calls.ended(begun?.run.runId ?? '')).toMatchObject({ status: 'completed' });
  });

  // Regression: the row of a schedule that a worker was telling the old store of was passed over.
  test('a schedule that a worker was updating in the old store is created in the new one as well', async () => {
    const { pool } = posthorn.deps;
    const workflowId = await calls.activate({ type: 'schedule', config: { cron: YEARLY } }, [note]);
    await there(workflowId);
    // Not due for the worker of this test: another one has begun to tell Temporal of it, and has not stored that yet.
    await pool.query('UPDATE workflow_schedules SET synced = 0, revision = 0 WHERE workflow_id = $1', [workflowId]);
    const record = 'UPDATE workflow_schedules SET synced = 1, revision = 1 WHERE workflow_id = $1';
    await holding(pool, [record, workflowId], async (release) => {
      const forgotten = forgetSynced(pool);
      await untilStuck(pool, 1, forgotten);
      await scheduleOf(workflowId).delete();
      await release();
      await forgotten;
    });
    await there(workflowId);
  });

  test('a schedule receives further times before they run out, and stays paused if a person has paused it in Temporal', async () => {
    const { pool } = posthorn.deps;
    const workflowId = await calls.activate(
      { type: 'schedule', config: { cron: '0 9 * * *', timezone: 'europe/berlin' } },
      [note],
    );
    await there(workflowId);
    const topUpAt = async () =>
      (
        await pool.query<{ at: Date; problem: string | null }>(
          'SELECT top_up_at AS at, problem FROM workflow_schedules WHERE workflow_id = $1',
          [workflowId],
        )
      ).rows[0]?.at.getTime() ?? 0;
    const first = await waitFor('the time of the next look', async () => {
      const at = await topUpAt();
      return at > Date.now() && at;
    });
    // A hundred days: half of them.
    expect(Math.round((first - Date.now()) / 86_400_000)).toBe(50);

    const handle = scheduleOf(workflowId);
    await handle.pause('by a person');
    // As an earlier release has left it.
    await handle.update((known) => ({
      ...known,
      action: { ...known.action, args: known.action.args ?? [] },
      spec: { cronExpressions: ['0 9 * * *'], timezone: 'Europe/Berlin' },
    }));
    await pool.query('UPDATE workflow_schedules SET top_up_at = DEFAULT WHERE workflow_id = $1', [workflowId]);
    const { spec, state } = await waitFor('its times', async () => {
      const found = await described(workflowId);
      return found?.spec.calendars?.length === 100 && found;
    });
    expect(spec.timezone ?? '').toBe('');
    expect(state).toMatchObject({ paused: true, note: 'by a person' });
    await waitFor('the next look', async () => (await topUpAt()) >= first);
  });

  test('a schedule that cannot be created in Temporal shows the reason on its workflow, and does not block others', async () => {
    const { pool } = posthorn.deps;
    const trigger = { type: 'schedule', config: { cron: YEARLY } };
    const workflowId = await calls.activate(trigger, [note]);
    await there(workflowId);
    // One that was taken by an earlier release: its ids come first.
    await pool.query(
      `UPDATE workflow_versions SET trigger = '{"type":"schedule","config":{"cron":"0 9 31 2 *"}}' WHERE workflow_id = $1`,
      [workflowId],
    );
    await pool.query('UPDATE workflow_schedules SET synced = 0 WHERE workflow_id = $1', [workflowId]);
    const problem = await waitFor('the reason', async () => {
      const told = await calls.good<{ problem?: string }>('GET', `/v1/workflows/${workflowId}/schedule`);
      return told.problem;
    });
    expect(problem).toBe('The stored schedule cannot be read: must match at least one date');
    await there(await calls.activate(trigger, [note]));
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, { trigger });
    await waitFor('the schedule to be good again', async () => {
      const told = await calls.good<{ problem?: string; nextRunAt?: string }>(
        'GET',
        `/v1/workflows/${workflowId}/schedule`,
      );
      return told.problem === undefined && told.nextRunAt !== undefined;
    });
  });

  test('a change that Temporal cannot receive shows on each of its workflows until it can', async () => {
    // No worker: the only one that tells is this test.
    const alone = await startPosthorn({ withWorker: false });
    const { activate, good } = workflowCalls(alone);
    const connection = Connection.lazy({ address: `127.0.0.1:${await findFreePort()}` });
    try {
      const trigger = { type: 'schedule', config: { cron: YEARLY } };
      const ids = [await activate(trigger, [note]), await activate(trigger, [note])];
      const timesOfAll = () =>
        Promise.all(
          ids.map((id) => good<{ problem?: string; nextRunAt?: string }>('GET', `/v1/workflows/${id}/schedule`)),
        );
      const tell = (client: Client) => {
        const { pool, log, clock } = alone.deps;
        const { crashes } = posthorn.deps;
        const schedules = createSchedules(client, { taskQueue: posthorn.taskQueue, clock });
        return syncSchedules({ pool, log, clock, schedules, crashes });
      };
      await tell(new Client({ connection }));
      for (const times of await timesOfAll()) {
        expect(times.problem).toMatch(/^the last change has not been sent to Temporal yet: /);
        expect(times.nextRunAt).toBeUndefined();
      }
      await tell(posthorn.temporal);
      for (const times of await timesOfAll()) {
        expect(times.problem).toBeUndefined();
        expect(times.nextRunAt).toBeDefined();
      }
      for (const id of ids) await scheduleOf(id).delete();
    } finally {
      await connection.close();
      await alone.stop();
    }
  });

  test('schedules of a lost Temporal store are created again', async () => {
    const workflowId = await calls.activate({ type: 'schedule', config: { cron: YEARLY } }, [note]);
    await there(workflowId);
    await scheduleOf(workflowId).delete();
    await forgetSynced(posthorn.deps.pool);
    await there(workflowId);
  });

  const HOUR_MS = 3_600_000;
  const ZONES = [
    'Africa/Cairo',
    'America/Havana',
    'America/Los_Angeles',
    'America/New_York',
    'America/Nuuk',
    'America/Santiago',
    'America/St_Johns',
    'Antarctica/Troll',
    'Asia/Beirut',
    'Asia/Jerusalem',
    'Atlantic/Azores',
    'Atlantic/Bermuda',
    'Australia/Adelaide',
    'Australia/Lord_Howe',
    'Australia/Sydney',
    'Europe/Berlin',
    'Europe/Chisinau',
    'Europe/London',
    'Pacific/Auckland',
    'Pacific/Chatham',
  ];

  /** The last full hours before the clocks of a zone change in 2027. */
  function changesOf(timeZone: string): number[] {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const offset = (at: number) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    const hours = Array.from({ length: 365 * 24 }, (_, hour) => Date.UTC(2027, 0, 1, hour));
    return hours.filter((at) => offset(at) !== offset(at + HOUR_MS));
  }

  // Regression: Temporal computed the times of cron expressions by itself, and skipped those that clocks left out, and an hour in autumn.
  test.each(ZONES)('around both clock changes in %s, Temporal lists the times that the service shows', async (zone) => {
    const { temporal, taskQueue } = posthorn;
    const schedules = createSchedules(temporal, { taskQueue, clock: posthorn.deps.clock });
    const localDate = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' });
    const changes = changesOf(zone);
    expect(changes).toHaveLength(2);
    for (const change of changes) {
      const [from, to] = [change - 36 * HOUR_MS, change + 36 * HOUR_MS];
      const shown: string[][] = [];
      for (const config of [
        { cron: ['0 0 * * *', '30 1 * * *', '10 2 * * *'] },
        { cron: '5 * * * *' },
        { cron: '*/20 * * * *' },
        { every: '45m' },
      ]) {
        const schedule = plannedSchedule({ ...config, timezone: zone });
        const expected = [...takeUntil(timesOf(schedule, new Date(from)), to)];
        shown.push(expected.map((time) => localDate.format(time)));
        const workflowId = `table-${zone}`;
        const calendars = schedule.everyMs === undefined ? upcomingOf(schedule, new Date(from)).calendars : [];
        expect(await schedules.put({ ...schedule, calendars, workflowId, name: zone })).toBe('done');
        expect([config, await listed(workflowId, from, to)]).toEqual([config, expected]);
        await schedules.remove(workflowId);
        if (config.cron === '5 * * * *')
          expect(expected).toHaveLength(zone === 'Australia/Lord_Howe' ? expected.length : 72);
      }
      // Each date has each of its three times once.
      const [daily = []] = shown;
      const whole = [...new Set(daily)].slice(1, -1);
      expect(whole.map((date) => daily.filter((each) => each === date).length)).toEqual(whole.map(() => 3));
    }
  });

  function* takeUntil(times: Iterable<number>, to: number): Generator<number> {
    for (const time of times) {
      if (time > to) return;
      yield time;
    }
  }

  async function listed(workflowId: string, from: number, to: number): Promise<number[]> {
    const at = (ms: number) => ({ seconds: ms / 1_000 }) as never;
    const { startTime } = await posthorn.temporal.workflowService.listScheduleMatchingTimes({
      namespace: posthorn.temporal.options.namespace,
      scheduleId: `workflow/${workflowId}`,
      startTime: at(from),
      endTime: at(to),
    });
    return startTime.map(({ seconds }) => Number(seconds) * 1_000);
  }

  test.each([
    [{}, 'trigger.config', 'must have exactly one of cron and every'],
    [{ cron: YEARLY, every: '1h' }, 'trigger.config', 'must have exactly one of cron and every'],
    [{ every: '30s' }, 'trigger.config.every', 'must be at least 1m'],
    [{ cron: '* * * * * *' }, 'trigger.config.cron', 'must be a cron expression of five fields'],
    [{ cron: ['0 9 * * *', '0 25 * * *'] }, 'trigger.config.cron[1]', 'is not a valid cron expression'],
    [{ cron: '0 0 31 2 *' }, 'trigger.config.cron', 'must match at least one date'],
    [{ cron: '0 0 13 * 5' }, 'trigger.config.cron', 'must leave day of month or day of week at *'],
    [{ cron: YEARLY, timezone: 'Mars/Olympus' }, 'trigger.config.timezone', 'must be a time zone'],
    [{ cron: YEARLY, timezone: '+02:00' }, 'trigger.config.timezone', 'must be a time zone'],
    [
      { cron: ['0 9 * * *', `${'0,'.repeat(250)}0 0 * * *`] },
      'trigger.config.cron[1]',
      'must have at most 500 characters',
    ],
    [{ cron: YEARLY, overlap: 'queue' }, 'trigger.config.overlap', ''],
    [
      { cron: YEARLY, startAt: '2026-02-01T00:00:00Z', endAt: '2026-01-01T00:00:00Z' },
      'trigger.config.endAt',
      'must be later than startAt',
    ],
  ])('%j is refused with its field and the reason', async (config, field, reason) => {
    const { body } = await posthorn.request<{ error: { details: { field: string; reason: string } } }>(
      'POST',
      '/v1/workflows',
      {
        name: 'wrong',
        trigger: { type: 'schedule', config },
        steps: [note],
      },
    );
    expect(body.error.details.field.startsWith(field)).toBe(true);
    expect(body.error.details.reason).toContain(reason);
  });
});

describe('schedule overlaps', () => {
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

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
  ])('%s: the previous run ends as cancelled, and the next one is running', async (overlap, expected, reason) => {
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
  ])('%s: a time during a run gets its run after the current one', async (overlap, expected, behind) => {
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

  test('allowAll: runs execute in parallel', async () => {
    const schedule = await scheduled('allowAll');
    expect(schedule.policy).toBe('ALLOW_ALL');
    const before = await first(schedule);
    await schedule.comes();
    const next = await another(schedule.workflowId, before);
    await waiting(next.id);
    expect((await calls.getRun(before)).status).toBe('waiting');
  });
});
