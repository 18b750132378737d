import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectShortTurns } from '../support/check/longest-turn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { seedRefusedRequest } from '../support/make/seeded-refusal.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('workflows', () => {
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
    test('is a draft with the fields that were sent, and is found by id and in the list', async () => {
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

    test('that is read and sent back unchanged stays the same', async () => {
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

    test('that is deleted is not found, and its versions stay for its runs', async () => {
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

    test('is a CONFLICT that lists everything that is missing, and so is writing it as active', async () => {
      const { body } = await posthorn.request<{ id: string }>('POST', '/v1/workflows', { name: 'empty' });
      const errors = [
        { field: 'trigger', reason: 'is required' },
        { field: 'steps', reason: 'must have at least one step' },
      ];
      const refused = { status: 409, body: { error: { code: 'CONFLICT', details: { ...errors[0], errors } } } };
      expect(await act(body.id, 'activate')).toMatchObject(refused);
      expect(await posthorn.request('POST', '/v1/workflows', { name: 'empty', status: 'active' })).toMatchObject(
        refused,
      );
      expect(await change(body.id, { status: 'active' })).toMatchObject(refused);
      expect((await posthorn.request('GET', `/v1/workflows/${body.id}`)).body).toMatchObject({ status: 'draft' });
    });

    test('is a CONFLICT if the schedule has no time left, which validate reports too', async () => {
      const trigger = { type: 'schedule', config: { every: '1h', endAt: '2026-01-01T00:00:00Z' } };
      const details = {
        field: 'trigger.config.endAt',
        reason: expect.stringContaining('must leave at least one scheduled time'),
      };
      const { id } = await make({ trigger });
      expect(await act(id, 'activate')).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', details } } });
      const judged = await posthorn.request('POST', '/v1/workflows/validate', { id });
      expect(judged).toMatchObject({ status: 200, body: { valid: false, errors: [details] } });
      await change(id, { trigger: { type: 'schedule', config: { every: '1h' } } });
      expect((await act(id, 'activate')).status).toBe(200);
      await posthorn.request('DELETE', `/v1/workflows/${id}`);
    });

    test('cannot be undone to a draft, and a draft cannot be paused', async () => {
      const { id } = await make();
      expect((await act(id, 'pause')).status).toBe(409);
      await act(id, 'activate');
      const answer = await change(id, { status: 'draft' });
      expect(answer).toMatchObject({ status: 400, body: { error: { details: { field: 'status' } } } });
      await posthorn.request('DELETE', `/v1/workflows/${id}`);
    });

    test('notifies publishing on the channels of the trigger before and after, and only there', async () => {
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
      expect((await versions()).map((version, index) => version > [a + 2, b + 1, c][index]!)).toEqual([
        true,
        true,
        true,
      ]);
      const later = await versions();
      await posthorn.request('DELETE', `/v1/workflows/${id}`);
      expect(await versions()).toEqual(later.map((version) => version + 1));
    });

    test('is refused if the environment has a hundred active workflows', async () => {
      const ids: string[] = [];
      for (let made = 0; made < 100; made += 1)
        ids.push((await make({ status: 'active', trigger: { type: 'manual' } })).id);
      const { id } = await make();
      expect(await act(id, 'activate')).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
      await posthorn.deps.db.workflow.updateMany({ where: { id: { in: ids } }, data: { status: 'paused' } });
    });

    test('is refused if the different filters of active workflows cost more than a channel allows', async () => {
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
});

describe('workflow versions', () => {
  type Versions = {
    versions: {
      version: number;
      triggerType?: string;
      stepCount: number;
      madeBy?: string;
      trigger?: object;
      steps?: object[];
    }[];
    hasMore: boolean;
  };
  type Refusal = { error: { code: string; details?: { field: string } } };
  const step = (id: string): object => ({ id, type: 'action', config: {} });

  async function make(body: object): Promise<string> {
    const answer = await posthorn.request<{ id: string }>('POST', '/v1/workflows', { name: 'changing', ...body });
    expect(answer.status).toBe(201);
    return answer.body.id;
  }
  const change = async (id: string, body: object | string): Promise<void> =>
    expect((await posthorn.request('PATCH', `/v1/workflows/${id}`, body)).status).toBe(200);
  const versionsOf = async (id: string, query = ''): Promise<Versions> =>
    (await posthorn.request<Versions>('GET', `/v1/workflows/${id}/versions${query}`)).body;
  const textOf = async (path: string): Promise<string> =>
    (await fetch(`${posthorn.url}${path}`, { headers: { authorization: `Bearer ${posthorn.keys.live}` } })).text();

  test('each definition of a workflow is listed with its author, and is shown digit for digit', async () => {
    const id = await make({});
    const { body: key } = await posthorn.request<{ id: string; key: string }>('POST', '/v1/api-keys', {
      name: 'other',
    });
    const exact = '{"trigger":{"type":"manual"},"steps":[{"id":"a","type":"action","config":{"n":12.50}}]}';
    await posthorn.request('PATCH', `/v1/workflows/${id}`, exact, { key: key.key });
    await change(id, { name: 'renamed', steps: [step('a'), step('b')] });
    const { versions, hasMore } = await versionsOf(id);
    expect(hasMore).toBe(false);
    expect(versions.map(({ version, triggerType, stepCount }) => [version, triggerType, stepCount])).toEqual([
      [3, 'manual', 2],
      [2, 'manual', 1],
      [1, undefined, 0],
    ]);
    const [third, second, first] = versions.map(({ madeBy }) => madeBy);
    expect([second, third]).toEqual([key.id, first]);
    expect(first).toMatch(/^key_/);
    // One that is asked for has its definition, as its author wrote it.
    const shown = await textOf(`/v1/workflows/${id}/versions?version=2`);
    expect(shown).toContain('"steps":[{"id":"a","type":"action","config":{"n":12.50}}]');
    expect(JSON.parse(shown)).toMatchObject({
      versions: [{ version: 2, trigger: { type: 'manual' } }],
      hasMore: false,
    });
    for (const version of [...versions, ...(await versionsOf(id, '?version=1')).versions])
      expect([Object.hasOwn(version, 'trigger'), Object.hasOwn(version, 'steps')]).toEqual([false, false]);
  });

  test('a version is restored by a change with its trigger and steps, as a new version', async () => {
    const id = await make({ trigger: { type: 'manual' }, steps: [step('a')] });
    await change(id, { steps: [step('b')] });
    const [{ trigger, steps } = {}] = (await versionsOf(id, '?version=1')).versions;
    await change(id, { trigger, steps });
    expect((await posthorn.request('GET', `/v1/workflows/${id}`)).body).toMatchObject({ steps: [step('a')] });
    expect((await versionsOf(id)).versions.map(({ version }) => version)).toEqual([3, 2, 1]);
  });

  test('versions are returned fifty at a time, and the older ones below a number', async () => {
    const id = await make({ trigger: { type: 'manual' }, steps: [step('a')] });
    const { environmentId } = await posthorn.deps.db.workflow.findUniqueOrThrow({ where: { id } });
    const row = { workflowId: id, environmentId, trigger: '{"type":"manual"}', steps: '[]', createdAt: new Date() };
    await posthorn.deps.db.workflowVersion.createMany({
      data: Array.from({ length: 52 }, (_, at) => ({ ...row, version: at + 2 })),
    });
    const newest = await versionsOf(id);
    expect([newest.versions.length, newest.versions.at(-1)?.version, newest.hasMore]).toEqual([50, 4, true]);
    // One from before makers were noted names nobody.
    expect(newest.versions[0]).not.toHaveProperty('madeBy');
    const older = await versionsOf(id, '?beforeVersion=4');
    expect([older.versions.map(({ version }) => version), older.hasMore]).toEqual([[3, 2, 1], false]);
  });

  test('an unknown version is not found, and an invalid number is refused', async () => {
    const id = await make({ trigger: { type: 'manual' }, steps: [step('a')] });
    expect(await versionsOf(id, '?version=2')).toEqual({ versions: [], hasMore: false });
    for (const name of ['version', 'beforeVersion'])
      for (const value of ['0', 'x', '-1', '2147483648', '']) {
        const path = `/v1/workflows/${id}/versions?${name}=${value}`;
        const { status, body } = await posthorn.request<Refusal>('GET', path);
        expect([path, status, body.error.details?.field]).toEqual([path, 400, name]);
      }
    const gone = await posthorn.request<Refusal>('GET', '/v1/workflows/wfl_00000000000000000000000000/versions');
    expect(gone.body.error.code).toBe('NOT_FOUND');
  });
});

describe('faulty definitions', () => {
  type Json = Record<string, unknown>;
  type Refused = {
    error: {
      code: string;
      message: string;
      details: { field: string; reason: string; errors?: { field: string; reason: string }[] };
    };
  };

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

  describe('a definition with faults', () => {
    test('is refused with all of them, and nothing is stored', async () => {
      const before = await posthorn.deps.db.workflow.count();
      const faulty = [
        { id: 'a', type: 'filtr' },
        { id: 'a', type: 'filter', config: { expression: 'evnt.id == ""' } },
      ];
      const answer = await posthorn.request<Refused>('POST', '/v1/workflows', {
        name: 'faulty',
        trigger: event,
        steps: faulty,
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error.code).toBe('INVALID_REQUEST');
      expect(answer.body.error.message).toContain('steps[0].type: unknown step type "filtr"');
      expect(answer.body.error.details).toMatchObject({ field: 'steps[0].type' });
      expect(answer.body.error.details.errors).toHaveLength(2);
      expect(await posthorn.deps.db.workflow.count()).toBe(before);
    });

    test('must not name a channel of another environment, in its trigger or in a step', async () => {
      const foreign = await posthorn.request<{ id: string }>(
        'POST',
        '/v1/channels',
        { name: 'x' },
        { key: posthorn.keys.test },
      );
      const answer = await posthorn.request<Refused>('POST', '/v1/workflows', {
        name: 'foreign',
        trigger: { type: 'event', config: { channelIds: [foreign.body.id] } },
        steps: [{ id: 'a', type: 'action', config: { action: 'publish', channelId: 'chn_1', eventType: 'x' } }],
      });
      expect(answer.status).toBe(400);
      const reason = 'must be the id of a channel in this environment';
      expect(answer.body.error.details.errors).toEqual([
        { field: 'trigger.config.channelIds[0]', reason },
        { field: 'steps[0].config.channelId', reason },
      ]);
    });

    test('is reported with all of them, even if one step is too malformed to be read', async () => {
      // A fault of one config hid the ways, expressions and names of all other steps.
      const answer = await posthorn.request<Refused>('POST', '/v1/workflows', {
        name: 'many faults',
        trigger: { type: 'event', config: { channelId: 'chn_1' } },
        steps: [
          { id: 'a', type: 'delay', config: { for: 'soon' }, next: 'b' },
          { id: 'b', type: 'condition', config: { expression: 'evnt.id == ""' }, next: 'gone' },
          { id: 'c', type: 'action', config: { action: 'log', text: '{{ steps.a.output }}' }, next: 'c' },
        ],
      });
      expect(answer.body.error.details.errors?.map(({ field }) => field)).toEqual([
        'steps[0].config.for',
        'steps[1].next',
        'steps[2].next',
        'steps[1].config.expression',
      ]);
      const named = await posthorn.request<Refused>('POST', '/v1/workflows', {
        name: 'foreign and circular',
        trigger: { type: 'event', config: { channelId: 'chn_1' } },
        steps: [{ id: 'a', type: 'workflow', config: { workflowId: 'wfl_1' }, next: 'a' }],
      });
      expect(named.body.error.details.errors?.map(({ field }) => field)).toEqual([
        'steps[0].next',
        'trigger.config.channelId',
        'steps[0].config.workflowId',
      ]);
    });

    test('is reported with faults of other fields in addition to those of its steps, also in a change and by validate', async () => {
      // A fault of a field that the schema of the body knows hid everything that trigger and steps say.
      const wrong = { description: 7, trigger: { type: 'cron' }, steps: [{ id: 'a', type: 'filtr' }] };
      const named = { name: 'bell\u0007', ...wrong };
      const fieldsOf = ({ body }: { body: Refused }) => body.error.details.errors?.map(({ field }) => field);
      const errors = ['description', 'trigger.type', 'steps[0].type'];
      const made = await make();
      const created = await posthorn.request<Refused>('POST', '/v1/workflows', { ...wrong, zebra: 1, name: '' });
      expect([created.status, fieldsOf(created)]).toEqual([400, ['zebra', 'name', ...errors]]);
      const changed = await posthorn.request<Refused>('PATCH', `/v1/workflows/${made.id}`, { ...named, id: 'wfl_1' });
      expect([changed.status, fieldsOf(changed)]).toEqual([
        400,
        ['description', 'id', 'name', 'trigger.type', 'steps[0].type'],
      ]);
      expect((await posthorn.request('GET', `/v1/workflows/${made.id}`)).body).toEqual(made);
      const validated = await posthorn.request<{ errors: { field: string; reason: string }[] }>(
        'POST',
        '/v1/workflows/validate',
        { ...wrong, trigger: 'x' },
      );
      expect(validated).toMatchObject({ status: 200, body: { valid: false } });
      expect(validated.body.errors.map(({ field, reason }) => `${field} ${reason.slice(0, 22)}`)).toEqual([
        'description must be a string',
        'trigger must be an object',
        'name is required',
        'steps[0].type unknown step type "fil',
      ]);
    });

    test('is recognised by validate as starting itself, if the request says which workflow it changes', async () => {
      const { id } = await make();
      const calling = [{ id: 'again', type: 'workflow', config: { workflowId: id } }];
      const validate = (body: object) => posthorn.request('POST', '/v1/workflows/validate', body);
      expect(await validate({ id, steps: calling })).toMatchObject({
        status: 200,
        body: {
          valid: false,
          errors: [{ field: 'steps[0].config.workflowId', reason: `must not start its own workflow again: ${id}` }],
        },
      });
      expect(await validate({ name: 'other', trigger: event, steps: calling })).toMatchObject({
        body: { valid: true },
      });
      // Fields that a change leaves out stay as they are.
      expect(await validate({ id, trigger: { type: 'manual' } })).toMatchObject({ body: { valid: true, errors: [] } });
      expect(await validate({ id, status: 'paused' })).toMatchObject({ body: { errors: [{ field: 'status' }] } });
      expect(await validate({ id: 'wfl_1', steps })).toMatchObject({
        status: 400,
        body: { error: { details: { field: 'id', reason: 'must be the id of a workflow in this environment' } } },
      });
      expect(await validate({ id, stepps: steps })).toMatchObject({
        status: 400,
        body: { error: { details: { field: 'stepps', reason: 'is not a known field; did you mean steps?' } } },
      });
    });

    test('must have at most 256 KiB, as validate says too, and also with two changes', async () => {
      // Validate took any size, and a change counted only what it brought.
      const reason = 'and trigger must have at most 262144 bytes';
      const large = [{ id: 'a', type: 'action', config: { text: 'x'.repeat(200_000) } }];
      const tooLarge = [{ id: 'a', type: 'action', config: { text: 'x'.repeat(262_144) } }];
      const named = { name: 'large', trigger: event, steps: tooLarge };
      const validated = await posthorn.request('POST', '/v1/workflows/validate', named);
      expect(validated.body).toEqual({ valid: false, errors: [{ field: 'steps', reason }] });
      const made = await posthorn.request<{ id: string }>('POST', '/v1/workflows', { name: 'large', steps: large });
      const trigger = { type: 'schedule', config: { every: '1h', payload: { text: 'x'.repeat(100_000) } } };
      const changed = await posthorn.request<Refused>('PATCH', `/v1/workflows/${made.body.id}`, { trigger });
      expect(changed).toMatchObject({ status: 400, body: { error: { details: { field: 'steps', reason } } } });
    });

    test('must not have an expensive filter', async () => {
      const config = { filter: 'event.payload.a.exists(x, event.payload.b < event.payload.c)' };
      const answer = await posthorn.request<Refused>('POST', '/v1/workflows', {
        name: 'dear',
        trigger: { type: 'event', config },
        steps,
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error.details).toMatchObject({
        field: 'trigger.config.filter',
        reason: expect.stringMatching(/^must take at most \d+ units per message/),
      });
    });

    test('is shown by validate, which stores nothing', async () => {
      const before = await posthorn.deps.db.workflow.count();
      const good = await posthorn.request('POST', '/v1/workflows/validate', { name: 'good', trigger: event, steps });
      expect(good).toMatchObject({ status: 200, body: { valid: true, errors: [] } });
      const bad = await posthorn.request('POST', '/v1/workflows/validate', {
        name: 'bad',
        steps: [{ id: 'a', type: 'delay', config: { for: 'soon' } }],
      });
      expect(bad).toMatchObject({
        status: 200,
        body: {
          valid: false,
          errors: [
            { field: 'steps[0].config.for', reason: 'must be a duration (e.g. "5m")' },
            { field: 'trigger', reason: 'is required' },
          ],
        },
      });
      expect(await posthorn.deps.db.workflow.count()).toBe(before);
    });
  });

  const times = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at));
  /** Steps one after the other, so that each is reachable. */
  const chain = (count: number, of: (index: number) => { type: string; config: object }): object[] =>
    times(count, (at) => ({ id: `s${at}`, ...of(at), next: at + 1 < count ? `s${at + 1}` : null }));

  describe('a definition of the largest size does not block the event loop while it is checked:', () => {
    const check = (given: object[]) =>
      posthorn.request('POST', '/v1/workflows/validate', { name: 'large', trigger: { type: 'manual' }, steps: given });

    test.each<[string, object[]]>([
      [
        '100 switches whose 3,000 ways lead nowhere',
        times(100, (at) => ({
          id: `s${at}`,
          type: 'switch',
          config: {
            cases: times(20, (way) => ({ when: 'true', next: `x${at}_${way}_${'y'.repeat(50)}` })),
            onError: times(10, (way) => ({ errors: ['*'], next: `z${at}_${way}_${'q'.repeat(40)}` })),
          },
        })),
      ],
      [
        '11,000 templates that name unknown steps, within loops',
        [
          ...times(40, (at) => ({
            id: `loop${at}`,
            type: 'foreach',
            config: { items: 'event.payload.list', body: `in${at}` },
            next: `loop${at + 1}`,
          })),
          { id: 'loop40', type: 'action', config: { action: 'log', text: '{{steps.in39.output}}'.repeat(11_000) } },
          ...times(40, (at) => ({ id: `in${at}`, type: 'action', config: {} })),
        ],
      ],
      [
        '17,000 unknown names of errors',
        chain(100, (at) => ({
          type: 'filter',
          config: {
            expression: 'true',
            retryPolicy: { nonRetryableErrors: times(20, (name) => `NOPE_${at}_${name}`) },
            onError: times(8, () => ({ errors: times(18, (name) => `BAD_${name}`), next: 's99' })),
          },
        })),
      ],
    ])('%s', async (_, given) => {
      await expectShortTurns(async () => expect((await check(given)).status).toBe(200));
    });
  });
});

describe('audited changes', () => {
  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    // A run that is not started stays as the caller has set it.
    calls = workflowCalls(posthorn);
  });

  type Entries = { data: { action: string }[] };
  /** Returns the audit log of a resource, oldest first, once it ends with that action. */
  const toldUntil = (last: string, targetId: string): Promise<string[]> =>
    waitFor(`${last} of ${targetId}`, async () => {
      const { data } = await calls.good<Entries>('GET', `/v1/audit?targetId=${targetId}&limit=50`);
      return data[0]?.action === last && data.map(({ action }) => action).toReversed();
    });
  const make = async (path: string, body: object): Promise<string> =>
    (await calls.good<{ id: string }>('POST', path, body)).id;

  test('a workflow and its runs: every change is in the audit log', async () => {
    const steps = [{ id: 'note', type: 'action' }];
    const id = await make('/v1/workflows', { name: 'audited', trigger: { type: 'manual' }, steps });
    const workflow = `/v1/workflows/${id}`;
    await calls.good('PATCH', workflow, { name: 'told of' });
    await calls.good('POST', `${workflow}/activate`);
    const { id: runId } = await calls.start(id);
    await calls.good('POST', `/v1/runs/${runId}/cancel`);
    await calls.good('POST', `/v1/runs/${runId}/retry`);
    await calls.good('POST', `${workflow}/runs/cancel`, {});
    await calls.good('POST', `${workflow}/pause`);
    await calls.good('DELETE', workflow);
    expect(await toldUntil('workflow.deleted', id)).toEqual([
      'workflow.created',
      'workflow.updated',
      'workflow.activated',
      'workflow.runs_cancelled',
      'workflow.paused',
      'workflow.deleted',
    ]);
    expect(await toldUntil('run.retried', runId)).toEqual(['run.started', 'run.cancelled', 'run.retried']);
  });

  test('inbound webhooks and connections: every change is in the audit log', async () => {
    const channelId = await make('/v1/channels', { name: 'in' });
    const webhookId = await make('/v1/webhooks', { name: 'in', channelId, scheme: 'standard' });
    await calls.good('PATCH', `/v1/webhooks/${webhookId}`, { name: 'inbound' });
    await calls.good('GET', `/v1/webhooks/${webhookId}/secrets`);
    await calls.good('POST', `/v1/webhooks/${webhookId}/secrets/rotate`, {});
    await calls.good('POST', `/v1/webhooks/${webhookId}/sample`);
    const requestId = await seedRefusedRequest(posthorn, webhookId);
    for (const _ of [1, 2]) await calls.good('POST', `/v1/inbound-requests/${requestId}/accept`);
    await calls.good('DELETE', `/v1/webhooks/${webhookId}`);
    expect(await toldUntil('webhook.deleted', webhookId)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.secrets_viewed',
      'webhook.secret_rotated',
      'webhook.sample_sent',
      'webhook.request_accepted',
      'webhook.deleted',
    ]);

    const connectionId = await make('/v1/connections', {
      connectorId: 'slack',
      name: 'Slack',
      credentials: { token: 'xoxb-1' },
    });
    await calls.good('PATCH', `/v1/connections/${connectionId}`, { name: 'Team' });
    await calls.good('DELETE', `/v1/connections/${connectionId}`);
    expect(await toldUntil('connection.deleted', connectionId)).toEqual([
      'connection.created',
      'connection.updated',
      'connection.deleted',
    ]);
  });
});

describe('trial triggers', () => {
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  type Trial = {
    triggerMatch: { wouldStart: boolean; reason: string; detail?: string };
    status: string;
    steps: object[];
  };
  const tryIt = (workflowId: string, body: object): Promise<Trial> =>
    calls.good('POST', `/v1/workflows/${workflowId}/test`, body);

  // Regression: the trigger was not asked, and a message that begins no run was tried as if it did.
  test('a test run says whether its trigger would match the event, and executes the steps in any case', async () => {
    const [channelId, otherId] = [await calls.channel(), await calls.channel()];
    const { id: webhookId } = await calls.good<{ id: string }>('POST', '/v1/webhooks', {
      name: 'shop',
      channelId,
      provider: 'github',
      secrets: ['a secret that both sides know'],
    });
    const event = {
      type: 'event',
      config: { channelId, eventTypes: ['order.*'], filter: 'event.payload.total > 100' },
    };
    const webhook = { type: 'webhook', config: { webhookId, eventTypes: ['order.*'] } };
    const large = { total: 250 };
    const cases: [trigger: object | undefined, event: object, begins: object][] = [
      [event, { channelId, eventType: 'order.paid', payload: large }, { wouldStart: true, reason: 'filter_matches' }],
      [event, { payload: large }, { wouldStart: true, reason: 'filter_matches' }],
      [
        event,
        { channelId, eventType: 'order.paid', payload: { total: 7 } },
        { wouldStart: false, reason: 'filter_does_not_match' },
      ],
      [
        event,
        { channelId, eventType: 'order.paid' },
        { wouldStart: false, reason: 'filter_failed', detail: expect.stringContaining('total') },
      ],
      [
        event,
        { channelId, eventType: 'invoice.paid', payload: large },
        { wouldStart: false, reason: 'event_type', detail: 'starts for order.*' },
      ],
      [
        event,
        { channelId: otherId, eventType: 'order.paid', payload: large },
        { wouldStart: false, reason: 'channel', detail: `starts for messages of ${channelId}` },
      ],
      [{ type: 'event', config: {} }, { channelId: otherId }, { wouldStart: true, reason: 'no_filter' }],
      [webhook, { metadata: { webhookId }, eventType: 'order.paid' }, { wouldStart: true, reason: 'no_filter' }],
      [webhook, { eventType: 'order.paid' }, { wouldStart: true, reason: 'no_filter' }],
      [
        webhook,
        { metadata: {}, eventType: 'order.paid' },
        { wouldStart: false, reason: 'webhook', detail: `starts for messages of ${webhookId}` },
      ],
      [{ type: 'manual' }, {}, { wouldStart: false, reason: 'trigger_type', detail: 'starts manually' }],
      [undefined, {}, { wouldStart: false, reason: 'trigger_type', detail: 'starts manually' }],
      [
        { type: 'schedule', config: { every: '1h' } },
        {},
        { wouldStart: false, reason: 'trigger_type', detail: 'starts at scheduled times' },
      ],
    ];
    for (const [trigger, given, begins] of cases) {
      const steps = [{ id: 'note', type: 'action', config: { action: 'log' } }];
      const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'asked', trigger, steps });
      const trial = await tryIt(id, { event: given });
      expect([trigger, given, trial.triggerMatch]).toEqual([trigger, given, begins]);
      expect(trial).toMatchObject({ status: 'completed', steps: [{ id: 'note', status: 'completed' }] });
    }
  });

  test('a test run reports the trigger as publishing does: the same messages start runs', async () => {
    const channelId = await calls.channel();
    const trigger = {
      type: 'event',
      config: { channelId, eventTypes: ['order.*'], filter: 'event.payload.total > 100' },
    };
    const workflowId = await calls.activate(trigger, [{ id: 'note', type: 'action', config: { action: 'log' } }]);
    const messages = [
      { eventType: 'order.paid', payload: { total: 101 } },
      { eventType: 'order.paid', payload: { total: 100 } },
      { eventType: 'order.paid', payload: { total: 'many' } },
      { eventType: 'orders', payload: { total: 101 } },
    ];
    const tried: boolean[] = [];
    const begun: boolean[] = [];
    for (const { eventType, payload } of messages) {
      tried.push((await tryIt(workflowId, { event: { channelId, eventType, payload } })).triggerMatch.wouldStart);
      const messageId = await calls.publish(channelId, payload, eventType);
      const { data } = await calls.good<{ data: unknown[] }>('GET', `/v1/runs?messageId=${messageId}`);
      begun.push(data.length > 0);
    }
    expect(tried).toEqual(begun);
    expect(tried).toEqual([true, false, false, false]);
  });

  test('a test run refuses an event type that cannot be published, with the text of a publish', async () => {
    const channelId = await calls.channel();
    const steps = [{ id: 'note', type: 'action', config: { action: 'log' } }];
    const { id } = await calls.good<{ id: string }>('POST', '/v1/workflows', { name: 'asked', steps });
    const event = { eventType: 'order.*', payload: {} };
    type Refusal = { error: { details: { field: string; reason: string } } };
    const published = await posthorn.request<Refusal>('POST', `/v1/channels/${channelId}/messages`, event);
    const tried = await posthorn.request<Refusal>('POST', `/v1/workflows/${id}/test`, { event });
    const { field, reason } = published.body.error.details;
    expect([tried.status, tried.body.error.details]).toEqual([400, { field: `event.${field}`, reason }]);
  });
});
