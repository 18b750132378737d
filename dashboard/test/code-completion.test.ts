import { expect, test } from '@jest/globals';
import { type CodeLanguage, completionPlace } from '../src/ui/code/completion.ts';

/** The position of `|` in a text. */
const at = (language: CodeLanguage, marked: string) =>
  completionPlace(language, marked.replace('|', ''), marked.indexOf('|'));

test('names are completed only between braces, which are closed if they are open', () => {
  expect(at('template', 'Hi |')).toBeUndefined();
  expect(at('template', 'Hi {{|')).toEqual({ from: 5, word: '', before: ' ', after: ' }}' });
  expect(at('template', 'Hi {{ event.pay|load }}')).toEqual({ from: 6, word: 'event.pay', before: '', after: '' });
  expect(at('template', '{{|}}')).toEqual({ from: 2, word: '', before: ' ', after: ' ' });
  expect(at('template', '{{ a }} |')).toBeUndefined();
  expect(at('template', '{{ a| and {{ b }}')).toEqual({ from: 3, word: 'a', before: '', after: ' }}' });
  expect(at('json', '{"a": "{{ steps.x|"}')).toEqual({ from: 10, word: 'steps.x', before: '', after: ' }}' });
  expect(at('json', '{"a": "b|"}')).toBeUndefined();
  expect(at('json', '{"a": "{{ b",\n"c": "|"}')).toBeUndefined();
  expect(at('text', '{{ a|')).toBeUndefined();
});

test('names of an expression are completed anywhere except in quotes', () => {
  expect(at('cel', 'payload.to| > 1')).toEqual({ from: 0, word: 'payload.to', before: '', after: '' });
  expect(at('cel', 'a == 1 && items[0].pr|')).toEqual({ from: 10, word: 'items[0].pr', before: '', after: '' });
  expect(at('cel', 'name == "Jon|')).toBeUndefined();
  expect(at('cel', String.raw`name == "a\"b" && c|`)?.word).toBe('c');
  expect(at('cel', '|')).toEqual({ from: 0, word: '', before: '', after: '' });
});
