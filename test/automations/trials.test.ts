import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type TrialRecord, withoutTrace } from '../../src/automations/trials/service.ts';
import { insertTrial, readRows } from '../../src/automations/trials/store.ts';
import { stepOf, workflowCalls, type RunStepAnswer, type Step } from '../support/make/workflow-calls.ts';
import { expectShortTurns } from '../support/check/longest-turn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { insertOrganisation } from '../support/make/organisation.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = workflowCalls(posthorn);
  receiver = await startReceiver();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

type Trial = {
  status: string;
  error?: { code: string; message: string; stepId: string };
  output?: unknown;
  steps: (RunStepAnswer & { mocked?: string })[];
};

const draft = async (steps: readonly Step[]): Promise<string> =>
  (await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'tried', steps })).id;
const tryIt = (workflowId: string, body: unknown = {}): Promise<Trial> =>
  calls.good('POST', `/v1/workflows/${workflowId}/test`, body);
const stepIn = (trial: Trial, id: string, iteration = '') =>
  stepOf({ ...trial, id: '', workflowId: '', trigger: { type: '' } }, id, iteration) as Trial['steps'][number];
const rowsOf = async (table: string): Promise<number> =>
  (await posthorn.deps.pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`)).rows[0]?.count ??
  -1;

const crm = (config: object = {}) => ({
  id: 'crm',
  type: 'action',
  config: {
    action: 'http',
    url: new URL('/deals', receiver.url).href,
    body: { id: '{{ event.payload.id }}' },
    ...config,
  },
  next: 'tell',
});
const tell = {
  id: 'tell',
  type: 'action',
  config: { action: 'log', deal: '{{ steps.crm.output.body.deal }}', isTest: '{{ run.test }}' },
};

test('100 mocks of 5 MiB in total do not block the event loop, because the body is parsed once', async () => {
  const ids = Array.from({ length: 100 }, (_, at) => `s${at}`);
  // The steps themselves are skipped, so that the test run is short.
  const steps = ids.map((id, at) => ({ ...crm({ if: 'false' }), id, next: ids[at + 1] ?? null }));
  const workflowId = await draft(steps);
  const mocks = Object.fromEntries(ids.map((id) => [id, { output: { text: 'x'.repeat(48_000) } }]));
  const event = { payload: { id: 'A-17' } };
  expect((await tryIt(workflowId, { event })).status).toBe('completed');
  let trial: Trial | undefined;
  await expectShortTurns(async () => {
    trial = await tryIt(workflowId, { event, mocks });
  });
  expect(trial?.steps).toHaveLength(100);
});

test('a test run of a draft shows each step’s input and output, sends nothing and stores nothing', async () => {
  const workflowId = await draft([crm(), tell]);
  const before = await Promise.all(['runs', 'run_steps', 'messages'].map(rowsOf));

  const trial = await tryIt(workflowId, {
    event: { payload: { id: 'A-17' } },
    mocks: { crm: { output: { status: 200, body: { deal: 7 } } } },
  });

  expect(trial.status).toBe('completed');
  expect(stepIn(trial, 'crm')).toEqual({
    id: 'crm',
    iteration: '',
    type: 'action',
    status: 'completed',
    input: { method: 'POST', url: new URL('/deals', receiver.url).href, headers: {}, body: { id: 'A-17' } },
    output: { status: 200, body: { deal: 7 } },
    mocked: 'given',
  });
  expect(stepIn(trial, 'tell')).toMatchObject({ status: 'completed', output: { deal: 7, isTest: true } });
  expect(receiver.requests).toEqual([]);
  expect(await Promise.all(['runs', 'run_steps', 'messages'].map(rowsOf))).toEqual(before);
});

test('numbers of events and mocks keep their digits', async () => {
  const workflowId = await draft([crm(), tell]);
  const text = await (
    await fetch(`${posthorn.url}/v1/workflows/${workflowId}/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' },
      body: '{"event":{"payload":{"id":12345678901234567890}},"mocks":{"crm":{"output":{"body":{"deal":98765432109876543210}}}}}',
    })
  ).text();
  expect(text).toContain('12345678901234567890');
  expect(text).toContain('"deal":98765432109876543210');
});

test('without a mock the result is invented, and marked as such', async () => {
  const channelId = await calls.channel();
  const workflowId = await draft([
    crm({ onError: 'fail' }),
    { id: 'tell', type: 'action', config: { action: 'publish', channelId, eventType: 'deal.made', payload: { a: 1 } } },
  ]);
  const trial = await tryIt(workflowId);
  // An event without that field makes the body's template fail as it would in a run.
  expect(trial).toMatchObject({ status: 'failed', error: { code: 'EXPRESSION', stepId: 'crm' } });

  const whole = await tryIt(workflowId, { event: { payload: { id: 1 } } });
  expect(whole.status).toBe('completed');
  expect(stepIn(whole, 'crm')).toMatchObject({ mocked: 'invented', output: { status: 200, body: null } });
  expect(stepIn(whole, 'tell')).toMatchObject({ mocked: 'invented', input: { channelId, payload: { a: 1 } } });
});

test('a mocked error takes the branch that the definition names for it', async () => {
  const workflowId = await draft([
    crm({ onError: [{ errors: ['HTTP_4XX'], next: 'sorry' }] }),
    tell,
    {
      id: 'sorry',
      type: 'end',
      config: { status: 'failed', error: { code: 'NO_DEAL', message: 'for {{ event.payload.id }}' } },
    },
  ]);
  const trial = await tryIt(workflowId, {
    event: { payload: { id: 'A-18' } },
    mocks: { crm: { error: { code: 'HTTP_404', message: 'none' } } },
  });
  expect(trial.status).toBe('failed');
  expect(trial.error).toEqual({ code: 'NO_DEAL', message: 'for A-18', stepId: 'sorry' });
  expect(trial.steps.map(({ id, status }) => [id, status])).toEqual([
    ['crm', 'failed'],
    ['sorry', 'failed'],
  ]);
});

test('loops, branches and delays are executed as in a run, without waiting', async () => {
  const workflowId = await draft([
    { id: 'rest', type: 'delay', config: { for: '30d' }, next: 'all' },
    {
      id: 'all',
      type: 'foreach',
      config: { items: 'event.payload.items', body: 'each', collect: 'steps.each.output.twice' },
      next: 'both',
    },
    { id: 'each', type: 'transform', config: { set: { twice: '{{ item * 2 }}' } } },
    { id: 'both', type: 'parallel', config: { branches: ['left', 'right'] }, next: 'done' },
    { id: 'left', type: 'action', config: { action: 'log', side: 'left' } },
    { id: 'right', type: 'action', config: { action: 'log', side: 'right' } },
    { id: 'done', type: 'end', config: { status: 'completed', output: { sum: '{{ steps.all.output.results }}' } } },
  ]);
  const trial = await tryIt(workflowId, { event: { payload: { items: [1, 2, 3] } } });
  expect(trial).toMatchObject({ status: 'completed', output: { sum: [2, 4, 6] } });
  expect(stepIn(trial, 'both').output).toEqual({
    left: { action: 'log', side: 'left' },
    right: { action: 'log', side: 'right' },
  });
  expect(stepIn(trial, 'each', '2').output).toEqual({ twice: 6 });
});

test('mocks of missing steps, or of steps without effects, are refused with their fields', async () => {
  const workflowId = await draft([crm(), tell]);
  const answer = await posthorn.request<{ error: { code: string; details: { errors: unknown[] } } }>(
    'POST',
    `/v1/workflows/${workflowId}/test`,
    { mocks: { tell: { output: 1 }, nobody: { output: 1 } } },
  );
  expect(answer.status).toBe(400);
  expect(answer.body.error.details.errors).toEqual([
    { field: 'mocks.tell', reason: 'must be a step with effects; a step of the type action is executed' },
    { field: 'mocks.nobody', reason: 'must be the id of a step of the workflow' },
  ]);
  const both = await posthorn.request('POST', `/v1/workflows/${workflowId}/test`, { mocks: { crm: {} } });
  expect(both.body).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field: 'mocks.crm' } } });
});

// `{"approved": true}` was taken, and led to the rejected branch.
test('the output of an approval has a decision, which selects its branch', async () => {
  const workflowId = await draft([
    { id: 'ask', type: 'approval', config: { title: 'Pay?' } },
    { id: 'pay', type: 'action', config: { action: 'log', text: 'Paid' } },
  ]);
  const path = `/v1/workflows/${workflowId}/test`;
  const wrong = await posthorn.request('POST', path, { mocks: { ask: { output: { approved: true } } } });
  expect(wrong.status).toBe(400);
  expect(wrong.body).toMatchObject({
    error: { details: { field: 'mocks.ask.output.decision', reason: 'must be approved or rejected' } },
  });
  const ended = async (decision: string): Promise<Trial> =>
    tryIt(workflowId, { mocks: { ask: { output: { decision } } } });
  expect((await ended('approved')).status).toBe('completed');
  expect((await ended('rejected')).error).toMatchObject({ code: 'APPROVAL_REJECTED', message: 'rejected by its mock' });
});

// Regression: one organisation could have all four places.
test('two test runs of an organisation hold connections, the next one is UNAVAILABLE at once, and other organisations have free slots', async () => {
  const workflowId = await draft([{ ...crm(), next: null }]);
  const held = await posthorn.deps.pool.connect();
  let trials: Promise<Trial>[] = [];
  try {
    // A test run refers to its workflow, and so waits for a transaction that has it locked.
    await held.query('BEGIN');
    await held.query('SELECT FROM workflows WHERE id = $1 FOR UPDATE', [workflowId]);
    trials = [1, 2].map(() => tryIt(workflowId, { event: { payload: { id: 1 } } }));
    await waitFor('two trials to wait', async () => {
      const { rows } = await posthorn.deps.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO runs%'
         AND datname = current_database()`,
      );
      return rows[0]?.count === 2;
    });
    const answer = await posthorn.request('POST', `/v1/workflows/${workflowId}/test`, {});
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } });
    const { live } = await insertOrganisation(posthorn.deps);
    const { appId } = await posthorn.deps.db.environment.findUniqueOrThrow({ where: { id: live } });
    const made = { environment: 'live', appId, name: 'other', tier: 'enterprise' } as const;
    const { key } = await posthorn.services.apiKeys.operator.create(made);
    const others = { name: 'tried', steps: [{ id: 'note', type: 'action', config: { action: 'log' } }] };
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/workflows', others, { key });
    const tried = await posthorn.request('POST', `/v1/workflows/${body.id}/test`, {}, { key });
    expect(tried.status).toBe(200);
  } finally {
    await held.query('ROLLBACK');
    held.release();
  }
  expect((await Promise.all(trials)).map(({ status }) => status)).toEqual(['completed', 'completed']);
});

test('a workflow without steps cannot be tested', async () => {
  const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'empty' });
  const answer = await posthorn.request('POST', `/v1/workflows/${id}/test`, {});
  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
});

test('an end within a loop or a branch gives the result of the test run and cuts off what is around it, as in a run', async () => {
  const end: Step = { id: 'stop', type: 'end', config: { output: 'found {{ event.payload.n }}' } };
  const loop: Step = { id: 'each', type: 'foreach', config: { items: '[1, 2, 3]', body: 'stop' } };
  const note: Step = { id: 'note', type: 'action', config: { action: 'log' } };
  const both: Step = { id: 'both', type: 'parallel', config: { branches: ['note', 'stop'] } };
  for (const [around, ...others] of [[loop], [both, note]] as const) {
    const trial = await tryIt(await draft([around, ...others, end]), { event: { payload: { n: 7 } } });
    expect(trial).toMatchObject({ status: 'completed', output: 'found 7' });
    expect(stepIn(trial, around.id).status).toBe('cancelled');
  }
});

test('a test run stores its rows in short transactions, so that no stream waits for it', async () => {
  const workflowId = await draft([{ ...tell, config: {} }]);
  const { pool, tenants } = posthorn.deps;
  const { rows: of } = await pool.query<{ environmentId: string; organisationId: string }>(
    `SELECT e.id AS "environmentId", a.organisation_id AS "organisationId" FROM workflows w
      JOIN environments e ON e.id = w.environment_id JOIN apps a ON a.id = e.app_id WHERE w.id = $1`,
    [workflowId],
  );
  const [{ environmentId, organisationId } = { environmentId: '', organisationId: '' }] = of;
  const id = 'run_01h00000000000000000000000';
  // A transaction that has written has a number, which the horizon of streams does not pass while it is open.
  const numberOf = async (record: TrialRecord): Promise<string | undefined> =>
    (await record.connection().query<{ number: string }>('SELECT pg_current_xact_id()::text AS number')).rows[0]
      ?.number;
  const numbers = await withoutTrace(tenants, { environmentId, organisationId }, id, async (record) => {
    await insertTrial(record.connection(), { id, environmentId, workflowId, version: 1 });
    await record.connection().query(
      `INSERT INTO run_steps (run_id, step_id, iteration, environment_id, number, type, status, output, started_at)
        VALUES ($1, 'one', '', $2, 1, 'action', 'completed', '{"n":12.50,"text":"ä\\u0001"}', now())`,
      [id, environmentId],
    );
    const rows = await readRows(record.connection(), id);
    const first = await numberOf(record);
    await waitFor('the record to be renewed', async () => {
      await record.renew();
      return (await numberOf(record)) !== first;
    });
    expect(await readRows(record.connection(), id)).toBe(rows);
    return [first, await numberOf(record)];
  });
  expect(new Set(numbers).size).toBe(2);
  expect((await pool.query('SELECT FROM runs WHERE id = $1', [id])).rowCount).toBe(0);
});
