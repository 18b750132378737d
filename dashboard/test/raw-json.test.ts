import { expect, test } from '@jest/globals';
import { blocksOf } from '../src/lib/blocks.ts';
import { itemTexts, memberText, prettyPieces } from '../src/lib/raw-json.ts';

const PAYLOAD = '{"amount":12.50,"big":9007199254740993,"e":1E+2,"text":"a\\u00e9\\"}{,:","list":[1,[ ],{}],"no":null}';

test('the text of a member is returned exactly as it is written', () => {
  expect(memberText(`{"id":"msg_1","payload":${PAYLOAD},"metadata":{"payload":"other"}}`, 'payload')).toBe(PAYLOAD);
  expect(memberText('{"metadata":{"payload":1},"payload": 12.50 }', 'payload')).toBe('12.50');
  expect(memberText('{"a":"payload","b":["payload",{"payload":1}]}', 'payload')).toBeUndefined();
  expect(memberText('{}', 'payload')).toBeUndefined();
  expect(memberText('{"pay\\u006coad":"x"}', 'payload')).toBe('"x"');
});

test('a long text is divided into blocks of whole lines without losing a character', () => {
  expect(blocksOf('')).toEqual([]);
  expect(blocksOf('one\ntwo')).toEqual(['one\ntwo']);
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join('');
  const blocks = blocksOf(lines);
  expect(blocks.join('')).toBe(lines);
  expect(blocks.length).toBeGreaterThan(2);
  for (const block of blocks) expect([block.endsWith('\n'), block.length <= 4_096]).toEqual([true, true]);
  // One line longer than a block, with surrogate pairs from an odd position on.
  const long = `x${'😀'.repeat(9_000)}`;
  expect(blocksOf(long).join('')).toBe(long);
  for (const block of blocksOf(long)) expect(block).not.toMatch(/[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/);
});

test('JSON on lines keeps every token as it was', () => {
  const text = [...prettyPieces(PAYLOAD)].map((piece) => piece.text).join('');
  expect(text).toBe(
    [
      '{',
      '  "amount": 12.50,',
      '  "big": 9007199254740993,',
      '  "e": 1E+2,',
      '  "text": "a\\u00e9\\"}{,:",',
      '  "list": [',
      '    1,',
      '    [],',
      '    {}',
      '  ],',
      '  "no": null',
      '}',
    ].join('\n'),
  );
  expect(JSON.parse(text)).toEqual(JSON.parse(PAYLOAD));
  expect([...prettyPieces('{"a":"b"}')].filter(({ kind }) => kind !== 'sign')).toEqual([
    { text: '"a"', kind: 'key' },
    { text: '"b"', kind: 'text' },
  ]);
});

test('the items of a list are returned exactly as they are written', () => {
  expect(itemTexts('[{"a":[1.50,2]}, "x,]" ,12.50,[],null]')).toEqual([
    '{"a":[1.50,2]}',
    '"x,]"',
    '12.50',
    '[]',
    'null',
  ]);
  expect(itemTexts('[]')).toEqual([]);
});
