import { expect, test } from '@jest/globals';
import { createLinesFile, createTableFile, readRows, type RowsFile } from '../src/lib/list-file.ts';
import { csvLine } from '../../src/kernel/values/text.ts';

const written = (file: RowsFile, ...rows: string[]): string => {
  for (const row of rows) file.add(row);
  return file.parts().join('');
};

test('a line of JSON keeps the digits and escapes of its row, and every row is a single line', () => {
  const row = '{"id":"a","n":12.50,"big":9007199254740993,"text":"caf\\u00e9\\n","payload":{\r\n "x": 1\n}}';
  expect(written(createLinesFile(), row, '{"id":"b"}')).toBe(
    '{"id":"a","n":12.50,"big":9007199254740993,"text":"caf\\u00e9\\n","payload":{   "x": 1 }}\n{"id":"b"}\n',
  );
});

test('a table has numbers digit for digit, objects and lists as JSON, and an empty cell for null and for absent members', () => {
  const rows = ['{"n":12.50,"big":9007199254740993,"is":true,"no":null,"list":[1, 2],"of":{"a":"b"}}', '{"n":-1E+2}'];
  expect(written(createTableFile(), ...rows)).toBe(
    'n,big,is,no,list,of\r\n12.50,9007199254740993,true,,"[1, 2]","{""a"":""b""}"\r\n-1E+2,,,,,\r\n',
  );
});

test('a member that only some rows have is a column after the one before it', () => {
  const rows = [
    '{"id":1,"name":2,"made":3}',
    '{"id":1,"name":2,"paused":4,"by":5,"made":3}',
    '{"first":0,"id":1,"made":3,"last":9}',
  ];
  expect(written(createTableFile(), ...rows)).toBe(
    'first,id,name,paused,by,made,last\r\n,1,2,,,3,\r\n,1,2,4,5,3,\r\n0,1,,,,3,9\r\n',
  );
});

test('texts are cells as the service writes them, and none is a formula', () => {
  const texts = [
    'plain',
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\tx',
    '\rx',
    '＝1',
    'a "word"',
    'a,b',
    'a\nb',
    ' =1',
    '',
    '–',
    "'=1",
  ];
  expect(written(createTableFile(), ...texts.map((text) => JSON.stringify({ text })))).toBe(
    ['text', ...texts].map((text) => `${csvLine([text])}\r\n`).join(''),
  );
});

/** A list with that many rows, paged as the service does it. */
const listOf = (count: number) => {
  const asked: [limit: number, cursor: string | undefined][] = [];
  const read = ({ limit, cursor }: { limit: number; cursor: string | undefined }) => {
    asked.push([limit, cursor]);
    const from = Number(cursor ?? 0);
    const to = Math.min(count, from + limit);
    const data = Array.from({ length: to - from }, (_, at) => `{"n":${from + at}.0}`);
    return Promise.resolve({ text: `{"data":[${data.join(',')}]}`, cursor: to < count ? String(to) : undefined });
  };
  return { asked, read };
};

test('all pages of a list are read in order, and progress is reported after each one except the last', async () => {
  const { asked, read } = listOf(250);
  const file = createLinesFile();
  const told: number[] = [];
  expect(await readRows(read, file, { most: 1_000, told: (count) => told.push(count) })).toEqual({ isCut: false });
  expect(file.parts()).toEqual(Array.from({ length: 250 }, (_, n) => `{"n":${n}.0}\n`));
  expect(asked).toEqual([
    [100, undefined],
    [100, '100'],
    [100, '200'],
  ]);
  expect(told).toEqual([100, 200]);
});

test.each([
  [149, false],
  [150, false],
  [151, true],
])('a file of a list with %i rows has at most 150, and says whether the list has more: %s', async (count, isCut) => {
  const { read } = listOf(count);
  const file = createLinesFile();
  expect(await readRows(read, file, { most: 150, told: () => undefined })).toEqual({ isCut });
  expect(file.parts()).toHaveLength(Math.min(count, 150));
});

test('a page without rows does not end a list that has more pages', async () => {
  const pages = [
    { text: '{"data":[]}', cursor: 'next' },
    { text: '{"data":[{"n":1}]}', cursor: undefined },
  ];
  const file = createLinesFile();
  const read = () => Promise.resolve(pages.shift() ?? { text: '', cursor: undefined });
  await readRows(read, file, { most: 10, told: () => undefined });
  expect(file.parts()).toEqual(['{"n":1}\n']);
});

test('a page that cannot be read ends the file with its error', async () => {
  const { read } = listOf(300);
  const error = new Error('away');
  const failing: typeof read = (page) => (page.cursor === '100' ? Promise.reject(error) : read(page));
  const reading = readRows(failing, createTableFile(), { most: 1_000, told: () => undefined });
  await expect(reading).rejects.toBe(error);
});
