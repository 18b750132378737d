import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findOfRun } from '../../src/automations/approvals/store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, stepOf, type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

type ApprovalAnswer = {
  id: string;
  runId: string;
  stepId: string;
  iteration: string;
  status: string;
  title: string;
  message?: string;
  decidedBy?: string;
  decidedAt?: string;
  comment?: string;
  data?: unknown;
};
type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };

const ask = (config: object = {}): Step => ({
  id: 'ask',
  type: 'approval',
  config: {
    title: 'Collect {{ event.payload.invoice }}?',
    message: 'The invoice is {{ event.payload.days }} days late.',
    ...config,
  },
});
const act: Step = { id: 'act', type: 'action', config: { action: 'log', by: '{{ steps.ask.output.by }}' } };
const fallback: Step = { id: 'fallback', type: 'action', config: {} };

const start = async (config: object = {}, steps: Step[] = [act]): Promise<RunAnswer> => {
  const workflowId = await calls.activate({ type: 'manual' }, [ask(config), ...steps]);
  return calls.start(workflowId, { invoice: 'I-7', days: 30 });
};
const asked = (runId: string, count = 1): Promise<ApprovalAnswer[]> =>
  waitFor('the run to ask', async () => {
    const { data } = await calls.good<{ data: ApprovalAnswer[] }>('GET', `/v1/approvals?status=open&runId=${runId}`);
    return data.length === count && data;
  });
const decide = (runId: string, decision: 'approve' | 'reject', body: unknown = {}) =>
  posthorn.request<ApprovalAnswer & Refusal>('POST', `/v1/runs/${runId}/${decision}`, body);

test('a run asks, waits, and goes on with the decision; a second one is refused and told the first', async () => {
  const { id } = await start();
  const [approval] = await asked(id);
  expect(approval).toMatchObject({
    runId: id,
    stepId: 'ask',
    iteration: '',
    title: 'Collect I-7?',
    message: 'The invoice is 30 days late.',
    approvers: [],
  });
  const run = await waitFor('the run to wait', async () => {
    const found = await calls.getRun(id);
    return found.status === 'waiting' && found;
  });
  expect(stepOf(run, 'ask').input).toMatchObject({ title: 'Collect I-7?', message: 'The invoice is 30 days late.' });

  const { status, body } = await decide(id, 'approve', { comment: 'Go on.', data: { amount: 12 } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: approval?.id, status: 'approved', comment: 'Go on.', data: { amount: 12 } });
  const ended = await calls.ended(id);
  expect(ended.status).toBe('completed');
  expect(stepOf(ended, 'ask').output).toEqual({
    decision: 'approved',
    by: body.decidedBy,
    at: body.decidedAt,
    comment: 'Go on.',
    data: { amount: 12 },
  });
  expect(stepOf(ended, 'act').output).toMatchObject({ by: body.decidedBy });

  const second = await decide(id, 'reject');
  expect(second.status).toBe(409);
  expect(second.body.error.message).toContain(`is approved by ${body.decidedBy} at ${body.decidedAt}`);
  const { data } = await calls.good<{ data: { target: unknown }[] }>('GET', '/v1/audit?action=approval.approved');
  expect(data.map(({ target }) => target)).toEqual([expect.objectContaining({ id: approval?.id })]);
  expect(await calls.good('GET', `/v1/approvals/${approval?.id}`)).toEqual(body);
});

test('two decisions at once are one', async () => {
  const { id } = await start({ approved: 'act', rejected: null });
  await asked(id);
  const answers = await Promise.all(
    (['approve', 'reject', 'approve', 'reject'] as const).map((one) => decide(id, one)),
  );
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409, 409]);
  const made = answers.find(({ status }) => status === 200)?.body.status;
  expect(stepOf(await calls.ended(id), 'ask').output).toMatchObject({ decision: made });
});

test('a rejection takes its way, and fails the run where its author has named none', async () => {
  const named = await start({ approved: 'act', rejected: 'fallback' }, [act, fallback]);
  const plain = await start();
  for (const { id } of [named, plain]) {
    await asked(id);
    expect((await decide(id, 'reject', { comment: 'No.' })).status).toBe(200);
  }
  const elsewhere = await calls.ended(named.id);
  expect(elsewhere.status).toBe('completed');
  expect(stepOf(elsewhere, 'fallback').status).toBe('completed');
  expect(elsewhere.steps.map(({ id }) => id)).toEqual(['ask', 'fallback']);
  const failed = await calls.ended(plain.id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'APPROVAL_REJECTED', stepId: 'ask' } });

  // A retry asks again.
  await calls.good('POST', `/v1/runs/${plain.id}/retry`);
  await asked(plain.id);
  await decide(plain.id, 'approve');
  expect((await calls.ended(plain.id)).status).toBe('completed');
  const { data } = await calls.good<{ data: ApprovalAnswer[] }>('GET', `/v1/approvals?runId=${plain.id}`);
  expect(data.map(({ status }) => status)).toEqual(['approved', 'rejected']);
});

test('without a decision in time it is rejected, approved or failed, as its author says', async () => {
  const runs = await Promise.all([
    start({ timeout: '1s', rejected: 'fallback' }, [fallback]),
    start({ timeout: '1s', onTimeout: 'approve' }),
    start({ timeout: '1s', onTimeout: 'fail' }),
  ]);
  const [rejected, approved, failed] = await Promise.all(runs.map(({ id }) => calls.ended(id)));
  expect(stepOf(rejected!, 'ask').output).toEqual({
    decision: 'rejected',
    by: null,
    at: null,
    comment: null,
    data: null,
  });
  expect(stepOf(rejected!, 'fallback').status).toBe('completed');
  expect(stepOf(approved!, 'act').status).toBe('completed');
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'WAIT_TIMEOUT' } });
  const late = await decide(rejected!.id, 'approve');
  expect(late.status).toBe(409);
  expect(late.body.error.message).toContain('expired');
});

test('only its approvers decide, and only with data that fits its form', async () => {
  const other = await start({ approvers: ['usr_00000000000000000000000000', 'somebody@example.com'] });
  await asked(other.id);
  const refused = await decide(other.id, 'approve');
  expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);

  const { id: own } = (await decide((await startAndAsk({})).id, 'approve')).body;
  const { decidedBy } = await calls.good<ApprovalAnswer>('GET', `/v1/approvals/${own}`);
  const form = { type: 'object', properties: { amount: { type: 'integer', minimum: 1 } }, required: ['amount'] };
  const { id } = await startAndAsk({ approvers: [decidedBy], form });
  for (const [data, field] of [
    [{ amount: 0 }, 'data.amount'],
    [{}, 'data.amount'],
    [undefined, 'data.amount'],
  ] as const) {
    const { status, body } = await decide(id, 'approve', data === undefined ? {} : { data });
    expect([status, body.error.details?.field]).toEqual([400, field]);
  }
  expect((await decide(id, 'approve', { data: { amount: 3 } })).status).toBe(200);
  expect(stepOf(await calls.ended(id), 'ask').output).toMatchObject({ data: { amount: 3 } });
});
const startAndAsk = async (config: object): Promise<RunAnswer> => {
  const run = await start(config);
  await asked(run.id);
  return run;
};

test('one of several that ask at once is named, and those that are cut off are no longer open', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'both', type: 'parallel', config: { branches: ['ask', 'second'], mode: 'race' } },
    ask(),
    { ...ask(), id: 'second' },
  ]);
  const { id } = await calls.start(workflowId, { invoice: 'I-8', days: 1 });
  await asked(id, 2);
  const unclear = await decide(id, 'approve');
  expect([unclear.status, unclear.body.error.details?.field]).toEqual([400, 'stepId']);
  expect((await decide(id, 'approve', { stepId: 'second' })).status).toBe(200);
  expect((await calls.ended(id)).status).toBe('completed');
  const { data } = await calls.good<{ data: ApprovalAnswer[] }>('GET', `/v1/approvals?runId=${id}`);
  expect(Object.fromEntries(data.map(({ stepId, status }) => [stepId, status]))).toEqual({
    ask: 'cancelled',
    second: 'approved',
  });

  const cancelled = await startAndAsk({});
  await calls.good('POST', `/v1/runs/${cancelled.id}/cancel`);
  expect((await decide(cancelled.id, 'approve')).status).toBe(409);
  // Its retry asks the same again.
  await calls.good('POST', `/v1/runs/${cancelled.id}/retry`);
  await asked(cancelled.id);
  expect((await decide(cancelled.id, 'approve')).status).toBe(200);
  expect((await calls.ended(cancelled.id)).status).toBe('completed');
});

test.each([
  [{ title: '' }, 'config.title', ''],
  [{ title: undefined }, 'config.title', 'is required'],
  [{ title: '{{ steps.later.output }}' }, 'config.title', 'not available'],
  [{ form: { type: 'thing' } }, 'config.form', ''],
  [{ onTimeout: 'continue' }, 'config.onTimeout', ''],
  [{ approved: 'nobody' }, 'config.approved', 'references unknown step "nobody"'],
  [{ approvers: [] }, 'config.approvers', ''],
])('%j is refused with its field and the reason', async (config, field, reason) => {
  const { body } = await posthorn.request<Refusal>('POST', '/v1/workflows', {
    name: 'wrong',
    trigger: { type: 'manual' },
    steps: [ask(config)],
  });
  expect(body.error.details?.field).toContain(`steps[0].${field}`);
  expect(body.error.details?.reason).toContain(reason);
});

test('a run that has no such step, and one that is not there, say so', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [fallback]);
  const { id } = await calls.start(workflowId);
  expect((await decide(id, 'approve')).body.error.code).toBe('CONFLICT');
  expect((await decide('run_00000000000000000000000000', 'approve')).body.error.code).toBe('NOT_FOUND');
});

// A loop may have asked 1,000 times, with a form of 200 KiB each time: a decision once read all of them.
test('a decision reads neither forms nor answers of what else its run has asked', async () => {
  const { id } = await start();
  const [approval] = await asked(id);
  const { db } = posthorn.deps;
  const { environmentId } = await db.run.findUniqueOrThrow({ where: { id } });
  const questions = await db.$transaction((reader) => findOfRun(reader, environmentId, id));
  expect(questions).toEqual([{ id: approval?.id, stepId: approval?.stepId, iteration: '', status: 'open' }]);
});
