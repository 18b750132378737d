import { describe, expect, test } from '@jest/globals';
import { encodeBase32, hasIdForm, ID_PREFIXES, isId, isTimeGiven, lowestIdAt, timeOfId, withTime } from './ids.ts';

/** The UUIDv7 of RFC 9562 appendix A.6, made at 2022-02-22T19:22:22.000Z. */
const RFC_UUID = '017f22e279b07cc398c4dc0c0c07398f';
const RFC_TIME = new Date('2022-02-22T19:22:22.000Z');

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Crockford's base32 a second way: BigInt writes base 32 with 0–9a–v, which is then spelled in his alphabet. */
function referenceBase32(hex: string): string {
  const digits = BigInt(`0x${hex}`).toString(32).padStart(26, '0');
  return Array.from(digits, (digit) => '0123456789abcdefghjkmnpqrstvwxyz'.charAt(Number.parseInt(digit, 32))).join('');
}

describe('encodeBase32', () => {
  test.each([
    ['all zeros', '00000000000000000000000000000000', '00000000000000000000000000'],
    ['one', '00000000000000000000000000000001', '00000000000000000000000001'],
    ['thirty-two', '00000000000000000000000000000020', '00000000000000000000000010'],
    ['all ones', 'ffffffffffffffffffffffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['the UUIDv7 of RFC 9562', RFC_UUID, '01fwhe4ydgfk1shh6w1g60eecf'],
  ])('writes %s', (_, hex, text) => {
    expect(encodeBase32(bytesOf(hex))).toBe(text);
  });

  test('agrees with a second implementation and sorts like the numbers', () => {
    const numbers = Array.from({ length: 128 }, (_, bit) => (1n << BigInt(bit)).toString(16).padStart(32, '0'));
    const texts = numbers.map((hex) => encodeBase32(bytesOf(hex)));
    expect(texts).toEqual(numbers.map(referenceBase32));
    expect(texts.toSorted()).toEqual(texts);
  });
});

test('every kind has its own prefix of three lower-case letters', () => {
  const prefixes = Object.values(ID_PREFIXES);
  expect(new Set(prefixes).size).toBe(prefixes.length);
  expect(prefixes.filter((prefix) => !/^[a-z]{3}$/.test(prefix))).toEqual([]);
  expect(ID_PREFIXES.machineCredential).toBe('oac');
});

describe('isId', () => {
  const body = encodeBase32(bytesOf(RFC_UUID));

  test.each(Object.keys(ID_PREFIXES) as (keyof typeof ID_PREFIXES)[])('accepts its own id of the kind %s', (kind) => {
    expect(isId(kind, `${ID_PREFIXES[kind]}_${body}`)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['the prefix alone', 'chn_'],
    ['another kind', `msg_${body}`],
    ['no prefix', body],
    ['no underscore', `chn${body}`],
    ['one character too few', `chn_${body.slice(1)}`],
    ['one character too many', `chn_${body}0`],
    ['upper case', `chn_${body.toUpperCase()}`],
    ['the letter u', `chn_${body.slice(0, -1)}u`],
    ['the letter l', `chn_${body.slice(0, -1)}l`],
    ['more than 128 bits', `chn_8${body.slice(1)}`],
    ['a line break behind it', `chn_${body}\n`],
    ['NUL', `chn_${body.slice(0, -1)}\0`],
    ['white space before it', ` chn_${body}`],
  ])('refuses %s', (_, value) => {
    expect(isId('channel', value)).toBe(false);
  });

  test.each([
    ['a channel', `chn_${body}`, true],
    ['any other kind', `zzz_${body}`, true],
    ['a line break behind it', `chn_${body}\n`, false],
    ['NUL', `chn_${body.slice(0, -1)}\0`, false],
    ['nothing', '', false],
  ])('hasIdForm of %s', (_, value, has) => {
    expect(hasIdForm(value)).toBe(has);
  });
});

describe('time', () => {
  test.each([
    ['zero', 0, '000000000000'],
    ['one', 1, '000000000001'],
    ['the time of RFC 9562 A.6', RFC_TIME.getTime(), '017f22e279b0'],
    ['beyond 32 bits', 2 ** 32, '000100000000'],
    ['the last that fits', 2 ** 48 - 1, 'ffffffffffff'],
    ['a later one, cut to the last', 2 ** 48, 'ffffffffffff'],
    ['an earlier one than 1970, cut to zero', -1, '000000000000'],
  ])('withTime writes %s into the first six bytes and leaves the rest', (_, milliseconds, hex) => {
    const bytes = new Uint8Array(16).fill(0xaa);
    expect(withTime(bytes, milliseconds)).toBe(bytes);
    expect(Buffer.from(bytes).toString('hex')).toBe(`${hex}${'aa'.repeat(10)}`);
  });

  test.each([
    '1970-01-01T00:00:00.000Z',
    '2022-02-22T19:22:22.000Z',
    '2026-11-21T02:21:56.789Z',
    '9999-12-31T23:59:59.999Z',
  ])('timeOfId reads %s back out of lowestIdAt', (iso) => {
    const id = lowestIdAt('message', new Date(iso));
    expect(isId('message', id)).toBe(true);
    expect(timeOfId('message', id)?.toISOString()).toBe(iso);
  });

  test('lowestIdAt is at or below every id of its millisecond and above every id of the one before', () => {
    const lowest = lowestIdAt('message', RFC_TIME);
    const before = encodeBase32(withTime(new Uint8Array(16).fill(0xff), RFC_TIME.getTime() - 1));
    expect(lowest <= `msg_${encodeBase32(bytesOf(RFC_UUID))}`).toBe(true);
    expect(lowest > `msg_${before}`).toBe(true);
  });

  test('timeOfId reads the time of a UUIDv7, and nothing from any other text', () => {
    expect(timeOfId('delivery', `dlv_${encodeBase32(bytesOf(RFC_UUID))}`)).toEqual(RFC_TIME);
    expect(timeOfId('delivery', lowestIdAt('message', RFC_TIME))).toBeUndefined();
    expect(timeOfId('delivery', 'dlv_')).toBeUndefined();
  });
});

test('an id has an assigned time in version 8, but not in version 7', () => {
  const idOf = (byte: number): string => {
    const bytes = withTime(new Uint8Array(16).fill(0xff), Date.parse('2026-11-21T02:21:56.789Z'));
    bytes[6] = byte;
    return `msg_${encodeBase32(bytes)}`;
  };
  expect([0x70, 0x7f, 0x80, 0x8f].map((byte) => isTimeGiven(idOf(byte)))).toEqual([false, false, true, true]);
  expect(isTimeGiven('msg_')).toBe(false);
});
