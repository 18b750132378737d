import { describe, expect, test } from '@jest/globals';
import { type RunContext, createStepExpressions } from './expressions.ts';

const { check, evaluate, resolve } = createStepExpressions();

const context: RunContext = {
  event: {
    id: 'msg_1',
    eventType: 'order.created',
    channelId: 'chn_1',
    payload: {
      amount: 12.5,
      id: 12345678901234567890n,
      name: 'Ada',
      note: '{{ secrets.CRM }}',
      none: null,
      list: [1, 2],
    },
    metadata: { source: 'web' },
    publishedAt: '2026-01-31T12:00:00.000Z',
  },
  steps: { 'get-user': { status: 'completed', output: { body: { id: 7 } }, error: null, attempts: 1 } },
  vars: { total: 3 },
  item: 'x',
  index: 2,
  workflow: { id: 'wfl_1', name: 'Orders', version: 1 },
  run: { id: 'run_1', startedAt: '2026-01-31T12:00:00.000Z', now: '2026-01-31T12:00:01.000Z', test: false },
};

describe('an expression returns a JSON value:', () => {
  test.each<[string, unknown]>([
    ['event.payload.amount * 2', 25],
    ['event.payload.id', 12345678901234567890n],
    ['size(event.payload.list)', 2],
    ['index + 1', 3],
    ['timestamp(run.now)', '2026-01-31T12:00:01.000Z'],
    ['timestamp(run.now) - timestamp(run.startedAt)', '1s'],
    ['event.payload.?missing', null],
    ['steps.?gone.output', null],
    ['steps.?gone.output.body.id.orValue(0)', 0],
    ['steps[?"get-user"].output.body.id.orValue(0)', 7],
    ['steps[?"gone-user"].output.body.id.orValue(0)', 0],
    ['has(steps.gone) ? steps.gone.output.id : "none"', 'none'],
    ['!has(steps.gone) || steps.gone.output.ok', true],
    ['steps[?"get-user"].hasValue()', true],
    ['event.payload.?name', 'Ada'],
    ['{"a": [index]}', { a: [2] }],
    ['steps["get-user"].output.body.id', 7],
    ['event.metadata.source', 'web'],
    ['event.payload.none', null],
    ['item == "x" && vars.total > 2', true],
  ])('%s', (expression, value) => {
    expect(evaluate(expression, context)).toEqual(value);
  });

  test.each([
    ['event.payload.missing', 'event.payload.missing: line 1:15: No such key: missing'],
    ['1.0 / 0.0', '1.0 / 0.0: is not a finite number'],
    ['type(1)', 'type(1): is a type, not a value'],
  ])('%s fails, and says so', (expression, reason) => {
    expect(() => evaluate(expression, context)).toThrow(reason);
  });

  test('a message whose metadata has a key "constructor" is read like any other', () => {
    const event = { ...context.event, metadata: { constructor: 'x' } };
    expect(evaluate('event.metadata.constructor', { ...context, event })).toBe('x');
  });
});

describe('a key that the library uses to recognise objects is a key like any other', () => {
  // A step or a variable of the name `constructor` failed every expression over its like; one that an expression wrote was gone.
  const ended = { status: 'completed', output: { a: 1 }, error: null, attempts: 1 } as const;
  const steps = { constructor: ended, b: ended };
  const vars = { constructor: 6, a: 1 };

  test.each<[string, unknown]>([
    ['steps.b.output.a', 1],
    ['steps.constructor.output.a', 1],
    ['steps["constructor"].status', 'completed'],
    ['steps.?constructor.output.a.orValue(0)', 1],
    ['has(steps.constructor) && has(steps.b) && !has(steps.c)', true],
    ['vars.a + vars.constructor', 7],
    ['vars', { constructor: 6, a: 1 }],
    ['vars.map(name, name)', ['constructor', 'a']],
    ['{"constructor": 1, "a": 2}', { constructor: 1, a: 2 }],
    ['{"constructor": index, "a": 2}', { constructor: 2, a: 2 }],
    ['{"prototype": 1}', { prototype: 1 }],
    ['{"__proto__": index}', JSON.parse('{"__proto__": 2}')],
    ['{"b": {"constructor": [index]}}', { b: { constructor: [2] } }],
    ['{"constructor": index}.constructor + 1', 3],
    ['[1, 2].map(each, {"constructor": each})', [{ constructor: 1 }, { constructor: 2 }]],
    ['{"constructor": {"b": 1}}.map(key, key)', ['constructor']],
    ['cel.bind(made, {"constructor": item}, made.constructor)', 'x'],
    ['{"constructor": 1} == vars', false],
    ['{"constructor": 6, "a": 1} == vars', true],
    ['"constructor" in {"constructor": 1}', true],
  ])('%s', (expression, value) => {
    expect(evaluate(expression, { ...context, steps, vars })).toEqual(value);
  });
});

describe('a template', () => {
  test('that is a single expression keeps the type of its value, which becomes text inside other text', () => {
    const template = {
      whole: '{{ event.payload.amount }}',
      text: 'Hello {{ event.payload.name }}, {{ event.payload.list }}{{ event.payload.none }}!',
      map: '{{ {"a": {"b": 1}} }}',
      quoted: '{{ "}}" }}',
      long: 'orders/{{ event.payload.id }}/{{ [event.payload.id] }}',
      kept: [1, true, null, 'plain'],
    };
    expect(resolve(template, context)).toEqual({
      whole: 12.5,
      text: 'Hello Ada, [1,2]!',
      map: { a: { b: 1 } },
      quoted: '}}',
      long: 'orders/12345678901234567890/[12345678901234567890]',
      kept: [1, true, null, 'plain'],
    });
  });

  test('shows the name of a secret, or the secret itself on request', () => {
    const template = 'Bearer {{ secrets.CRM }}';
    expect(resolve(template, context)).toBe('Bearer [secret CRM]');
    expect(resolve(template, context, (name) => `${name}!`)).toBe('Bearer CRM!');
  });

  test('does not insert a secret that a message refers to', () => {
    expect(resolve('{{ event.payload.note }}', context, () => 'told')).toBe('{{ secrets.CRM }}');
  });

  test('that fails is reported without surrounding spaces', () => {
    const reason = 'event.payload.missing: line 1:15: No such key: missing';
    expect(() => resolve('for {{ event.payload.missing }}', context)).toThrow(new RegExp(`^${reason}`));
  });

  test('that is not closed fails', () => {
    expect(() => resolve('a {{ event.id', context)).toThrow('"{{" at character 3 is not closed by "}}"');
  });
});

describe('before any run', () => {
  test('finds the steps that an expression reads, and its type', () => {
    expect(check('steps.a.output.b == steps["c-d"].output.e')).toEqual({
      type: 'bool',
      steps: new Set(['a', 'c-d']),
      misread: [],
      firm: new Set(['a', 'c-d']),
      names: new Set(['steps']),
    });
    expect(check('event.payload.all(each, each.id == run.id)').names).toEqual(new Set(['event', 'each', 'run']));
    expect(check('event.payload.a').type).toBe('dyn');
  });

  test.each([
    ['steps[event.id].output', 'line 1:1: a step must be written as steps.id or steps["id"], with a literal id'],
    ['size(steps) > 1', 'line 1:6: a step must be written as steps.id or steps["id"], with a literal id'],
    ['evnt.id', 'line 1:1: Unknown variable: evnt; did you mean event?'],
  ])('%s is refused', (expression, reason) => {
    expect(() => check(expression)).toThrow(reason);
  });
});

describe('the values of a step can have 1.25 MiB together,', () => {
  // 5,000 members, about 50 KB of JSON. Each reference was copied in full before anybody looked at the size of the whole.
  const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`m${at}`, at]));
  const list = Array.from({ length: 1_000 }, (_, at) => at);
  const fresh = (): RunContext => ({ ...context, event: { ...context.event, payload: { members, list } } });
  const maps = `event.payload.list.map(n, {${Array.from({ length: 16 }, (_, at) => `"k${at}": event.payload.members`).join(', ')}})`;
  const tooLarge = '1310720 bytes of JSON together';

  test.each<[string, unknown]>([
    ['one expression that uses a value 16,000 times', `{{ ${maps} }}`],
    ['a list of 800 references', Array.from({ length: 800 }, () => '{{ event.payload.members }}')],
    ['a text of 500 references', 'x{{ event.payload.members }}'.repeat(500)],
    [
      'an object with two texts in each of its members',
      Object.fromEntries(list.map((at) => [at, '{{ event.payload.members }}'])),
    ],
  ])('counted before they are made: %s', (_, template) => {
    expect(() => resolve(template, fresh())).toThrow(tooLarge);
  });

  test('whether they are read by templates, by expressions or ahead of both', async () => {
    const shared = fresh();
    for (let times = 0; times < 10; times += 1) evaluate('event.payload.members', shared);
    expect(() =>
      resolve(
        Array.from({ length: 12 }, () => '{{ event.payload.members }}'),
        shared,
      ),
    ).toThrow(tooLarge);
    expect(evaluate('event.payload.list', fresh())).toEqual(list);
    const ahead = fresh();
    const expressions = createStepExpressions();
    await expressions.evaluateAhead({ templates: ['{{ event.payload.members }}', '{{ 1 }}'] }, ahead, 'env_1');
    expect(() =>
      expressions.resolve(
        Array.from({ length: 30 }, () => '{{ event.payload.members }}'),
        ahead,
      ),
    ).toThrow(tooLarge);
    const all = fresh();
    await expressions.evaluateAhead({ templates: [`{{ ${maps} }}`, '{{ 1 }}'] }, all, 'env_1');
    expect(() => expressions.resolve(`{{ ${maps} }}`, all)).toThrow(tooLarge);
    await expect(
      expressions.evaluateAll(
        Array.from({ length: 30 }, () => 'event.payload.members'),
        fresh(),
        'env_1',
      ),
    ).rejects.toThrow(tooLarge);
  });

  test('and at most as many levels as an output', () => {
    const deep = Array.from({ length: 101 }).reduce<unknown>((inner) => [inner], 1);
    expect(() => evaluate('vars.deep', { ...context, vars: { deep } })).toThrow('nested deeper than 100 levels');
  });
});

describe('many expressions', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, `{{ ${index} + 1 }}`]));
  /** On a clock on which each look takes a millisecond. */
  const create = () => {
    let time = 0;
    return createStepExpressions(() => (time += 1));
  };
  /** The turns that the event loop has while work is done. */
  const turnsOf = async (work: Promise<unknown>): Promise<number> => {
    let turns = 0;
    let isOver = false;
    const watch = (): void => {
      turns += 1;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    await work;
    isOver = true;
    return turns;
  };

  test('are evaluated over several turns of the event loop, and resolve uses their values', async () => {
    const expressions = create();
    expect(await turnsOf(expressions.evaluateAhead({ templates: many }, context, 'env_1'))).toBeGreaterThan(4);
    expect(expressions.resolve({ many }, context)).toEqual({ many: resolve(many, context) });
  });

  test('fail when the invalid one is used, with its own reason', async () => {
    const expressions = create();
    await expressions.evaluateAhead({ templates: many, expressions: ['event.payload.missing'] }, context, 'env_1');
    expect(expressions.resolve(many['m3'], context)).toBe(4);
    expect(() => expressions.resolve('{{ event.payload.missing }}', context)).toThrow('No such key: missing');
  });

  test('return all values, or the failure of one of them', async () => {
    const expressions = create();
    const { name, list } = context.event.payload as { name: string; list: number[] };
    expect(await expressions.evaluateAll(['event.payload.name', 'event.payload.list'], context, 'env_1')).toEqual([
      name,
      list,
    ]);
    await expect(expressions.evaluateAll(['index', 'event.payload.missing'], context, 'env_1')).rejects.toThrow(
      'missing',
    );
  });
});
