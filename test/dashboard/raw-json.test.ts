import { expect, test } from '@jest/globals';
import { itemTexts, memberText, prettyPieces } from '../../dashboard/src/lib/raw-json.ts';

const PAYLOAD = '{"amount":12.50,"big":9007199254740993,"e":1E+2,"text":"a\\u00e9\\"}{,:","list":[1,[ ],{}],"no":null}';

test('the text of a member is taken as it stands', () => {
  expect(memberText(`{"id":"msg_1","payload":${PAYLOAD},"metadata":{"payload":"other"}}`, 'payload')).toBe(PAYLOAD);
  expect(memberText('{"metadata":{"payload":1},"payload": 12.50 }', 'payload')).toBe('12.50');
  expect(memberText('{"a":"payload","b":["payload",{"payload":1}]}', 'payload')).toBeUndefined();
  expect(memberText('{}', 'payload')).toBeUndefined();
  expect(memberText('{"pay\\u006coad":"x"}', 'payload')).toBe('"x"');
});

test('JSON on lines has every token as it came', () => {
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

test('the items of a list are taken as they stand', () => {
  expect(itemTexts('[{"a":[1.50,2]}, "x,]" ,12.50,[],null]')).toEqual([
    '{"a":[1.50,2]}',
    '"x,]"',
    '12.50',
    '[]',
    'null',
  ]);
  expect(itemTexts('[]')).toEqual([]);
});
