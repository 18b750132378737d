import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { findVersion } from '../../src/automations/definitions/store.ts';
import { createPlans } from '../../src/automations/engine/plans.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { createRouteHeard } from '../../src/automations/waking/route-heard.ts';
import { ACTIONS, STEP_TYPES } from '../../src/kernel/contract/run-outline.ts';
import { createBeginByServiceEvents } from '../../src/messaging/publishing/begin-by-service-events.ts';
import { historyFromJson } from '../support/check/history-json.ts';
import { expectShortTurns } from '../support/check/longest-turn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { historyOf, type RecordedHistory } from '../support/make/history-of.ts';
import { isToBeKept } from '../support/make/record-histories.ts';
import { FULL_AFTER, recordFull, recordRuns, RUN_RECORDINGS, SECRET_WORD } from '../support/make/run-recordings.ts';
import { type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { BUILT } from '../support/service/ensure-built.ts';
import { makeDataFolder, startOwnTemporal } from '../support/service/own-servers.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('run limits', () => {
  /** Limits that no run exceeds. */
  let posthorn: TestPosthorn;
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    posthorn = await startPosthorn();
    calls = workflowCalls(posthorn);
  });
  afterAll(() => posthorn.stop());

  test('a run takes at most 10,000 steps, those of loops included, and the next one fails it as a dead letter', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'ask', type: 'approval', config: { title: 'Go on?' }, next: 'each' },
      { id: 'each', type: 'foreach', config: { items: '[1, 2, 3]', body: 'note' } },
      { id: 'note', type: 'action', config: { item: '{{ item }}' } },
    ]);
    const { id } = await calls.start(workflowId);
    await waitFor('the question', async () => (await calls.getRun(id)).status === 'waiting');
    // As if a long loop had run: the loop that follows and two of its items are the last three.
    await posthorn.deps.db.run.update({ where: { id }, data: { executions: 9_997 } });
    await calls.good('POST', `/v1/runs/${id}/approve`);
    const run = await calls.ended(id);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'TOO_MANY_STEPS', message: expect.stringContaining('10000') },
    });
    expect(run.steps.filter((step) => step.id === 'note').map(({ iteration, status }) => [iteration, status])).toEqual([
      ['0', 'completed'],
      ['1', 'completed'],
      ['2', 'failed'],
    ]);
    const letters = await calls.good<{ data: { runId: string }[] }>('GET', `/v1/dlq?kind=run&workflowId=${workflowId}`);
    expect(letters.data).toEqual([expect.objectContaining({ runId: id })]);
  });

  test('a result above 256 KiB that comes from no request is refused, and its step may continue elsewhere', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'twice',
        type: 'transform',
        config: {
          set: { a: '{{ event.payload.text }}', b: '{{ event.payload.text }}' },
          onError: [{ errors: ['PAYLOAD_TOO_LARGE'], next: 'less' }],
        },
        next: null,
      },
      { id: 'less', type: 'transform', config: { set: { why: '{{ steps.twice.error.message }}' } } },
    ]);
    const { id } = await calls.start(workflowId, { text: 'x'.repeat(200_000) });
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    expect(stepOf(run, 'twice')).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(stepOf(run, 'less').output).toEqual({ why: expect.stringContaining('262144') });
  });

  test('a loop takes as many items as its definition and the service allow', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'each', type: 'foreach', config: { items: 'event.payload.items', body: 'note', maxItems: 2 } },
      { id: 'note', type: 'action', config: { item: '{{ item }}' } },
    ]);
    const ended = async (items: number[]) => calls.ended((await calls.start(workflowId, { items })).id);
    expect((await ended([1, 2])).status).toBe('completed');
    const run = await ended([1, 2, 3]);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_TOO_LARGE', stepId: 'each' } });
    expect(run.steps.map((step) => step.id)).toEqual(['each']);
  });

  const sums = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, `{{ event.payload.n + ${index} }}`]));

  test('a step may have 500 different expressions, and a definition 1,000', async () => {
    const steps = [1, 2].map((n) => ({ id: `s${n}`, type: 'transform', config: { set: sums(500) } }));
    const workflowId = await calls.activate({ type: 'manual' }, steps);
    const { id } = await calls.start(workflowId, { n: 1 });
    const run = await calls.ended(id);
    expect(stepOf(run, 's2').output).toEqual(
      Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, index + 1])),
    );

    const further = { id: 's3', type: 'transform', config: { set: { one: '{{ event.payload.n }}' } } };
    for (const [given, field, reason] of [
      [[{ ...further, config: { set: sums(501) } }], 'steps[0].config', 'holds 501 different expressions'],
      [[...steps, further], 'steps', 'hold 1001 different expressions'],
    ] as const) {
      const { body } = await posthorn.request('POST', '/v1/workflows/validate', { name: 'many', steps: given });
      expect(body).toEqual({
        valid: false,
        errors: [{ field, reason: expect.stringContaining(reason) }, expect.anything()],
      });
    }
  });

  test('messages of one environment wake its runs while those of another are still being evaluated', async () => {
    const other = workflowCalls({
      request: (method, path, body) => posthorn.request(method, path, body, { key: posthorn.keys.test }),
    });
    const waiting = async (here: ReturnType<typeof workflowCalls>): Promise<{ runId: string; channelId: string }> => {
      const channelId = await here.channel();
      const match = [{ event: 'event.payload.of', run: 'event.payload.of' }];
      const workflowId = await here.activate({ type: 'manual' }, [
        { id: 'paid', type: 'wait_for_event', config: { channelId, match } },
      ]);
      const { id } = await here.start(workflowId, { of: 1 });
      await waitFor('the run to wait', async () => (await here.getRun(id)).status === 'waiting');
      return { runId: id, channelId };
    };
    const [slow, quick] = [await waiting(other), await waiting(calls)];
    await posthorn.worker.stop();
    try {
      await other.publish(slow.channelId, { of: 1 });
      await calls.publish(quick.channelId, { of: 1 });
      const { pool, filters } = posthorn.deps;
      const { rows: found } = await pool.query<{ id: string }>('SELECT environment_id AS id FROM runs WHERE id = $1', [
        slow.runId,
      ]);
      const expressions = createStepExpressions();
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const routing = createRouteHeard({
        crashes: posthorn.deps.crashes,
        pool,
        beginByServiceEvents: createBeginByServiceEvents(posthorn.deps),
        filters,
        log: posthorn.deps.log,
        plans: createPlans((workflowId, version) => findVersion(posthorn.deps.db, workflowId, version)),
        expressions: {
          async evaluateAll(all, context, environmentId) {
            if (environmentId === found[0]?.id) await gate;
            return expressions.evaluateAll(all, context, environmentId);
          },
        },
      })();
      const isWoken = async (runId: string): Promise<boolean> => {
        const { rowCount } = await pool.query('SELECT FROM run_waits WHERE run_id = $1 AND message_id IS NOT NULL', [
          runId,
        ]);
        return rowCount === 1;
      };
      await waitFor('the quick one to have its message', () => isWoken(quick.runId));
      expect(await isWoken(slow.runId)).toBe(false);
      open();
      await routing;
      expect(await isWoken(slow.runId)).toBe(true);
    } finally {
      await posthorn.worker.start();
    }
    await Promise.all([calls.ended(quick.runId), other.ended(slow.runId)]);
  });

  describe('a run whose expressions return too much, or work too long, fails at that step without blocking the event loop:', () => {
    // Regression: values of CEL reference others: as JSON each reference was a copy, whose size was checked after all had been created.
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`m${at}`, at]));
    const list = Array.from({ length: 1_000 }, (_, at) => at);
    const large = { members, list };
    const words = { words: Array.from({ length: 10_000 }, (_, at) => `wo-${at}`), list };
    const texts = { a: `${'x'.repeat(120_000)}a`, b: `${'x'.repeat(120_000)}b`, list };
    const small = { lists: Array.from({ length: 80_000 }, () => []) };
    const many = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));
    const copies = many(800, () => '{{ event.payload }}');
    const maps = `event.payload.list.map(n, {${many(16, (at) => `"k${at}": event.payload.members`).join(', ')}})`;
    const nested = (predicate: string) =>
      `event.payload.list.map(a, event.payload.list.filter(b, ${many(8, () => predicate).join(' || ')}))`;
    const looking = nested('"wo-x" in event.payload.words');
    const comparing = nested('event.payload.a == event.payload.b');
    const step = (type: string, config: object) => [{ id: 'poison', type, config }];
    const note = { id: 'note', type: 'action', config: {} };

    test.each<[string, object, readonly Step[], string]>([
      [
        '16,000 references to one object',
        large,
        step('transform', { set: { all: `{{ ${maps} }}` } }),
        'PAYLOAD_TOO_LARGE',
      ],
      ['variables of them', large, step('transform', { assign: { all: `{{ ${maps} }}` } }), 'PAYLOAD_TOO_LARGE'],
      ['a list of 800 references', large, step('action', { action: 'log', copies }), 'PAYLOAD_TOO_LARGE'],
      ['a text of 500', large, step('transform', { set: { text: copies.slice(300).join('') } }), 'PAYLOAD_TOO_LARGE'],
      ['references to 80,000 lists', small, step('transform', { set: { copies } }), 'PAYLOAD_TOO_LARGE'],
      [
        'a body of a request',
        large,
        step('action', { action: 'http', url: 'http://127.0.0.1:8099/', body: { copies } }),
        'PAYLOAD_TOO_LARGE',
      ],
      [
        'an address',
        large,
        step('action', { action: 'http', url: `http://127.0.0.1:8099/?${'{{ event.payload }}'.repeat(60)}` }),
        'EXPRESSION',
      ],
      ['the output of a step', large, step('action', { action: 'log', output: { copies } }), 'PAYLOAD_TOO_LARGE'],
      ['items of a loop', large, [...step('foreach', { items: maps, body: 'note' }), note], 'PAYLOAD_TOO_LARGE'],
      [
        'what a loop collects',
        large,
        [...step('foreach', { items: '[1]', body: 'note', collect: maps }), note],
        'PAYLOAD_TOO_LARGE',
      ],
      [
        'the text of an approval',
        large,
        step('approval', { title: 'Go on?', message: copies.slice(600).join('') }),
        'PAYLOAD_TOO_LARGE',
      ],
      [
        'a value that is waited for',
        large,
        step('wait_for_event', {
          eventTypes: ['order.paid'],
          match: [{ event: 'event.payload.id', run: maps }],
          timeout: '1h',
        }),
        'PAYLOAD_TOO_LARGE',
      ],
      [
        '80 million items that are looked at',
        words,
        step('condition', { expression: `size(${looking}) > 0` }),
        'EXPRESSION',
      ],
      ['960 GB that are compared', texts, step('filter', { expression: `size(${comparing}) > 0` }), 'EXPRESSION'],
      [
        '20 cases, each as costly as one may be',
        words,
        step('switch', {
          cases: [
            ...many(19, (at) => ({
              when: `event.payload.list.filter(a, "wo-${at}x" in event.payload.words && "wo-x" in event.payload.words).size() > 0`,
              next: null,
            })),
            { when: `size(${looking}) > 0`, next: null },
          ],
        }),
        'EXPRESSION',
      ],
    ])('%s', async (_, payload, steps, code) => {
      const workflowId = await calls.activate({ type: 'manual' }, steps);
      let run: Awaited<ReturnType<typeof calls.ended>> | undefined;
      await expectShortTurns(async () => {
        const { id } = await calls.start(workflowId, payload);
        run = await calls.ended(id);
      });
      expect(run).toMatchObject({ status: 'failed', error: { code, stepId: 'poison' } });
      const letters = await calls.good<{ data: object[] }>('GET', `/v1/dlq?kind=run&workflowId=${workflowId}`);
      expect(letters.data[0]).toMatchObject({ runId: run?.id });
    });
  });
});

describe('run histories', () => {
  const fileOf = (name: string): string => join(import.meta.dirname, 'run-histories', `${name}.json`);
  const textOf = (name: string): string => readFileSync(fileOf(name), 'utf8');
  // `as`: this file writes them.
  /** With the payloads of Temporal decoded. */
  const decoded = (text: string): string =>
    text.replaceAll(/"data": "([\w+/=]*)"/g, (_, data: string) => Buffer.from(data, 'base64').toString());
  const keptOf = (name: string): RecordedHistory => JSON.parse(textOf(name)) as RecordedHistory;

  async function recordOnSmallServer(): Promise<Record<string, RecordedHistory>> {
    const temporal = await startOwnTemporal(makeDataFolder(), { dynamicValues: [FULL_AFTER] });
    try {
      const small = await startPosthorn({ temporalAddress: temporal.address });
      const recorded = await recordFull(small);
      await small.stop();
      return recorded;
    } finally {
      await temporal.stop();
    }
  }

  /**
   * Recorded by code that resumed chains immediately if their steps finished together, like runs that were in progress when it was
   * replaced.
   */
  const FROM_BEFORE = ['loops-before-turns', 'branches-before-turns'];

  let failures: Record<string, unknown>;

  beforeAll(async () => {
    const workflowBundle = { codePath: BUILT.workflows };
    const fresh = { ...(await recordRuns(posthorn)), ...(await recordOnSmallServer()) };
    if (isToBeKept)
      for (const [name, recorded] of Object.entries(fresh))
        writeFileSync(fileOf(name), `${JSON.stringify(recorded, undefined, 1)}\n`);
    const all = [
      ...[...RUN_RECORDINGS, ...FROM_BEFORE].map((name) => ({
        workflowId: `${name} as kept`,
        history: historyFromJson(keptOf(name).history),
      })),
      ...RUN_RECORDINGS.map((name) => ({
        workflowId: `${name} as it goes now`,
        history: historyFromJson(fresh[name]?.history),
      })),
    ];
    failures = {};
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, all))
      failures[workflowId] = error;
  }, 400_000);

  test.each(RUN_RECORDINGS)('%s continues with the current workflows, as stored and as recorded now', (name) => {
    expect(failures).toMatchObject({ [`${name} as kept`]: undefined, [`${name} as it goes now`]: undefined });
    expect(Object.keys(failures)).toEqual(expect.arrayContaining([`${name} as kept`, `${name} as it goes now`]));
  });

  // The code that recorded them could not replay them, because it numbered its commands differently, so `patched()` with that code for
  // older runs would block them.
  test.each(FROM_BEFORE)('%s continues with the current workflows', (name) => {
    expect(Object.keys(failures)).toContain(`${name} as kept`);
    expect(failures[`${name} as kept`]).toBeUndefined();
  });

  test('every kind of step, of action, of wait and of end of a round is in a recorded history', () => {
    const kept = RUN_RECORDINGS.map((name) => decoded(textOf(name))).join('\n');
    const kinds = STEP_TYPES.filter((type) => type !== 'action').map((type) => `"type":"${type}"`);
    const actions = ACTIONS.map((action) => `"type":"action","action":"${action}"`);
    const modes = ['all', 'race'].map((mode) => `"mode":"${mode}"`);
    const ends = [
      ...['completed', 'paused'].map((result) => `"result":"${result}"`),
      ...['FAILED', 'CANCELED', 'CONTINUED_AS_NEW'].map((end) => `EVENT_TYPE_WORKFLOW_EXECUTION_${end}`),
    ];
    for (const part of [...kinds, ...actions, ...modes, ...ends])
      expect([part, kept.includes(part)]).toEqual([part, true]);
    const [full, after] = ['full-in-a-loop', 'goes-on-after-a-full-one'].map(textOf);
    expect(full).toContain('"EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW"');
    expect(after).toContain('"continuedExecutionRunId"');
    expect(textOf('begun-by-a-schedule')).toContain('"name": "runScheduled"');
  });

  test('no payload of a run is in Temporal, and the recorded histories name no machine', () => {
    for (const name of [...RUN_RECORDINGS, ...FROM_BEFORE]) {
      const text = textOf(name);
      for (const word of [`@${hostname()}`, process.cwd(), '/node_modules/', SECRET_WORD])
        expect([name, word, decoded(text).includes(word)]).toEqual([name, word, false]);
    }
  });
});

describe('temporal ui', () => {
  /** An operator sees in the Temporal UI which steps a run has, and its current one. */
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  type Event = { eventType: string; userMetadata?: { summary?: { data: string } } };
  const detailsOf = async (runId: string): Promise<string> => {
    const metadata: { currentDetails?: string } = await posthorn.temporal.workflow
      .getHandle(`run/${runId}/1`)
      .query('__temporal_workflow_metadata');
    return metadata.currentDetails ?? '';
  };

  test('a run has a readable id, a summary, its steps with the current one marked, and descriptions of its timers and activities', async () => {
    const receiver = await startReceiver({});
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'crm', type: 'action', config: { action: 'http', url: receiver.url, label: 'Tell the CRM' } },
      { id: 'rest', type: 'delay', config: { for: '15s', label: 'A little rest' } },
      { id: 'heard', type: 'wait_for_event', config: { eventTypes: ['order.paid'], timeout: '1s' } },
      { id: 'note', type: 'action', config: { text: 'done' } },
    ]);
    const { id } = await calls.start(workflowId);
    const lines = (current: string): string =>
      ['crm (action): Tell the CRM', 'rest (delay): A little rest', 'heard (wait_for_event)', 'note (action)']
        .map((line) => (line.startsWith(current) ? `- **${line}**` : `- ${line}`))
        .join('\n');
    await waitFor('the delay is the current step', async () => (await calls.getRun(id)).status === 'waiting');
    expect(await detailsOf(id)).toBe(lines('rest'));
    const shown = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
    expect(await shown.staticSummary()).toBe('test ← manual');
    await calls.ended(id);
    await receiver.close();

    const { history } = await historyOf(posthorn, `run/${id}/1`, 'closed');
    expect(await detailsOf(id)).toBe(lines('nothing'));
    // `as`: historyOf writes it.
    const summaries = (history as { events: Event[] }).events.flatMap(({ eventType, userMetadata }) =>
      userMetadata?.summary === undefined
        ? []
        : [[eventType, JSON.parse(Buffer.from(userMetadata.summary.data, 'base64').toString()) as string]],
    );
    expect(summaries).toEqual(
      expect.arrayContaining([
        ['EVENT_TYPE_ACTIVITY_TASK_SCHEDULED', 'Tell the CRM'],
        ['EVENT_TYPE_TIMER_STARTED', 'A little rest'],
        ['EVENT_TYPE_TIMER_STARTED', expect.stringContaining('order.paid')],
      ]),
    );
  });
});
