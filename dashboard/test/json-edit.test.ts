import { describe, expect, test } from '@jest/globals';
import { jsonTree, nearestNode, pathOf, type Path, valueText, withSwapped, withValue } from '../src/lib/json-edit.ts';

const TEXT = `{
  "name": "Large orders",
  "steps": [
    { "id": "a", "type": "action", "config": { "url": "https://a.example", "body": {"x": 12.50, "new": [1E+2]} } },
    {
      "id": "b",
      "type": "delay",
      "config": { "for": "5m" }
    }
  ],
  "later": {"kept": 9007199254740993}
}`;

describe('one value of a text is changed, and nothing else:', () => {
  test.each<[string, Path, string | undefined, string, string]>([
    ['a string', ['name'], '"Orders"', '"Large orders"', '"Orders"'],
    [
      'a member added to a single line',
      ['steps', 0, 'config', 'method'],
      '"PUT"',
      '"new": [1E+2]} }',
      '"new": [1E+2]}, "method": "PUT" }',
    ],
    [
      'a member added to several lines',
      ['steps', 1, 'next'],
      '"c"',
      '{ "for": "5m" }\n',
      '{ "for": "5m" },\n      "next": "c"\n',
    ],
    ['a first member', ['steps', 0, 'config', 'url'], undefined, '"url": "https://a.example", ', ''],
    ['a last member', ['steps', 0, 'config', 'body'], undefined, ', "body": {"x": 12.50, "new": [1E+2]}', ''],
    ['the only member', ['steps', 1, 'config', 'for'], undefined, '{ "for": "5m" }', '{}'],
    [
      'a member whose parents are missing',
      ['steps', 1, 'config', 'retryPolicy', 'maxRetries'],
      '0',
      '"for": "5m" }',
      '"for": "5m", "retryPolicy": { "maxRetries": 0 } }',
    ],
    ['a value of another type on the path', ['name', 'x'], '1', '"Large orders"', '{ "x": 1 }'],
    ['nothing, if there is nothing to remove', ['steps', 7, 'id'], undefined, '', ''],
  ])('%s', (_, path, value, before, after) => {
    expect(TEXT).toContain(before);
    const changed = withValue(TEXT, path, value);
    expect(changed).toBe(TEXT.replace(before, () => after));
    expect(() => JSON.parse(changed) as unknown).not.toThrow();
  });
});

test('a value of several lines is indented, and a new item goes to the end of its list', () => {
  expect(withValue('{\n  "steps": []\n}', ['steps', 0], '{\n  "id": "a"\n}')).toBe(
    '{\n  "steps": [\n    {\n      "id": "a"\n    }\n  ]\n}',
  );
  expect(withValue('{\n  "steps": [\n    {"id": "a"}\n  ]\n}', ['steps', 1], '{"id": "b"}')).toBe(
    '{\n  "steps": [\n    {"id": "a"},\n    {"id": "b"}\n  ]\n}',
  );
  expect(withValue('{}', ['steps', 0], '{"id":"a"}')).toBe('{\n  "steps": [{"id":"a"}]\n}');
});

test('swapped steps keep their texts, and a text that is not JSON stays as it is', () => {
  const swapped = withSwapped(TEXT, ['steps'], 1, 0);
  expect(JSON.parse(swapped)).toMatchObject({ steps: [{ id: 'b' }, { id: 'a' }], later: {} });
  expect(swapped).toContain('12.50');
  expect(withSwapped(swapped, ['steps'], 0, 1)).toBe(TEXT);
  expect(withSwapped(TEXT, ['steps'], 1, 2)).toBe(TEXT);
  expect(withValue('{"a":', ['a'], '1')).toBe('{"a":');
});

test('a field named by the service is found in the text, or else its nearest ancestor', () => {
  const tree = jsonTree(TEXT);
  if (tree === undefined) throw new Error('the text is JSON');
  expect(pathOf('steps[0].config["two words"]')).toEqual(['steps', 0, 'config', 'two words']);
  expect(valueText(TEXT, tree, pathOf('steps[0].config.body.x'))).toBe('12.50');
  const { start, end } = nearestNode(tree, pathOf('steps[1].config.until'));
  expect(TEXT.slice(start, end)).toBe('{ "for": "5m" }');
  // The last of several members with one name counts, as with JSON.parse.
  const twice = '{"a": 1, "a": 2}';
  expect(valueText(twice, jsonTree(twice), ['a'])).toBe('2');
  expect(jsonTree('{"a"}')).toBeUndefined();
});
