import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { createChannelBody, listChannelsQuery, updateChannelBody } from './schema.ts';

/** The path of the first problem, from which the field of the error is derived; undefined if there is none. */
function problemPath(schema: z.ZodType, input: unknown): string | undefined {
  const result = schema.safeParse(input);
  return result.success ? undefined : result.error.issues[0]?.path.join('.');
}

/** A schema whose JSON has exactly the given number of bytes. */
const schemaOfBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

describe('the body of a new channel', () => {
  test('needs only a name; retention defaults to that of the app', () => {
    expect(createChannelBody.parse({ name: 'orders' })).toEqual({
      name: 'orders',
      status: 'active',
    });
  });

  test.each([
    { name: 'x' },
    { name: 'x'.repeat(200) },
    { name: 'x', description: '' },
    { name: 'x', description: 'y'.repeat(1_000) },
    { name: 'x', retentionDays: 1 },
    { name: 'x', retentionDays: 365 },
    { name: 'x', schema: {} },
    { name: 'posthorn.system 2' },
    { name: 'x', status: 'archived' },
    { name: 'x', schema: { properties: { amount: { maximum: 1e308 } } } },
    { name: 'x', schema: schemaOfBytes(32 * 1024) },
    { name: 'x', schemas: {} },
    { name: 'x', schemas: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`type${n}`, {}])) },
    { name: 'x', schemas: { ['x'.repeat(128)]: {}, 'order.*': {}, ' ': {} }, schemaMode: 'warn' },
  ])('takes a value at its bound (%#)', (body) => {
    expect(problemPath(createChannelBody, body)).toBeUndefined();
  });

  test.each([
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 7 }],
    ['name', { name: null }],
    ['name', { name: 'a\u0007b' }],
    ['name', { name: 'posthorn.system' }],
    ['name', { name: 'Posthorn.System' }],
    ['name', { name: '\u00a0posthorn.system  ' }],
    ['description', { name: 'x', description: 'a\tb' }],
    ['status', { name: 'x', status: 'deleted' }],
    ['id', { name: 'x', id: 'chn_1' }],
    ['createdAt', { name: 'x', createdAt: '2026-01-31T12:00:00Z' }],
    ['updatedAt', { name: 'x', updatedAt: '2026-01-31T12:00:00Z' }],
    ['description', { name: 'x', description: 'y'.repeat(1_001) }],
    ['retentionDays', { name: 'x', retentionDays: 0 }],
    ['retentionDays', { name: 'x', retentionDays: 366 }],
    ['retentionDays', { name: 'x', retentionDays: 1.5 }],
    ['retentionDays', { name: 'x', retentionDays: '30' }],
    ['schema', { name: 'x', schema: [] }],
    ['schema', { name: 'x', schema: 'object' }],
    ['schema', { name: 'x', schema: schemaOfBytes(32 * 1024 + 1) }],
    ['schema', { name: 'x', schema: { $ref: '#' } }],
    ['schemas', { name: 'x', schemas: [] }],
    ['schemas', { name: 'x', schemas: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`type${n}`, {}])) }],
    ['schemas.', { name: 'x', schemas: { '': {} } }],
    ['schemas.a\nb', { name: 'x', schemas: { 'a\nb': {} } }],
    [`schemas.${'x'.repeat(129)}`, { name: 'x', schemas: { ['x'.repeat(129)]: {} } }],
    ['schemas.paid', { name: 'x', schemas: { paid: true } }],
    ['schemas.paid', { name: 'x', schemas: { paid: { $ref: '#' } } }],
    ['schemaMode', { name: 'x', schemaMode: 'off' }],
    ['', []],
    ['', 'orders'],
    ['', undefined],
  ])('is refused at %j (%#)', (path, body) => {
    expect(problemPath(createChannelBody, body)).toBe(path);
  });
});

describe('the patch of a channel', () => {
  test('distinguishes null from absent', () => {
    const patch = updateChannelBody.parse({ description: null, schema: null, schemas: null });
    expect(patch).toStrictEqual({ description: null, schema: null, schemas: null });
    expect(updateChannelBody.parse({ name: 'orders' })).toStrictEqual({ name: 'orders' });
  });

  test.each(['active', 'paused', 'archived'])('accepts the status %s', (status) => {
    expect(updateChannelBody.parse({ status })).toEqual({ status });
  });

  test.each([
    ['', {}],
    ['', { color: 'red' }],
    ['createdAt', { id: 'chn_1', createdAt: 'x' }],
    ['name', { name: null }],
    ['name', { name: '' }],
    ['status', { status: 'deleted' }],
    ['status', { status: null }],
    ['retentionDays', { retentionDays: null }],
    ['schema', { schema: [] }],
  ])('is refused at %j (%#)', (path, body) => {
    expect(problemPath(updateChannelBody, body)).toBe(path);
  });
});

describe('the query of the list of channels', () => {
  test('returns 20 of any status by default', () => {
    expect(listChannelsQuery.parse({})).toEqual({ limit: 20 });
  });

  test('accepts a status', () => {
    expect(listChannelsQuery.parse({ status: 'paused', limit: '100' })).toEqual({ limit: 100, status: 'paused' });
  });

  test.each([
    ['status', { status: 'disabled' }],
    ['status', { status: '' }],
    ['limit', { limit: '0' }],
    ['limit', { limit: '101' }],
    ['limit', { limit: '0x10' }],
    ['limit', { limit: ' 20 ' }],
  ])('is refused at %s (%#)', (path, query) => {
    expect(problemPath(listChannelsQuery, query)).toBe(path);
  });
});
