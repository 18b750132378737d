import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createEventParser } from '../src/streams/event-parser.ts';

const parse = (...texts: string[]) => {
  const take = createEventParser();
  return texts.flatMap(take).map(({ id, data, retryMs }) => [id, data, retryMs]);
};

test.each([
  ['an event of the service', 'id: 1\nevent: message\ndata: {"a":1}\n\n', [['1', '{"a":1}', undefined]]],
  ['an id without data', 'retry: 1000\nid: 1\n\n', [['1', undefined, 1_000]]],
  ['a heartbeat', ': heartbeat\nid: 2\n\n', [['2', undefined, undefined]]],
  ['data of several lines', 'data: a\ndata:b\ndata\n\n', [[undefined, 'a\nb\n', undefined]]],
  ['an event that is not whole', 'id: 1\ndata: a\n', []],
  ['unknown fields and comments', 'x: y\n:\n\n', []],
  ['an id with NUL, and a delay that is no number', 'id: a\0\nretry: 1s\ndata: a\n\n', [[undefined, 'a', undefined]]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [[undefined, 'a', undefined]]],
])('%s is read', (_, text, events) => {
  expect(parse(text)).toEqual(events);
});

test.each(['\n', '\r', '\r\n'])('lines that end in %j are the same wherever a text is cut', (end) => {
  const text = ['id: 1', 'data: a', 'data: b', '', 'data: c', '', 'data: not whole'].join(end);
  const whole = [
    ['1', 'a\nb', undefined],
    [undefined, 'c', undefined],
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
      expect(parse(...parts)).toEqual(whole);
    }),
  );
});
