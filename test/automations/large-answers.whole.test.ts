import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { expectShortTurns } from '../support/check/longest-turn.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
const answers = new Map<string, Answer[]>();
const to = (path: string): string => new URL(path, receiver.url).href;
const requestsTo = (path: string) => receiver.requests.filter((each) => each.path === path);

const JSON_HEADERS = { 'content-type': 'application/json' };
/** With its length in the header. */
const whole =
  (body: string, headers: Record<string, string> = JSON_HEADERS): Answer =>
  (response) =>
    void response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
const inParts =
  (body: string): Answer =>
  (response) => {
    response.writeHead(200, JSON_HEADERS).write(body.slice(0, 1_000));
    response.end(body.slice(1_000));
  };
/** A list whose JSON has about that many bytes. */
const list = (bytes: number): string => JSON.stringify(Array.from({ length: bytes / 10 }, (_, at) => `item${at}`));

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({
    answer: ({ path }) => {
      const [first, ...others] = answers.get(path) ?? [200];
      if (others.length > 0) answers.set(path, others);
      return first ?? 200;
    },
  });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const ask = (id: string, more: object = {}) => ({
  id,
  type: 'action',
  config: { action: 'http', url: to(`/${id}`), retryPolicy: { maxRetries: 0 }, ...more },
});
const note = (id: string, config: object) => ({ id, type: 'action', config });
const runOf = async (steps: Parameters<typeof calls.activate>[1]) =>
  calls.ended((await calls.start(await calls.activate({ type: 'manual' }, steps))).id);

test('a response above 256 KiB completes its step with its beginning and its size', async () => {
  // Regression: the step failed after its receiver had already acted, and a retry repeated the action.
  const body = list(400_000);
  answers.set('/long', [whole(body)]);
  answers.set('/parts', [inParts(body)]);
  const run = await runOf([ask('long'), ask('parts'), note('after', { text: '{{ steps.long.output.text.size() }}' })]);
  expect(run.status).toBe('completed');
  const output = { status: 200, headers: JSON_HEADERS, truncated: true, text: body.slice(0, 65_536) };
  expect(stepOf(run, 'long').output).toMatchObject({ ...output, bytes: Buffer.byteLength(body) });
  expect(stepOf(run, 'parts').output).toMatchObject({ ...output, bytes: null });
  expect(stepOf(run, 'long').output).not.toHaveProperty('body');
  expect(stepOf(run, 'after').output).toEqual({ text: 65_536 });
  expect(requestsTo('/long')).toHaveLength(1);
});

test.each(['steps.list.output.body[0]', 'size(steps.list.output.body)', 'steps["list"].output.body.total > 1'])(
  'an expression that reads a truncated body fails and says why: %s',
  async (expression) => {
    answers.set('/list', [whole(list(400_000))]);
    const run = await runOf([
      ask('list'),
      { id: 'read', type: 'transform', config: { set: { it: `{{ ${expression} }}` } } },
    ]);
    expect(stepOf(run, 'list').status).toBe('completed');
    expect(stepOf(run, 'read').error).toEqual({
      code: 'EXPRESSION',
      message: expect.stringMatching(
        /: No such key: body; the response of list was too long to be stored: it has no body, and steps\.list\.output\.text is its beginning$/,
      ),
    });
  },
);

test('responses for which a run has no room left are truncated too, and fail nothing', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const id of ids) answers.set(`/${id}`, [whole(list(200_000))]);
  const run = await runOf(ids.map((id) => ask(id)));
  expect(run.status).toBe('completed');
  const outputs = ids.map((id) => stepOf(run, id).output as { status: number; body?: string[]; truncated?: true });
  expect(outputs.map(({ status, truncated }) => [status, truncated])).toEqual([
    ...Array.from({ length: 4 }, () => [200, undefined]),
    [200, true],
    [200, true],
  ]);
});

test('a connector returns the same fields, without headers', async () => {
  answers.set('/crm', [whole(list(400_000))]);
  const { id: connectionId } = await calls.good<{ id: string }>('POST', '/v1/connections', {
    connectorId: 'http',
    name: 'CRM',
    credentials: { baseUrl: receiver.url.slice(0, -1), value: 'Bearer hush' },
  });
  const config = {
    action: 'connector',
    connectorId: 'http',
    operation: 'get',
    connectionId,
    params: { path: '/crm' },
  };
  const run = await runOf([{ id: 'crm', type: 'action', config }]);
  expect(run.status).toBe('completed');
  expect(stepOf(run, 'crm').output).toEqual({
    status: 200,
    latencyMs: expect.any(Number),
    truncated: true,
    bytes: Buffer.byteLength(list(400_000)),
    text: list(400_000).slice(0, 65_536),
  });
});

test('the beginning of a long response contains no secret, however its JSON is written, and no part of one', async () => {
  const value = 'hush/0815/hush';
  await calls.good('POST', '/v1/secrets', { name: 'LONG_TOKEN', value });
  // The response is read to 262,144 bytes, which is within a secret.
  const escaped = `"hush\\/0815\\/hush","\\u0068ush\\u002f0815/hush",`;
  const head = `[${escaped}"${value}"`;
  const rest = `,"${'hush/0815/hush'.repeat(30_000)}"]`;
  answers.set('/echo', [whole(head + rest)]);
  const run = await runOf([ask('echo', { auth: { type: 'bearer', token: '{{ secrets.LONG_TOKEN }}' } })]);
  expect(run.status).toBe('completed');
  const shown = JSON.stringify(stepOf(run, 'echo').output);
  expect(shown).toContain('[secret LONG_TOKEN]');
  expect(shown).not.toMatch(/0815|hush/);
});

test('a response that breaks off is requested again under the same key', async () => {
  // Regression: such a response was treated as one that is too long.
  const broken: Answer = (response) => {
    response.writeHead(200, { ...JSON_HEADERS, 'content-length': 100 }).write('[1,');
    setImmediate(() => response.destroy());
  };
  answers.set('/broken', [broken, whole('[1,2]')]);
  const retryPolicy = { maxRetries: 1, initialDelay: 100 };
  const run = await runOf([ask('broken', { retryPolicy })]);
  expect(run.status).toBe('completed');
  expect(stepOf(run, 'broken')).toMatchObject({ attempts: 2, output: { status: 200, body: [1, 2] } });
  expect(new Set(requestsTo('/broken').map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  answers.set('/always', [broken]);
  expect(stepOf(await runOf([ask('always')]), 'always').error).toEqual({
    code: 'NETWORK',
    message: 'the connection ended during the response with status 200',
  });
});

describe('a receiver never blocks the event loop by its response:', () => {
  test.each([
    ['a text of escaped quotes that never ends', `"${'\\"'.repeat(125_000)}`],
    ['escapes alone, beyond 256 KiB', `"${'\\"'.repeat(200_000)}"`],
    ['80,000 lists', `[${'[],'.repeat(80_000)}1]`],
    ['120,000 numbers', `[${'1,'.repeat(120_000)}1]`],
  ])('%s', async (_, body) => {
    answers.set('/hostile', [whole(body)]);
    let run: Awaited<ReturnType<typeof runOf>> | undefined;
    await expectShortTurns(async () => {
      run = await runOf([ask('hostile')]);
    });
    expect(run?.status).toBe('completed');
  });

  test('120,000 numbers to a request with 60 secrets', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `HIDDEN_${at}`);
    for (const name of names) await calls.good('POST', '/v1/secrets', { name, value: `${name}-${'x'.repeat(100)}` });
    const headers = Object.fromEntries(
      names.map((name) => [`x-${name.replaceAll('_', '-')}`, `{{ secrets.${name} }}`]),
    );
    answers.set('/numbers', [whole(`[${'1,'.repeat(120_000)}"HIDDEN_7-${'x'.repeat(100)}"]`)]);
    let run: Awaited<ReturnType<typeof runOf>> | undefined;
    await expectShortTurns(async () => {
      run = await runOf([ask('numbers', { headers })]);
    });
    const { body } = stepOf(run as NonNullable<typeof run>, 'numbers').output as { body: unknown[] };
    expect(body.at(-1)).toBe('[secret HIDDEN_7]');
  });
});
