import { expect, test } from '@jest/globals';
import { inputOf } from '../src/lib/step-input.ts';

test('the input of a step leaves out where its secrets are, and keeps its digits', () => {
  const places = '"secrets":[{"field":"headers","at":"X-Key","name":"CRM"}]';
  expect(inputOf(`{"input":{"url":"https://a.test","total":12.50,${places}}}`)).toBe(
    '{"url":"https://a.test","total":12.50}',
  );
  // The author's own member of that name stays.
  expect(inputOf('{"input":{"secrets":["none"]}}')).toBe('{"secrets":["none"]}');
  expect(inputOf('{"output":1}')).toBeUndefined();
});
