import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('steps', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;

  /** Answers of one test's requests, by their path. */
  const answers = new Map<string, (request: ReceivedRequest, earlier: number) => Answer>();
  const json =
    (value: unknown): Answer =>
    (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const to = (path: string): string => new URL(path, receiver.url).href;
  const requestsTo = (path: string): ReceivedRequest[] => receiver.requests.filter((each) => each.path === path);
  const quick = { maxRetries: 2, initialDelay: 100, maxDelay: 100, backoffMultiplier: 1 };

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({
      answer: (request) => answers.get(request.path)?.(request, requestsTo(request.path).length - 1) ?? 200,
    });
  });
  afterAll(async () => {
    await receiver.close();
  });

  test('a request is retried under its policy with one idempotency key, and its JSON response is the output', async () => {
    answers.set('/deals?ref=7', (_, earlier) =>
      earlier === 0 ? 503 : json({ deal: { id: 12345678901234567890n.toString() } }),
    );
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'crm',
        type: 'action',
        config: {
          action: 'http',
          url: to('/deals'),
          query: { ref: '{{ event.payload.ref }}' },
          headers: { 'X-Ref': '{{ event.payload.ref }}' },
          body: { value: '{{ event.payload.amount }}', note: 'for {{ event.payload.ref }}' },
          retryPolicy: quick,
        },
        next: 'after',
      },
      { id: 'after', type: 'action', config: { deal: '{{ steps.crm.output.body.deal.id }}' } },
    ]);
    const { id } = await calls.start(workflowId, { ref: 7, amount: 19.5 });
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    const step = stepOf(run, 'crm');
    expect(step).toMatchObject({ status: 'completed', attempts: 2, output: { status: 200 } });
    expect(stepOf(run, 'after').output).toEqual({ deal: '12345678901234567890' });
    const [first, second, ...more] = requestsTo('/deals?ref=7');
    expect(more).toEqual([]);
    expect(first?.headers).toMatchObject({
      'idempotency-key': `${id}:crm:`,
      'x-ref': '7',
      'content-type': 'application/json',
    });
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(JSON.parse(second?.body ?? '')).toEqual({ value: 19.5, note: 'for 7' });
  });

  test('a failure takes the branch that names its code, and a run without one fails and is retried from that step', async () => {
    let isMended = false;
    answers.set('/gone', () => 404);
    answers.set('/broken', () => (isMended ? 200 : 500));
    const step = (id: string, path: string, more: object = {}) => ({
      id,
      type: 'action',
      config: { action: 'http', url: to(path), retryPolicy: { ...quick, maxRetries: 0 }, ...more },
    });
    const workflowId = await calls.activate({ type: 'manual' }, [
      { ...step('gone', '/gone', { onError: [{ errors: ['HTTP_4XX'], next: 'alert' }] }), next: null },
      { id: 'alert', type: 'action', config: { code: '{{ steps.gone.error.code }}' }, next: 'tolerated' },
      { ...step('tolerated', '/gone', { onError: 'continue' }), next: 'broken' },
      { ...step('broken', '/broken'), next: 'last' },
      { id: 'last', type: 'action', config: {} },
    ]);
    const { id } = await calls.start(workflowId);
    const failed = await calls.ended(id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'HTTP_500', stepId: 'broken' } });
    expect(stepOf(failed, 'alert').output).toEqual({ code: 'HTTP_404' });
    expect(stepOf(failed, 'tolerated')).toMatchObject({ status: 'failed', error: { code: 'HTTP_404' } });
    await waitFor('its Temporal workflow fails', async () => {
      const { status } = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
      return status.name === 'FAILED';
    });

    isMended = true;
    const before = requestsTo('/gone').length;
    await calls.good('POST', `/v1/runs/${id}/retry`);
    const retried = await calls.ended(id);
    expect(retried.status).toBe('completed');
    expect(retried.error).toBeUndefined();
    expect(stepOf(retried, 'broken')).toMatchObject({ status: 'completed', attempts: 2 });
    expect(requestsTo('/gone')).toHaveLength(before);
    expect((await posthorn.request('POST', `/v1/runs/${id}/retry`)).status).toBe(409);
  });

  test('an expression that fails is an error of its step, and a paused run continues when a person retries it', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'bad',
        type: 'action',
        config: { action: 'http', url: '{{ event.payload.url }}', onError: 'pause' },
        next: 'on',
      },
      { id: 'on', type: 'action', config: {} },
    ]);
    const { id } = await calls.start(workflowId, {});
    const paused = await calls.ended(id);
    expect(paused).toMatchObject({ status: 'paused', error: { code: 'EXPRESSION', stepId: 'bad' } });
    const cancelled = await calls.good<{ status: string }>('POST', `/v1/runs/${id}/cancel`);
    expect(cancelled.status).toBe('cancelled');
  });

  test('a step publishes once, however often it is repeated, and its message triggers other workflows', async () => {
    const channelId = await calls.channel();
    const follower = await calls.activate(
      { type: 'event', config: { channelId, eventTypes: ['crm.*'], filter: 'event.payload.deal > 1.0' } },
      [{ id: 'seen', type: 'action', config: { deal: '{{ event.payload.deal }}' } }],
    );
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'tell',
        type: 'action',
        config: {
          action: 'publish',
          channelId,
          eventType: 'crm.synced',
          payload: { deal: '{{ event.payload.deal }}' },
          metadata: { by: '{{ run.id }}' },
        },
      },
    ]);
    const { id } = await calls.start(workflowId, { deal: 5 });
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    const { messageId } = stepOf(run, 'tell').output as { messageId: string };
    expect(await calls.good('GET', `/v1/messages/${messageId}`)).toMatchObject({
      eventType: 'crm.synced',
      payload: { deal: 5 },
      metadata: { by: id },
    });
    const followed = await calls.ended((await calls.onlyRun(follower)).id);
    expect(followed).toMatchObject({ status: 'completed', trigger: { messageId } });
    const { rows } = await posthorn.database.pool.query('SELECT chain_depth AS depth FROM runs WHERE id = $1', [
      followed.id,
    ]);
    expect(rows).toEqual([{ depth: 1 }]);
  });

  test('a delay waits outside the worker, and a cancelled run ends in Temporal too', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'short', type: 'delay', config: { for: '300ms' }, next: 'long' },
      { id: 'long', type: 'delay', config: { for: '2h' } },
    ]);
    const { id } = await calls.start(workflowId);
    const waiting = await waitFor('the long delay', async () => {
      const run = await calls.getRun(id);
      return run.status === 'waiting' && run.steps.length === 2 && run;
    });
    expect(stepOf(waiting, 'short').status).toBe('completed');
    expect(stepOf(waiting, 'long').status).toBe('waiting');
    const cancelled = await calls.good<{ status: string; reason: string }>('POST', `/v1/runs/${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('key_') });
    await waitFor('its Temporal workflow ends', async () => {
      const { status } = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
      return status.name !== 'RUNNING';
    });
    expect((await posthorn.request('POST', `/v1/runs/${id}/cancel`)).status).toBe(409);
  });

  test('a run whose Temporal workflow is cancelled there ends as cancelled with the reason', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'long', type: 'delay', config: { for: '2h' } }]);
    const { id } = await calls.start(workflowId);
    await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
    await posthorn.temporal.workflow.getHandle(`run/${id}/1`).cancel();
    expect(await calls.ended(id)).toMatchObject({ status: 'cancelled', reason: 'cancelled in Temporal' });
  });

  test('and with the reason given by the person who cancelled it, if any', async () => {
    const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'long', type: 'delay', config: { for: '2h' } }]);
    const { id } = await calls.start(workflowId);
    await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
    const { temporal } = posthorn;
    // The SDK's handle takes no reason, Temporal's API does.
    await temporal.workflowService.requestCancelWorkflowExecution({
      namespace: temporal.options.namespace,
      workflowExecution: { workflowId: `run/${id}/1` },
      reason: `the shop\u0000 is\nclosed`,
    });
    const reason = 'cancelled in Temporal: the shop is closed';
    expect(await calls.ended(id)).toMatchObject({ status: 'cancelled', reason });
  });

  test('a loop runs its body for each item, collects results, and reports which items failed', async () => {
    answers.set('/items/2', () => 400);
    const workflowId = await calls.activate({ type: 'manual' }, [
      {
        id: 'each',
        type: 'foreach',
        config: {
          items: 'event.payload.items',
          body: 'push',
          concurrency: 3,
          onItemError: 'continue',
          collect: 'steps.push.output.status + index',
        },
        next: 'sum',
      },
      { id: 'push', type: 'action', config: { action: 'http', method: 'PUT', url: `${to('/items/')}{{ item.id }}` } },
      { id: 'sum', type: 'action', config: { failed: '{{ size(steps.each.output.failed) }}' } },
    ]);
    const { id } = await calls.start(workflowId, { items: [0, 1, 2, 3].map((item) => ({ id: item })) });
    const run = await calls.ended(id);
    expect(run.status).toBe('completed');
    expect(stepOf(run, 'each').output).toEqual({
      // By the places of the items.
      results: [200, 201, null, 203],
      failed: [{ index: 2, error: { code: 'HTTP_400', message: 'answered 400: answer 400' } }],
    });
    expect(stepOf(run, 'sum').output).toEqual({ failed: 1 });
    expect(stepOf(run, 'push', '3')).toMatchObject({ status: 'completed' });
    expect(requestsTo('/items/3')[0]?.headers['idempotency-key']).toBe(`${id}:push:3`);
  });

  test('a failed item fails its loop, and a retry repeats only that item', async () => {
    let isMended = false;
    answers.set('/parts/1', () => (isMended ? 200 : 400));
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'each', type: 'foreach', config: { items: '[0, 1]', body: 'push' }, next: 'done' },
      { id: 'push', type: 'action', config: { action: 'http', url: `${to('/parts/')}{{ item }}` } },
      {
        id: 'done',
        type: 'end',
        config: { status: 'completed', output: { all: '{{ size(steps.each.output.results) }}' } },
      },
    ]);
    const { id } = await calls.start(workflowId);
    expect(await calls.ended(id)).toMatchObject({ status: 'failed', error: { code: 'HTTP_400', stepId: 'each' } });
    isMended = true;
    await calls.good('POST', `/v1/runs/${id}/retry`);
    const run = await calls.ended(id);
    expect(run).toMatchObject({ status: 'completed', output: { all: 2 } });
    // Nothing is collected.
    expect(stepOf(run, 'each').output).toEqual({ results: [null, null], failed: [] });
    expect(requestsTo('/parts/0')).toHaveLength(1);
  });

  test('branches run in parallel, a race cuts the slower ones off, and an end step ends the run', async () => {
    answers.set('/slow', () => () => {});
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'both', type: 'parallel', config: { branches: ['a', 'b'] }, next: 'first' },
      { id: 'a', type: 'action', config: { from: 'a' }, next: 'a2' },
      { id: 'a2', type: 'action', config: { from: 'a2' } },
      { id: 'b', type: 'action', config: { from: 'b' } },
      { id: 'first', type: 'parallel', config: { branches: ['slow', 'fast'], mode: 'race' }, next: 'stop' },
      { id: 'slow', type: 'action', config: { action: 'http', url: to('/slow') } },
      { id: 'fast', type: 'delay', config: { for: 200 } },
      { id: 'stop', type: 'end', config: { status: 'failed', error: { code: 'ENOUGH', message: 'for {{ run.id }}' } } },
    ]);
    const { id } = await calls.start(workflowId);
    const run = await calls.ended(id);
    expect(stepOf(run, 'both').output).toEqual({ a: { from: 'a2' }, b: { from: 'b' } });
    expect(stepOf(run, 'slow').status).toBe('cancelled');
    expect(Object.keys(stepOf(run, 'first').output as object)).toEqual(['fast']);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'ENOUGH', message: `for ${id}`, stepId: 'stop' } });
  });
});

describe('step values', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
  });

  const runOf = async (steps: readonly Step[]) => {
    const { id } = await calls.start(await calls.activate({ type: 'manual' }, steps));
    return calls.ended(id);
  };

  test('a long number appears in a longer text digit for digit', async () => {
    // 9007199254740993 is 2^53 + 1: the JSON of such a value failed, and the step with INTERNAL.
    const steps = [
      {
        id: 'call',
        type: 'action',
        config: {
          action: 'http',
          url: `${receiver.url}orders/{{ event.payload.id }}`,
          body: 'all {{ event.payload }}',
        },
      },
    ];
    const workflowId = await calls.activate({ type: 'manual' }, steps);
    const payload = '{"payload": {"id": 9007199254740993, "list": [12345678901234567890]}}';
    const { id } = await calls.good<{ id: string }>('POST', `/v1/workflows/${workflowId}/runs`, payload);
    expect((await calls.ended(id)).status).toBe('completed');
    const [request] = receiver.requests;
    expect(request?.path).toBe('/orders/9007199254740993');
    expect(request?.body).toBe('all {"id":9007199254740993,"list":[12345678901234567890]}');
  });

  test('a number with a fraction is a double in what a step stores and sends', async () => {
    receiver.answerWith([
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"price": 12.50}'),
    ]);
    const call = { action: 'http', url: receiver.url, body: { total: '{{ event.payload.total }}' } };
    const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'call', type: 'action', config: call }]);
    const { id } = await calls.good<{ id: string }>(
      'POST',
      `/v1/workflows/${workflowId}/runs`,
      '{"payload":{"total":12.50}}',
    );
    const run = await calls.ended(id);
    receiver.answerWith([200]);
    expect(receiver.requests.at(-1)?.body).toBe('{"total":12.5}');
    expect(stepOf(run, 'call').output).toMatchObject({ body: { price: 12.5 } });
    const key = { authorization: `Bearer ${posthorn.keys.live}` };
    expect(await (await fetch(`${posthorn.url}/v1/runs/${id}`, { headers: key })).text()).toContain(
      '"body":{"price":12.5}',
    );
  });

  test('an action that names no action is kept as it was sent if it is not a template, and fails nothing', async () => {
    // Its templates were evaluated: one that was no template failed the run with INTERNAL.
    const config = {
      note: '{{ oops',
      sum: '{{ 1 + 1 }}',
      gone: '{{ event.payload.gone }}',
      if: 'false',
      output: '{{ x',
    };
    const run = await runOf([{ id: 'kept', type: 'action', config }]);
    expect(run.status).toBe('completed');
    expect(stepOf(run, 'kept')).toMatchObject({ status: 'completed', output: config });
  });

  test('output reads the result of its own step, and replaces it', async () => {
    // The definition was refused, because a step does not run before itself.
    const run = await runOf([
      {
        id: 'call',
        type: 'action',
        config: { action: 'http', url: receiver.url, output: { was: '{{ steps.call.output.status }}' } },
      },
      { id: 'note', type: 'action', config: { action: 'log', a: 1, output: '{{ steps.note.output.a + 1 }}' } },
    ]);
    expect(stepOf(run, 'call').output).toEqual({ was: 200 });
    expect(stepOf(run, 'note').output).toBe(2);
  });

  test('a step, a branch, a variable and a member may be called constructor', async () => {
    // The library tells a map by its constructor: every expression over such a map failed, and a map that one wrote lost the member.
    const log = (id: string, text: unknown, next?: string) => ({
      id,
      type: 'action',
      config: { action: 'log', text },
      ...(next !== undefined && { next }),
    });
    const run = await runOf([
      log('constructor', 'first', 'vars'),
      {
        id: 'vars',
        type: 'transform',
        config: {
          set: { constructor: 6 },
          assign: { constructor: 6, a: 1 },
          output: '{{ steps.vars.output.constructor }}',
        },
        next: 'both',
      },
      { id: 'both', type: 'parallel', config: { branches: ['prototype', 'valueOf'] }, next: 'each' },
      log('prototype', 'left'),
      log('valueOf', 'right'),
      {
        id: 'each',
        type: 'foreach',
        config: {
          items: '[1, 2]',
          body: 'toString',
          collect: '{"constructor": item, "prototype": steps.toString.output.text}',
        },
        next: 'sum',
      },
      log('toString', '{{ item }}'),
      {
        id: 'sum',
        type: 'transform',
        config: {
          set: {
            step: '{{ steps.constructor.output.text }}',
            own: '{{ steps.vars.output }}',
            vars: '{{ vars.a + vars.constructor }}',
            branches: '{{ steps.both.output.prototype.text + steps.both.output.valueOf.text }}',
            items: '{{ steps.each.output.results }}',
            map: '{{ {"constructor": 1, "a": 2} }}',
          },
        },
      },
    ]);
    expect(run).toMatchObject({ status: 'completed' });
    expect(stepOf(run, 'sum').output).toEqual({
      step: 'first',
      own: 6,
      vars: 7,
      branches: 'leftright',
      items: [
        { constructor: 1, prototype: 1 },
        { constructor: 2, prototype: 2 },
      ],
      map: { constructor: 1, a: 2 },
    });
  });

  test('a branch called constructor is read like any other', async () => {
    const run = await runOf([
      { id: 'both', type: 'parallel', config: { branches: ['constructor', 'other'] }, next: 'note' },
      { id: 'constructor', type: 'action', config: { action: 'log', text: 'left' } },
      { id: 'other', type: 'action', config: { action: 'log', text: 'right' } },
      {
        id: 'note',
        type: 'action',
        config: { action: 'log', text: '{{ steps.both.output.constructor.text + steps.both.output.other.text }}' },
      },
    ]);
    expect(run).toMatchObject({ status: 'completed' });
    expect(stepOf(run, 'note').output).toMatchObject({ text: 'leftright' });
  });
});

describe('step retries', () => {
  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  /** Paths that answer 500. */
  const broken = new Set<string>();
  const requestsTo = (path: string) => receiver.requests.filter((each) => each.path === path);

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
    receiver = await startReceiver({ answer: ({ path }) => (broken.has(path) ? 500 : 200) });
  });
  afterAll(async () => {
    await receiver.close();
  });

  const post = (id: string, path: string, next?: string) => ({
    id,
    type: 'action',
    config: { action: 'http', url: new URL(path, receiver.url).href, retryPolicy: { maxRetries: 0 } },
    ...(next !== undefined && { next }),
  });

  test('a retry from a step repeats it and all after it, under other idempotency keys, and keeps earlier results', async () => {
    broken.add('/from/push');
    const http = (id: string, next?: string) => {
      const step = post(id, `/from/${id}`, next);
      return { ...step, config: { ...step.config, body: { items: '{{ steps.each.output.results }}' } } };
    };
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'each', type: 'foreach', config: { items: '[1, 2]', body: 'note' }, next: 'middle' },
      { id: 'note', type: 'action' },
      http('middle', 'push'),
      http('push'),
    ]);
    const run = await calls.ended((await calls.start(workflowId)).id);
    const each = stepOf(run, 'each');
    const [first] = requestsTo('/from/middle');
    expect([run.status, each.attempts]).toEqual(['failed', 1]);
    broken.delete('/from/push');
    await calls.good('POST', `/v1/runs/${run.id}/retry`, { from: { stepId: 'middle' } });
    const again = await calls.ended(run.id);
    expect(again.status).toBe('completed');
    expect(stepOf(again, 'each')).toEqual(each);
    expect(again.steps.map(({ id }) => id)).toEqual(run.steps.map(({ id }) => id));
    expect(stepOf(again, 'middle').attempts).toBe(1);
    const [, second, ...more] = requestsTo('/from/middle');
    expect(more).toEqual([]);
    expect(second?.body).toBe(first?.body);
    const keyOf = (request: typeof first) => String(request?.headers['idempotency-key']);
    expect(keyOf(second)).toBe(`${keyOf(first)}:restart-1`);
    expect(await calls.good('GET', `/v1/dlq?workflowId=${workflowId}&status=open`)).toMatchObject({ data: [] });
  });

  test('a retry from a step that was not reached, or is in a loop, is a CONFLICT and changes nothing', async () => {
    broken.add('/refused/push');
    const workflowId = await calls.activate({ type: 'manual' }, [
      { id: 'each', type: 'foreach', config: { items: '[1]', body: 'note' }, next: 'push' },
      { id: 'note', type: 'action' },
      post('push', '/refused/push', 'after'),
      { id: 'after', type: 'action' },
    ]);
    const run = await calls.ended((await calls.start(workflowId)).id);
    for (const [stepId, message] of [
      ['after', 'This run has not reached after'],
      ['note', 'note is inside each; start again at each instead'],
      ['gone', 'The definition of this run does not have the step gone'],
    ]) {
      const answer = await posthorn.request('POST', `/v1/runs/${run.id}/retry`, { from: { stepId } });
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', message } } });
    }
    expect(await calls.getRun(run.id)).toEqual(run);
  });

  test('a retry from a step under the latest definition starts at the current version of that step', async () => {
    broken.add('/latest/push');
    const steps = [post('first', '/latest/first', 'push'), post('push', '/latest/push')];
    const workflowId = await calls.activate({ type: 'manual' }, steps);
    const run = await calls.ended((await calls.start(workflowId)).id);
    const again = { from: { stepId: 'push' }, definition: 'latest' };
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, { steps: [post('first', '/latest/first')] });
    expect(await posthorn.request('POST', `/v1/runs/${run.id}/retry`, again)).toMatchObject({
      status: 409,
      body: {
        error: { message: 'The latest definition does not have the step push, which follows first in this run' },
      },
    });
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, {
      steps: [steps[0], { id: 'push', type: 'transform', config: { set: { done: true } } }],
    });
    await calls.good('POST', `/v1/runs/${run.id}/retry`, again);
    const ended = await calls.ended(run.id);
    expect(ended.status).toBe('completed');
    expect(stepOf(ended, 'push')).toMatchObject({ type: 'transform', output: { done: true } });
    expect(requestsTo('/latest/first')).toHaveLength(1);
  });
});

describe('run definitions', () => {
  /** A run shows the definition that it started with. */
  let calls: ReturnType<typeof workflowCalls>;

  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  type Defined = { status: string; definitionVersion: number; definition: { trigger: unknown; steps: unknown[] } };
  const get = (id: string): Promise<Defined> => calls.good('GET', `/v1/runs/${id}`);
  const textOf = async (path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${posthorn.keys.live}` };
    return (await fetch(new URL(path, posthorn.url), { headers })).text();
  };

  test('a run shows the definition it started with after its workflow has changed, and the latest one after a retry under it', async () => {
    const trigger = { type: 'manual' };
    const steps = [{ id: 'sum', type: 'transform', config: { set: { twice: '{{ event.payload.total * 2 }}' } } }];
    const workflowId = await calls.activate(trigger, steps);
    const { id } = await calls.start(workflowId, { total: 'none' });
    expect((await calls.ended(id)).status).toBe('failed');
    const mended = [{ id: 'sum', type: 'transform', config: { set: { twice: 0 } } }];
    await calls.good('PATCH', `/v1/workflows/${workflowId}`, { steps: mended });
    expect(await get(id)).toMatchObject({ definitionVersion: 1, definition: { trigger, steps } });

    await calls.good('POST', `/v1/runs/${id}/retry`, { definition: 'latest' });
    expect((await calls.ended(id)).status).toBe('completed');
    expect(await get(id)).toMatchObject({ definitionVersion: 2, definition: { trigger, steps: mended } });

    await calls.good('DELETE', `/v1/workflows/${workflowId}`);
    expect((await get(id)).definition.steps).toEqual(mended);
    expect(await textOf(`/v1/runs?workflowId=${workflowId}`)).not.toContain('"definition"');
  });

  test('its numbers keep their digits, and secrets appear only as names', async () => {
    await calls.good('POST', '/v1/secrets', { name: 'CRM_TOKEN', value: 'zebra-in-the-secret' });
    const written = `{"name":"test","status":"active","trigger":{"type":"manual"},"steps":[
    {"id":"note","type":"action","config":{"big":12345678901234567890,"price":12.50}},
    {"id":"crm","type":"action","config":{"action":"http","url":"https://crm.example.com/deals","if":"false",
      "headers":{"X-Token":"{{ secrets.CRM_TOKEN }}"}}}]}`;
    const { id: workflowId } = await calls.good<{ id: string }>('POST', '/v1/workflows', written);
    const { id } = await calls.start(workflowId);
    await calls.ended(id);
    const text = await textOf(`/v1/runs/${id}`);
    expect(text).toContain('"big":12345678901234567890,"price":12.50');
    expect(text).toContain('{{ secrets.CRM_TOKEN }}');
    expect(text).not.toContain('zebra');
  });
});

describe('input schema', () => {
  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  const steps = [{ id: 'note', type: 'action' }];
  const inputSchema = {
    type: 'object',
    properties: {
      order: { type: 'object', properties: { total: { type: 'number', minimum: 1 } }, required: ['total'] },
    },
    required: ['order'],
  };

  test('a manual run needs a payload that matches the input schema, and is not started otherwise', async () => {
    const workflowId = await calls.activate({ type: 'manual', config: { inputSchema } }, steps);
    const start = (body: object) => posthorn.request('POST', `/v1/workflows/${workflowId}/runs`, body);
    const refused = (field: string) => ({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', details: { field } } },
    });
    expect(await start({})).toMatchObject(refused('payload.order'));
    expect(await start({ payload: { order: { total: 0 } } })).toMatchObject(refused('payload.order.total'));
    expect(await calls.runsOf(workflowId)).toEqual([]);
    expect((await start({ payload: { order: { total: 12.5 } } })).status).toBe(202);
    expect(await calls.runsOf(workflowId)).toHaveLength(1);
  });

  test('an invalid input schema is refused with the definition', async () => {
    const trigger = { type: 'manual', config: { inputSchema: { type: 'thing' } } };
    expect(await posthorn.request('POST', '/v1/workflows', { name: 'wrong', trigger, steps })).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'trigger.config.inputSchema', reason: expect.stringContaining('type') } } },
    });
  });
});
