import { describe, expect, test } from '@jest/globals';
import { BodyMisfit, topOf } from './misfit.ts';

describe('a body that its schema refuses', () => {
  test('shows the fields of it that have no fault', () => {
    const body = { name: 1, steps: [{}], trigger: { type: 'event' } };
    const misfit = new BodyMisfit(body, [
      { field: 'name', reason: 'must be a string' },
      { field: 'steps[0].id', reason: 'is required' },
    ]);
    expect(misfit.rest()).toEqual({ trigger: { type: 'event' } });
  });

  test.each([null, ['a list'], 'text', 7])('has no fields where it is %j', (body) => {
    expect(new BodyMisfit(body, [{ field: 'body', reason: 'must be an object' }]).rest()).toEqual({});
  });

  test.each([
    ['steps[0].config.url', 'steps'],
    ['trigger.config', 'trigger'],
    ['name', 'name'],
  ])('a problem in %s is one of the field %s', (field, top) => {
    expect(topOf({ field, reason: 'is required' })).toBe(top);
  });
});
