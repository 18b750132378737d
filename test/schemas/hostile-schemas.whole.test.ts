import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { createSchemas, newBudget } from '../../src/messaging/schemas/schemas.ts';
import { createChannel } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';

type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
type Schema = Record<string, unknown>;

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const create = (fields: Schema) => posthorn.request<Refusal>('POST', '/v1/channels', { name: 'hostile', ...fields });
const publish = (id: string, payload: unknown) =>
  posthorn.request<Refusal>('POST', `/v1/channels/${id}/messages`, { eventType: 'a', payload });

/** Counts the health checks that are answered while something is under way: none is when the process is held up. */
async function answeredDuring<T>(act: () => Promise<T>): Promise<{ result: T; healthy: number }> {
  let isDone = false;
  let healthy = 0;
  const acting = act().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const { ok } = await fetch(`${posthorn.url}/healthz`);
    if (ok && !isDone) healthy += 1;
  }
  return { result: await acting, healthy };
}

const anyOf = (levels: number): Schema =>
  levels === 0 ? { type: 'string' } : { anyOf: [anyOf(levels - 1), anyOf(levels - 1)] };
const named = (count: number, make: (n: number) => unknown): Schema =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, make(n)]));
/** 24 ms each to compile, though within every bound. */
const slowPatterns = named(290, (n) => ({ pattern: `[\\s\\S]*x[\\s\\S]{0,${700 + n}}y` }));
/** Each level applies the next one twice to the same value: 2^levels ways to the innermost. */
const doubling = (levels: number): Schema => ({
  $ref: `#/$defs/d${levels}`,
  $defs: Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, n) => [
      `d${n}`,
      n === 0
        ? { type: 'integer' }
        : { properties: { x: { $ref: `#/$defs/d${n - 1}` } }, patternProperties: { x: { $ref: `#/$defs/d${n - 1}` } } },
    ]),
  ),
});
const nested = (levels: number, value: unknown): unknown => (levels === 0 ? value : { x: nested(levels - 1, value) });

describe('with the schemas that hurt a validator', () => {
  test.each<[string, Schema, RegExp]>([
    ['an enum of 50,000 values', { enum: Array.from({ length: 50_000 }, (_, n) => n) }, /32768 bytes|262144 bytes/],
    ['an enum of 501 values', { enum: Array.from({ length: 501 }, (_, n) => n) }, /at #\/enum: must have at most 500/],
    ['12 doubled anyOf inside each other', anyOf(12), /./],
    ['4 doubled anyOf inside each other', anyOf(4), /anyOf/],
    ['2,000 properties', { properties: named(2_000, () => true) }, /at #\/properties: must have at most 300/],
    ['a reference to the whole', { $ref: '#' }, /at #\/\$ref: must not lead back to itself/],
    [
      'a definition in a circle',
      { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } },
      /at #\/\$defs\/a\/items\/\$ref: must not lead back to itself/,
    ],
    ['an $anchor', { $anchor: 'a' }, /at #\/\$anchor: is a keyword that is not allowed/],
    ['a $data reference', { properties: { a: { pattern: { $data: '1/b' } } } }, /must not be a \$data reference/],
    ['$async', { $async: true }, /at #\/\$async: is a keyword that is not allowed/],
    [
      'look-around',
      { properties: { a: { pattern: '(?=a)' } } },
      /at #\/properties\/a\/pattern: cannot be compiled: .*\(\?=/,
    ],
    [
      'a back-reference',
      { allOf: [true, { pattern: '(a)\\1' }] },
      /at #\/allOf\/1\/pattern: cannot be compiled: .*escape/,
    ],
    [
      'a broken pattern for names',
      { properties: { a: { pattern: 'a' }, b: { patternProperties: { '^a': {}, 'a/(': {} } } } },
      /at #\/properties\/b\/patternProperties\/a~1\(: cannot be compiled: /,
    ],
    ['290 patterns that take long', { properties: slowPatterns }, /must take at most 250 ms to compile/],
    [
      'something that is no schema',
      { properties: { a: { minimum: 'x' } } },
      /at #\/properties\/a\/minimum: must be number/,
    ],
    [
      'an unknown type',
      { type: 'text' },
      /at #\/type: must be one of array, boolean, integer, null, number, object, string/,
    ],
  ])('%s is refused while the process goes on with its work', async (_, schema, reason) => {
    const before = await posthorn.deps.db.channel.count();
    const { result } = await answeredDuring(() => create({ schema }));
    const { error } = result.body;
    expect([400, 413]).toContain(result.status);
    expect(error.details?.reason).toMatch(reason);
    if (result.status === 400)
      expect([error.code, error.details?.field]).toEqual(['INVALID_REQUEST', expect.stringMatching(/^schema/)]);
    const typed = await create({ schemas: { 'order.paid': schema } });
    if (typed.status === 400) expect(typed.body.error.details?.field).toMatch(/^schemas\["order\.paid"\]/);
    expect(await posthorn.deps.db.channel.count()).toBe(before);
  });

  test('one that compiles too long ends its thread only: others are answered meanwhile, and good schemas are saved after it', async () => {
    const { result, healthy } = await answeredDuring(() => create({ schema: { properties: slowPatterns } }));
    expect(result.status).toBe(400);
    expect(healthy).toBeGreaterThan(5);
    expect((await create({ schema: { required: ['a'] } })).status).toBe(201);
  });

  // Regression: it was judged by the clock, and a machine that was busy with other things refused good schemas.
  test('one that the machine did not let compile is not one that compiles too long', async () => {
    const script = `import('./src/messaging/schemas/schemas.ts').then(async ({ createSchemas }) => {
      const schemas = createSchemas({ log: console });
      await schemas.problemOf('env_1', {});
      const compiled = schemas.problemOf('env_1', JSON.parse(process.argv[1]));
      console.log('begun');
      console.log(await compiled);
      process.exit();
    })`;
    const schema = JSON.stringify({ properties: named(2, (n) => ({ pattern: `[\\s\\S]*x[\\s\\S]{0,${700 + n}}y` })) });
    const child = spawn(process.execPath, ['-e', script, schema], {
      env: childEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await waitFor('it to begin', () => output.includes('begun'));
    child.kill('SIGSTOP');
    // Longer than a job that gets no processor is waited for.
    await sleep(6_000);
    child.kill('SIGCONT');
    await closed;
    expect(output).toBe('begun\nundefined\n');
  });

  test('a pattern with nested repeats takes no time that grows with its text', async () => {
    const { id } = await createChannel(posthorn, { schema: { properties: { a: { pattern: '^(a+)+$' } } } });
    const texts = ['a'.repeat(26), 'a'.repeat(200_000)];
    for (const text of texts) {
      expect((await publish(id, { a: text })).status).toBe(202);
      expect((await publish(id, { a: `${text}!` })).status).toBe(400);
    }
  });

  test('a payload that takes long to check is checked apart and given up, and others are answered meanwhile', async () => {
    const { id } = await createChannel(posthorn, { schema: { properties: { a: { uniqueItems: true } } } });
    // 200 million comparisons: two seconds.
    const payload = { a: Array.from({ length: 20_000 }, (_, n) => [n]) };
    const { result, healthy } = await answeredDuring(() => publish(id, payload));
    expect([result.status, result.body.error.details]).toEqual([
      400,
      { field: 'payload', reason: 'must take at most 250 ms to check against the schema of the channel' },
    ]);
    expect(healthy).toBeGreaterThan(5);
    expect((await publish(id, { a: [[1], [2]] })).status).toBe(202);
  });

  test('a channel whose payload ended a thread does not stand before others with its next one', async () => {
    const schemas = createSchemas({ log: posthorn.deps.log });
    // Nothing bounds what it costs, so that every payload goes to a thread.
    const schema = '{"properties":{"a":{"uniqueItems":true}}}';
    const settled: string[] = [];
    const check = async (key: string, a: unknown): Promise<void> => {
      const text = JSON.stringify({ a });
      await schemas.check(schema, { key, payload: { a }, text }, newBudget());
      settled.push(key);
    };
    const long = Array.from({ length: 20_000 }, (_, n) => [n]);
    await check('hostile', long);
    // Both threads are there by now, and each has met the schema.
    await Promise.all([check('hostile', [1]), check('other', [1])]);
    settled.length = 0;
    await Promise.all([check('hostile', long), check('other', [1])]);
    expect(settled).toEqual(['other', 'hostile']);
  });

  // Regression: the pool began no thread for what waited in its own queue behind a job whose thread was ended.
  test('a payload that waits behind one that ends its thread is checked all the same', async () => {
    const schemas = createSchemas({ log: posthorn.deps.log });
    const check = (key: string, a: unknown) =>
      schemas.check(
        '{"properties":{"a":{"uniqueItems":true}}}',
        { key, payload: { a }, text: JSON.stringify({ a }) },
        newBudget(),
      );
    await check('other', [1]);
    const long = Array.from({ length: 20_000 }, (_, n) => [n]);
    await Promise.all([check('hostile', long), check('other', [1]), check('third', [1])]);
  });

  test('a schema that is applied to a value in 2^10 ways is checked apart, and right', async () => {
    const { id } = await createChannel(posthorn, { schema: doubling(10) });
    expect((await publish(id, nested(10, 1))).status).toBe(202);
    expect((await publish(id, nested(10, 'x'))).body.error.details).toEqual({
      field: `payload${'.x'.repeat(10)}`,
      reason: 'must be a whole number',
    });
  });

  test('two channels whose schemas say the same, or name the same definitions, do not meet', async () => {
    const first = await createChannel(posthorn, { schema: { $ref: '#/$defs/a', $defs: { a: { required: ['x'] } } } });
    const second = await createChannel(posthorn, { schema: { $ref: '#/$defs/a', $defs: { a: { required: ['y'] } } } });
    const third = await createChannel(posthorn, { schema: { $ref: '#/$defs/a', $defs: { a: { required: ['x'] } } } });
    expect((await publish(first.id, { x: 1 })).status).toBe(202);
    expect((await publish(second.id, { x: 1 })).body.error.details?.field).toBe('payload.y');
    expect((await publish(third.id, { y: 1 })).body.error.details?.field).toBe('payload.x');
  });
});

describe('a stored schema that was never checked', () => {
  test('and does not compile is CONFLICT where it is enforced, and a warning where it is not', async () => {
    const { id } = await createChannel(posthorn);
    const keep = (mode: string) =>
      posthorn.deps.db.channel.update({
        where: { id },
        data: { schema: { $ref: '#' }, schemaMode: mode, configVersion: { increment: 1 } },
      });
    await keep('enforce');
    const refused = await publish(id, {});
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.error.message).toContain('at #/$ref: must not lead back to itself');
    await keep('warn');
    const { status, body } = await posthorn.request<{ warnings: { field: string; reason: string }[] }>(
      'POST',
      `/v1/channels/${id}/messages`,
      { eventType: 'a', payload: {} },
    );
    expect([status, body.warnings[0]?.field]).toEqual([202, 'payload']);
    expect(body.warnings[0]?.reason).toContain('could not be checked');
  });
});
