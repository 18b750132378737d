import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

type Json = Record<string, unknown>;
const event = { type: 'event', config: {} };
const steps = [
  { id: 'first', type: 'action', config: { foo: 1 }, next: 'second' },
  { id: 'second', type: 'action', config: { foo: 1 } },
];

async function make(body: object = {}): Promise<Json & { id: string }> {
  const given = { name: 'two steps', trigger: event, steps, ...body };
  const answer = await posthorn.request<Json & { id: string }>('POST', '/v1/workflows', given);
  expect(answer.status).toBe(201);
  return answer.body;
}

const change = (id: string, body: object) => posthorn.request('PATCH', `/v1/workflows/${id}`, body);
const act = (id: string, action: 'activate' | 'pause') => posthorn.request('POST', `/v1/workflows/${id}/${action}`);
const versionsOf = (workflowId: string) => posthorn.deps.db.workflowVersion.count({ where: { workflowId } });

async function makeChannel(): Promise<string> {
  const { body } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
  return body.id;
}
const configVersionOf = async (id: string): Promise<number> =>
  (await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id } })).configVersion;

describe('a workflow', () => {
  test('is a draft with what was sent, and is found again by id and in the list', async () => {
    const made = await make({ description: 'says hello' });
    expect(made).toStrictEqual({
      id: expect.stringMatching(/^wfl_[0-9a-z]{26}$/),
      name: 'two steps',
      description: 'says hello',
      status: 'draft',
      trigger: event,
      steps,
      createdAt: expect.any(String),
      updatedAt: made['createdAt'],
    });
    expect((await posthorn.request('GET', `/v1/workflows/${made.id}`)).body).toStrictEqual(made);
    const drafts = await posthorn.request<{ data: Json[] }>('GET', '/v1/workflows?status=draft&limit=1');
    expect(drafts.body.data).toStrictEqual([made]);
  });

  test('keeps trigger and steps as their author wrote them, digit for digit', async () => {
    const text =
      '{"name":"exact","trigger":{"config":{},"type":"event"},"steps":[{"id":"a","type":"action","config":{"n":12.50,"m":12345678901234567890}}]}';
    const made = await posthorn.request<{ id: string }>('POST', '/v1/workflows', text);
    expect(made.status).toBe(201);
    const key = { authorization: `Bearer ${posthorn.keys.live}` };
    const shown = await (await fetch(`${posthorn.url}/v1/workflows/${made.body.id}`, { headers: key })).text();
    expect(shown).toContain('"trigger":{"config":{},"type":"event"}');
    expect(shown).toContain('{"n":12.50,"m":12345678901234567890}');
  });

  test('that is read and sent back unchanged stays as it is', async () => {
    const made = await make();
    const answer = await change(made.id, made);
    expect(answer).toMatchObject({ status: 200, body: made });
    expect(await versionsOf(made.id)).toBe(1);
  });

  test('has a new version exactly when trigger or steps change', async () => {
    const made = await make();
    await change(made.id, { name: 'renamed', description: null });
    expect(await versionsOf(made.id)).toBe(1);
    await change(made.id, { steps: steps.slice(1) });
    expect(await versionsOf(made.id)).toBe(2);
    expect((await posthorn.request('GET', `/v1/workflows/${made.id}`)).body).toMatchObject({
      name: 'renamed',
      trigger: event,
      steps: steps.slice(1),
    });
  });

  test('that is deleted is gone, and its versions stay for its runs', async () => {
    const made = await make();
    expect((await posthorn.request('DELETE', `/v1/workflows/${made.id}`)).status).toBe(204);
    expect((await posthorn.request('GET', `/v1/workflows/${made.id}`)).status).toBe(404);
    expect((await act(made.id, 'activate')).status).toBe(404);
    expect(await versionsOf(made.id)).toBe(1);
  });
});

describe('activating', () => {
  test('a draft makes it active, and doing it again changes nothing', async () => {
    const { id } = await make();
    expect(await act(id, 'activate')).toMatchObject({ status: 200, body: { id, status: 'active' } });
    const again = await act(id, 'activate');
    expect(again).toMatchObject({ status: 200, body: { id, status: 'active' } });
    expect(await act(id, 'pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
    expect(await change(id, { status: 'active' })).toMatchObject({ status: 200, body: { status: 'active' } });
    await posthorn.request('DELETE', `/v1/workflows/${id}`);
  });

  test('is a CONFLICT with everything that is missing, and so is writing it as active', async () => {
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/workflows', { name: 'empty' });
    const errors = [
      { field: 'trigger', reason: 'is required' },
      { field: 'steps', reason: 'must hold at least one step' },
    ];
    const refused = { status: 409, body: { error: { code: 'CONFLICT', details: { ...errors[0], errors } } } };
    expect(await act(body.id, 'activate')).toMatchObject(refused);
    expect(await posthorn.request('POST', '/v1/workflows', { name: 'empty', status: 'active' })).toMatchObject(refused);
    expect(await change(body.id, { status: 'active' })).toMatchObject(refused);
    expect((await posthorn.request('GET', `/v1/workflows/${body.id}`)).body).toMatchObject({ status: 'draft' });
  });

  test('is a CONFLICT where the schedule has no time left, which validate tells, too', async () => {
    const trigger = { type: 'schedule', config: { every: '1h', endAt: '2026-01-01T00:00:00Z' } };
    const details = { field: 'trigger.config.endAt', reason: expect.stringContaining('no time') };
    const { id } = await make({ trigger });
    expect(await act(id, 'activate')).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', details } } });
    const judged = await posthorn.request('POST', '/v1/workflows/validate', { id });
    expect(judged).toMatchObject({ status: 200, body: { valid: false, errors: [details] } });
    await change(id, { trigger: { type: 'schedule', config: { every: '1h' } } });
    expect((await act(id, 'activate')).status).toBe(200);
    await posthorn.request('DELETE', `/v1/workflows/${id}`);
  });

  test('is no way back to a draft, and a draft cannot be paused', async () => {
    const { id } = await make();
    expect((await act(id, 'pause')).status).toBe(409);
    await act(id, 'activate');
    const answer = await change(id, { status: 'draft' });
    expect(answer).toMatchObject({ status: 400, body: { error: { details: { field: 'status' } } } });
    await posthorn.request('DELETE', `/v1/workflows/${id}`);
  });

  test('tells publishing on the channels of the trigger before and after, and only there', async () => {
    const [one, two, three] = [await makeChannel(), await makeChannel(), await makeChannel()];
    const versions = () => Promise.all([one, two, three].map(configVersionOf));
    const { id } = await make({ trigger: { type: 'event', config: { channelId: one } } });
    const [a = 0, b = 0, c = 0] = await versions();
    await act(id, 'activate');
    expect(await versions()).toEqual([a + 1, b, c]);
    await change(id, { trigger: { type: 'event', config: { channelId: two } } });
    expect(await versions()).toEqual([a + 2, b + 1, c]);
    await change(id, { name: 'renamed' });
    await change(id, { trigger: event });
    expect((await versions()).map((version, index) => version > [a + 2, b + 1, c][index]!)).toEqual([true, true, true]);
    const later = await versions();
    await posthorn.request('DELETE', `/v1/workflows/${id}`);
    expect(await versions()).toEqual(later.map((version) => version + 1));
  });

  test('ends where the environment has a hundred of them', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 100; made += 1)
      ids.push((await make({ status: 'active', trigger: { type: 'manual' } })).id);
    const { id } = await make();
    expect(await act(id, 'activate')).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    await posthorn.deps.db.workflow.updateMany({ where: { id: { in: ids } }, data: { status: 'paused' } });
  });

  test('ends where the different filters of active workflows take more than a channel may', async () => {
    // 1,000 elements, read with a pattern each: about 600,000 units.
    const dear = (n: number) => `payload.a${n}.exists(x, x == "${n}" && x.contains("y"))`;
    let refused: { status: number; body: unknown } | undefined;
    const ids: string[] = [];
    for (let n = 0; n < 100 && refused === undefined; n += 1) {
      const { id } = await make({ trigger: { type: 'event', config: { filter: dear(n) } } });
      const answer = await act(id, 'activate');
      if (answer.status === 200) ids.push(id);
      else refused = answer;
    }
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringMatching(/^The filter of the trigger takes up to/) } },
    });
    expect(ids.length).toBeGreaterThan(10);
    await posthorn.deps.db.workflow.updateMany({ where: { id: { in: ids } }, data: { status: 'paused' } });
  });
});
