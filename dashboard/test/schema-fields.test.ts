import { describe, expect, test } from '@jest/globals';
import { ALL, bodyOf, placed, schemaProblem, triedOf } from '../src/pages/channels/schema-fields.ts';

describe('schemas of a channel as texts', () => {
  test('are sent with the digits that were written, and an empty one removes the schema', () => {
    expect(bodyOf({ types: [['order.paid', '{"maximum": 100.50}']] })).toBe(
      '{"schemas":{"order.paid":{"maximum": 100.50}}}',
    );
    expect(bodyOf({ all: ' ', types: [['order.paid', '']], mode: 'warn' })).toBe(
      '{"schemaMode":"warn","schema":null,"schemas":null}',
    );
    expect(triedOf({ all: '', types: [], mode: 'enforce' })).toBe('"schemas":{}');
  });

  test('know which of them a refused field of the request is, and the place of the problem in it', () => {
    expect(schemaProblem({ field: 'schema', reason: 'must be an object' })).toEqual({
      type: ALL,
      reason: 'must be an object',
    });
    expect(schemaProblem({ field: 'schemas.paid', reason: 'at #/type: must be string' })).toEqual({
      type: 'paid',
      reason: 'must be string',
      pointer: '/type',
    });
    expect(schemaProblem({ field: 'schemas["order.\\"paid\\""]', reason: 'no' })?.type).toBe('order."paid"');
    expect(schemaProblem({ field: 'schemas', reason: 'too many' })).toBeUndefined();
    expect(schemaProblem({ field: 'name', reason: 'too long' })).toBeUndefined();
  });

  test('show a problem at the line of the value that its JSON Pointer names', () => {
    const text = '{\n  "properties": {\n    "a/b": { "maximum": "heavy" }\n  }\n}';
    const problem = { type: ALL, reason: 'must be number', pointer: '/properties/a~1b/maximum' };
    expect(placed(problem, text)).toEqual({
      message: 'properties.a~1b.maximum must be number',
      from: text.indexOf('"heavy"'),
      line: 3,
    });
    expect(placed({ ...problem, pointer: '/gone' }, text)).toEqual({ message: 'gone must be number' });
    expect(placed({ type: ALL, reason: 'is too large' }, text)).toEqual({ message: 'is too large' });
  });
});
