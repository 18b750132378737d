import { expect, test } from '@jest/globals';
import { parseEnvironmentFile } from './reading.ts';

const TEXT = '# a comment\nPORT=8080\nNAME="two words"\nEMPTY=\n';
const VARIABLES = { PORT: '8080', NAME: 'two words', EMPTY: '' };

test('is parsed like Node parses such a file', () => {
  expect(parseEnvironmentFile(Buffer.from(TEXT))).toEqual(VARIABLES);
  expect(parseEnvironmentFile(Buffer.from(''))).toEqual({});
});

// Old: the mark became part of the first name, and the first setting of a file saved on Windows was dropped without a word.
test('a byte order mark before the first name is not part of it', () => {
  expect(parseEnvironmentFile(Buffer.from('\uFEFFPORT=8080\r\nHOST=x\r\n'))).toEqual({ PORT: '8080', HOST: 'x' });
});

test.each([
  ['UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('PORT=8080\n', 'utf16le')])],
  ['UTF-16 without one', Buffer.from('PORT=8080\n', 'utf16le')],
  ['broken UTF-8', Buffer.from([0x50, 0x3d, 0xc3, 0x28])],
])('%s is not read', (_, bytes) => {
  expect(parseEnvironmentFile(bytes)).toBeUndefined();
});
