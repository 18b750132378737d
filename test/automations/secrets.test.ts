import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLog } from '../../src/log.ts';
import { tablesThatHold } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { historyTextOf } from '../support/make/history-of.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';

type Secret = { id: string; name: string; createdAt: string; updatedAt: string; lastUsedAt?: string };
type Refused = { error: { code: string; details?: { field: string; reason: string } } };

/** Values of these secrets begin so: found anywhere, it is one too many. */
const WORD = 'hush-4711';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
let answer: (request: ReceivedRequest) => Answer = () => 200;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLog('trace', { destination: { write: (line) => void logged.push(line) } });
  posthorn = await startPosthorn({ log });
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({ answer: (request) => answer(request) });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const keep = (name: string, value: string): Promise<Secret> => calls.good('POST', '/v1/secrets', { name, value });
const once = { maxRetries: 0 };
const http = (config: object) => ({
  id: 'call',
  type: 'action',
  config: { action: 'http', url: receiver.url, retryPolicy: once, ...config },
});
const run = async (config: object, payload: unknown = {}) => {
  const { id } = await calls.start(await calls.activate({ type: 'manual' }, [http(config)]), payload);
  return calls.ended(id);
};

test('a step sends secrets in headers, query and auth; its receiver sends them back, and they are in no row, history or log', async () => {
  await keep('CRM', `${WORD} "crm"/ü`);
  await keep('USER', `${WORD}-user`);
  await keep('HEADER', `${WORD}-header`);
  answer =
    ({ headers, path }) =>
    (response) => {
      const said = { path, by: headers.authorization, note: headers['x-note'], both: `${WORD} "crm"/ü`, number: 7 };
      const escaped = JSON.stringify(said).replaceAll('h', '\\u0068');
      response.writeHead(200, { 'content-type': 'application/json', 'x-note': String(headers['x-note']) }).end(escaped);
    };
  const ended = await run(
    {
      method: 'GET',
      headers: { 'X-Note': 'for {{ event.payload.who }}: {{ secrets.HEADER }}, {{ secrets.HEADER }}.' },
      query: { key: '{{ secrets.CRM }}', plain: '{{ event.payload.who }}' },
      auth: { type: 'basic', username: '{{ secrets.USER }}', password: '{{ secrets.CRM }}' },
    },
    { who: '[secret CRM] {{ secrets.CRM }}' },
  );

  expect(ended.status).toBe('completed');
  const [request, ...more] = receiver.requests;
  expect(more).toEqual([]);
  const who = '[secret CRM] {{ secrets.CRM }}';
  expect(request?.headers['x-note']).toBe(`for ${who}: ${WORD}-header, ${WORD}-header.`);
  expect([...new URL(request?.path ?? '', receiver.url).searchParams]).toEqual([
    ['plain', who],
    ['key', `${WORD} "crm"/ü`],
  ]);
  const basic = Buffer.from(`${WORD}-user:${WORD} "crm"/ü`).toString('base64');
  expect(request?.headers.authorization).toBe(`Basic ${basic}`);

  const { input, output } = stepOf(ended, 'call');
  expect(input).toMatchObject({
    headers: { 'x-note': `for ${who}: [secret HEADER], [secret HEADER].` },
    query: { key: ['[secret CRM]'] },
    auth: { type: 'basic', username: '[secret USER]', password: '[secret CRM]' },
  });
  expect(output).toMatchObject({
    headers: { 'x-note': `for ${who}: [secret HEADER], [secret HEADER].` },
    body: { note: `for ${who}: [secret HEADER], [secret HEADER].`, both: '[secret CRM]', number: 7 },
  });
  const forms = [WORD, encodeURIComponent(WORD), basic, Buffer.from(WORD).toString('base64').slice(0, 11)];
  const history = await historyTextOf(posthorn, `run/${ended.id}/1`);
  expect(history).toContain(`"runId":"${ended.id}"`);
  for (const form of forms) {
    expect(JSON.stringify(ended)).not.toContain(form);
    expect(history).not.toContain(form);
    expect(await tablesThatHold(posthorn.deps.pool, form)).toEqual([]);
    expect(logged.join('\n')).not.toContain(form);
  }
  expect(logged.length).toBeGreaterThan(0);
});

test('an error that repeats a secret shows its name', async () => {
  await keep('ECHOED', `${WORD}-echoed`);
  for (const [type, body] of [
    ['text/plain', `no ${WORD}-echoed here`],
    ['application/json', JSON.stringify({ no: `${WORD}-echoed` })],
  ] as const) {
    answer = () => (response) => void response.writeHead(403, { 'content-type': type }).end(body);
    const { error } = await run({ auth: { type: 'bearer', token: '{{ secrets.ECHOED }}' } });
    expect(error?.code).toBe('HTTP_403');
    expect(error?.message).toContain('[secret ECHOED]');
    expect(error?.message).not.toContain(WORD);
  }
});

test('a changed value is sent by the next attempt, a removed one is SECRET_MISSING, and one that nobody can open is told', async () => {
  const secret = await keep('TURNED', `${WORD}-first`);
  const config = { headers: { 'x-note': '{{ secrets.TURNED }}' } };
  answer = () => 200;
  expect((await run(config)).status).toBe('completed');
  expect(receiver.requests.at(-1)?.headers['x-note']).toBe(`${WORD}-first`);
  const used = await calls.good<Secret>('GET', `/v1/secrets/${secret.id}`);
  expect(used.lastUsedAt).toBeDefined();

  await calls.good('PATCH', `/v1/secrets/${secret.id}`, { value: `${WORD}-second` });
  const workflowId = await calls.activate({ type: 'manual' }, [http(config)]);
  const again = async () => calls.ended((await calls.start(workflowId)).id);
  await again();
  expect(receiver.requests.at(-1)?.headers['x-note']).toBe(`${WORD}-second`);
  // Used within the same minute, it is not written again.
  expect((await calls.good<Secret>('GET', `/v1/secrets/${secret.id}`)).lastUsedAt).toBe(used.lastUsedAt);

  const requests = receiver.requests.length;
  const { pool } = posthorn.deps;
  const { rows } = await pool.query<{ ciphertext: string }>('SELECT ciphertext FROM secrets WHERE id = $1', [
    secret.id,
  ]);
  await pool.query(`UPDATE secrets SET ciphertext = 'v1.lost.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA' WHERE id = $1`, [
    secret.id,
  ]);
  expect((await again()).error?.code).toBe('SECRET_UNREADABLE');
  await pool.query('UPDATE secrets SET ciphertext = $2 WHERE id = $1', [secret.id, rows[0]?.ciphertext]);
  expect((await again()).status).toBe('completed');
  expect(receiver.requests).toHaveLength(requests + 1);

  await calls.good('DELETE', `/v1/secrets/${secret.id}`);
  expect((await again()).error).toMatchObject({
    code: 'SECRET_MISSING',
    message: 'the environment has no secret "TURNED"',
  });
  expect(receiver.requests).toHaveLength(requests + 1);
});

test('a name is taken once in an environment, and has a form; a value is never shown', async () => {
  const made = await keep('ONCE', WORD);
  expect(Object.keys(made).toSorted()).toEqual(['createdAt', 'id', 'name', 'updatedAt']);
  const again = await posthorn.request<Refused>('POST', '/v1/secrets', { name: 'ONCE', value: 'other' });
  expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
  const elsewhere = { name: 'ONCE', value: 'other' };
  expect((await posthorn.request('POST', '/v1/secrets', elsewhere, { key: posthorn.keys.test })).status).toBe(201);
  for (const [field, body] of [
    ['name', { name: 'crm', value: 'v' }],
    ['name', { name: '7UP', value: 'v' }],
    ['name', { name: 'A'.repeat(65), value: 'v' }],
    ['value', { name: 'EMPTY', value: '' }],
    ['value', { name: 'LONG', value: 'ü'.repeat(4_097) }],
  ] as const) {
    const { status, body: refused } = await posthorn.request<Refused>('POST', '/v1/secrets', body);
    expect([status, refused.error.details?.field]).toEqual([400, field]);
  }
  await keep('LONGEST', 'ü'.repeat(4_096));
  const rename = await posthorn.request<Refused>('PATCH', `/v1/secrets/${made.id}`, { name: 'TWICE' });
  expect([rename.status, rename.body.error.details?.field]).toEqual([400, 'name']);
  const entries = await waitFor('its lines of the audit log', async () => {
    const { data } = await calls.good<{ data: { action: string; after?: unknown }[] }>(
      'GET',
      `/v1/audit?targetId=${made.id}`,
    );
    return data.length > 0 && data;
  });
  expect(entries).toMatchObject([{ action: 'secret.created', after: { name: 'ONCE' } }]);
  expect(JSON.stringify(entries)).not.toContain(WORD);
});

test('a definition names only secrets of its environment, and only where they are put in', async () => {
  await keep('KNOWN', 'known');
  await posthorn.request('POST', '/v1/secrets', { name: 'OTHERS', value: 'o' }, { key: posthorn.keys.test });
  const errorsOf = async (config: object) => {
    const { errors } = await calls.good<{ errors: { field: string; reason: string }[] }>(
      'POST',
      '/v1/workflows/validate',
      { name: 'asking', trigger: { type: 'manual' }, steps: [http(config)] },
    );
    return errors;
  };
  const at = 'steps[0].config';
  const unknown = (name: string) => `references unknown secret "${name}"`;
  const basic = { type: 'basic', username: '{{ secrets.KNOWN }}', password: '{{ secrets.OTHERS }}' };
  expect(await errorsOf({ headers: { a: '{{ secrets.KNOWN }}' } })).toEqual([]);
  expect(
    await errorsOf({ headers: { a: 'Bearer {{ secrets.NONE }}' }, query: { k: ['{{ secrets.known }}'] }, auth: basic }),
  ).toEqual([
    { field: `${at}.headers.a`, reason: unknown('NONE') },
    { field: `${at}.query.k[0]`, reason: unknown('known') },
    { field: `${at}.auth.password`, reason: unknown('OTHERS') },
  ]);
  const only =
    'secrets may stand in headers, query and auth of an http action, and in parameters of connectors that are hidden, only';
  expect(await errorsOf({ body: '{{ secrets.KNOWN }}', url: `${receiver.url}{{ secrets.KNOWN }}` })).toEqual([
    { field: `${at}.url`, reason: only },
    { field: `${at}.body`, reason: only },
  ]);
  const [joined] = await errorsOf({ headers: { a: '{{ secrets.KNOWN + "x" }}' } });
  expect(joined?.field).toBe(`${at}.headers.a`);
  const [double] = await errorsOf({ headers: { Authorization: 'x' }, auth: { type: 'bearer', token: 'x' } });
  expect(double).toEqual({ field: `${at}.auth`, reason: 'must be left out beside the header Authorization' });
});
