import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Refusal, schemaCalls } from '../support/make/schema-calls.ts';

// Written for this test after schemas that people have: catalogues, generators, the documents of other services.
const FOLDER = new URL('../support/make/real-schemas/', import.meta.url);
const fixture = z.strictObject({
  after: z.string().min(1),
  schema: z.record(z.string(), z.unknown()),
  fits: z.array(z.unknown()).min(1),
  misfits: z.array(z.strictObject({ payload: z.unknown(), field: z.string() })).min(1),
});
const fixtures = readdirSync(FOLDER).map((file): [string, z.output<typeof fixture>] => [
  file.replace('.json', ''),
  fixture.parse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))),
]);

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
const { channel, publish } = schemaCalls(() => posthorn);

test('there are twenty of them, of each draft some', () => {
  expect(fixtures.length).toBeGreaterThanOrEqual(20);
  const drafts = fixtures.map(([, { schema }]) => /draft[-/][\d-]+/.exec(String(schema['$schema']))?.[0]);
  expect(new Set(drafts)).toEqual(new Set(['draft-07', 'draft/2019-09', 'draft/2020-12', undefined]));
});

// Old: draft 07, `$id`, `default` and `#/definitions/…` were refused, and so were nearly all schemas of public catalogues.
describe.each(fixtures)('the schema %s', (_, { schema, fits, misfits }) => {
  test('is saved, shown as it was written, and checks payloads', async () => {
    const id = await channel({ schema });
    expect((await posthorn.request<{ schema: unknown }>('GET', `/v1/channels/${id}`)).body.schema).toEqual(schema);
    for (const payload of fits) expect((await publish(id, payload)).status).toBe(202);
    for (const { payload, field } of misfits) {
      const { status, body } = await publish<Refusal>(id, payload);
      expect([status, body.error.details?.field]).toEqual([400, field]);
    }
  });
});

describe('in draft 07', () => {
  const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#' };

  test('words beside a reference mean nothing; in later drafts they hold', async () => {
    const rest = {
      properties: { a: { $ref: '#/definitions/text', maxLength: 1 } },
      definitions: { text: { type: 'string' } },
    };
    expect((await publish(await channel({ schema: { ...draft07, ...rest } }), { a: 'xy' })).status).toBe(202);
    expect((await publish(await channel({ schema: rest }), { a: 'xy' })).status).toBe(400);
  });

  test('words that are not of this draft mean nothing', async () => {
    const id = await channel({ schema: { ...draft07, dependentRequired: { a: ['b'] }, unevaluatedProperties: false } });
    expect((await publish(id, { a: 1 })).status).toBe(202);
  });
});

test('a list of items without $schema is refused as a schema of 2020-12, where it would check nothing', async () => {
  const { status, body } = await posthorn.request<Refusal>('POST', '/v1/channels', {
    name: 'tuples',
    schema: { properties: { a: { items: [{ type: 'string' }] } } },
  });
  expect([status, body.error.details?.field]).toEqual([400, 'schema']);
  expect(body.error.details?.reason).toContain('at #/properties/a/items');
});

test('two channels whose schemas have one $id do not meet', async () => {
  const $id = 'https://example.com/one';
  const first = await channel({ schema: { $id, required: ['x'] } });
  const second = await channel({ schema: { $id, required: ['y'] } });
  expect((await publish(first, { x: 1 })).status).toBe(202);
  expect((await publish<Refusal>(second, { x: 1 })).body.error.details?.field).toBe('payload.y');
});

describe('members that a condition leaves unevaluated', () => {
  const a = { properties: { a: true } };
  const b = { properties: { b: true } };
  const condition = JSON.parse('{ "if": { "required": ["x"] }, "then": { "properties": { "b": true, "x": true } } }');
  const dependent = { dependentSchemas: { b, x: { properties: { b: true, x: true } } } };
  // Old: Ajv refused every member beside a condition that did not hold.
  test.each([
    ['beside a condition', { ...a, ...condition }],
    ['beside a condition, behind allOf', { allOf: [a], ...condition }],
    ['inside allOf', { allOf: [{ ...a, ...condition }] }],
    ['behind a reference', { $ref: '#/$defs/a', $defs: { a: { ...a, ...condition } } }],
    ['beside schemas that depend on members', { ...a, ...dependent }],
    ['beside both', { ...a, ...condition, ...dependent }],
  ])('is refused, and nothing else is: %s', async (_, schema) => {
    const id = await channel({ schema: { ...schema, unevaluatedProperties: false } });
    expect((await publish(id, { a: 1 })).status).toBe(202);
    expect((await publish(id, { a: 1, b: 1, x: 1 })).status).toBe(202);
    const { status, body } = await publish<Refusal>(id, { a: 1, z: 1 });
    expect([status, body.error.details]).toEqual([400, { field: 'payload.z', reason: 'is not allowed by the schema' }]);
  });
});
