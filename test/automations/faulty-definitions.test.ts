import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectShortTurns } from '../support/check/longest-turn.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

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

  test('may not name a channel of another environment, in its trigger or in a step', async () => {
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
    const reason = 'no such channel in this environment';
    expect(answer.body.error.details.errors).toEqual([
      { field: 'trigger.config.channelIds[0]', reason },
      { field: 'steps[0].config.channelId', reason },
    ]);
  });

  test('is told all of it, also where one step is too wrong to be read', async () => {
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

  test('tells faults of other fields beside those of its steps, also in a change and by validate', async () => {
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

  test('is seen to begin itself by validate, which is told whose change it is', async () => {
    const { id } = await make();
    const calling = [{ id: 'again', type: 'workflow', config: { workflowId: id } }];
    const validate = (body: object) => posthorn.request('POST', '/v1/workflows/validate', body);
    expect(await validate({ id, steps: calling })).toMatchObject({
      status: 200,
      body: {
        valid: false,
        errors: [{ field: 'steps[0].config.workflowId', reason: `the workflow would begin itself: ${id}` }],
      },
    });
    expect(await validate({ name: 'other', trigger: event, steps: calling })).toMatchObject({ body: { valid: true } });
    // Fields that a change leaves out stay as they are.
    expect(await validate({ id, trigger: { type: 'manual' } })).toMatchObject({ body: { valid: true, errors: [] } });
    expect(await validate({ id, status: 'paused' })).toMatchObject({ body: { errors: [{ field: 'status' }] } });
    expect(await validate({ id: 'wfl_1', steps })).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'id', reason: 'no such workflow in this environment' } } },
    });
    expect(await validate({ id, stepps: steps })).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'stepps', reason: 'is not a known field; did you mean steps?' } } },
    });
  });

  test('has at most 256 KiB, as validate says too, and also by two changes', async () => {
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

  test('may not ask with an expensive filter', async () => {
    const config = { filter: 'event.payload.a.exists(x, event.payload.b < event.payload.c)' };
    const answer = await posthorn.request<Refused>('POST', '/v1/workflows', {
      name: 'dear',
      trigger: { type: 'event', config },
      steps,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toMatchObject({
      field: 'trigger.config.filter',
      reason: expect.stringMatching(/^takes up to \d+ units for one message/),
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
          { field: 'steps[0].config.for', reason: 'is not a duration (e.g. "5m")' },
          { field: 'trigger', reason: 'is required' },
        ],
      },
    });
    expect(await posthorn.deps.db.workflow.count()).toBe(before);
  });
});

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
/** Steps one after the other, so that each is reachable. */
const chain = (count: number, of: (index: number) => { type: string; config: object }): object[] =>
  times(count, (at) => ({ id: `s${at}`, ...of(at), next: at + 1 < count ? `s${at + 1}` : null }));

describe('a definition of the largest size holds up nobody while it is checked:', () => {
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
