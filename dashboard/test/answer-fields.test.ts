import { expect, test } from '@jest/globals';
import { answerFieldsOf, answerPath, answerProblem, answersText } from '../src/lib/answer-fields.ts';

const SCHEMA = `{"type": "object", "required": ["amount", "who"], "properties": {
  "amount": {"type": "number", "title": "Amount", "description": "In euros", "default": 12.50},
  "count": {"type": "integer"}, "who": {"type": "string", "default": "Zo\\u00eb"}, "agreed": {"type": "boolean"},
  "rate": {"enum": [0.10, "none"]}, "places": {"type": "array"}, "either": {"type": "string", "anyOf": [{}]}}}`;

const fields = answerFieldsOf(SCHEMA) ?? [];
const field = (name: string) => {
  const found = fields.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
};

test('a flat schema has one field per property, of its kind and with its default', () => {
  expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'amount number',
    'count whole',
    'who text',
    'agreed choice',
    'rate choice',
    'places json',
    'either json',
  ]);
  expect(field('amount')).toMatchObject({ label: 'Amount', hint: 'In euros', isRequired: true, initial: '12.50' });
  expect(field('count')).toMatchObject({ label: 'count', hint: undefined, isRequired: false, initial: '' });
  expect(field('who').initial).toBe('Zoë');
  expect(field('rate').choices).toEqual([
    ['0.10', '0.10'],
    ['"none"', 'none'],
  ]);
  expect(field('agreed').choices).toEqual([
    ['true', 'true'],
    ['false', 'false'],
  ]);
});

test.each(['{}', 'true', '{"type": "array"}', '{"properties": {}}', '{"oneOf": [], "properties": {"a": {}}}'])(
  'only JSON answers %s',
  (schema) => expect(answerFieldsOf(schema)).toBeUndefined(),
);

test('responses keep the digits of their numbers, and empty fields are left out', () => {
  const values = { amount: ' 1.50 ', who: 'A "B"', rate: '0.10', agreed: '', places: '[1.0]' };
  expect(answersText(fields, values)).toBe('{"amount":1.50,"who":"A \\"B\\"","rate":0.10,"places":[1.0]}');
  expect(answersText(fields, {})).toBe('{"amount":12.50,"who":"Zoë"}');
  expect(answersText(fields, { amount: '', who: '' })).toBe('{}');
});

test.each([
  ['amount', '', 'missing'],
  ['amount', '1,5', 'number'],
  ['amount', '-1.5e3', undefined],
  ['count', '1.5', 'whole'],
  ['count', '', undefined],
  ['places', '[1', 'json'],
  ['places', '[1]', undefined],
  ['who', 'x', undefined],
])('the value of %s, %j, has the problem %s', (name, value, problem) => {
  expect(answerProblem(field(name), value)).toBe(problem);
});

test('a validation error is mapped to the field of the response by its path', () => {
  expect([answerPath('amount'), answerPath('two words')]).toEqual(['data.amount', 'data["two words"]']);
});
