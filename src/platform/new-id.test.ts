import { describe, expect, test } from '@jest/globals';
import { createNewId } from './new-id.ts';
import { ID_PREFIXES, type IdKind, isId, isTimeGiven, timeOfId } from '../kernel/values/ids.ts';

const NOW = Date.parse('2026-11-21T02:21:56.789Z');

/** The 128 bits of an id of ours, as a number. */
function bitsOf(id: string): bigint {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  return Array.from(id.slice(4)).reduce((bits, character) => bits * 32n + BigInt(alphabet.indexOf(character)), 0n);
}

const versionOf = (id: string): bigint => (bitsOf(id) >> 76n) & 0xfn;
const variantOf = (id: string): bigint => (bitsOf(id) >> 62n) & 0x3n;
const counterOf = (id: string): bigint => (bitsOf(id) >> 64n) & 0xfffn;

describe('a maker of ids', () => {
  test.each(Object.keys(ID_PREFIXES) as IdKind[])(
    'makes a %s with its prefix, the time and the marks of a UUIDv7',
    (kind) => {
      const id = createNewId(() => NOW)(kind);
      expect(isId(kind, id)).toBe(true);
      expect(timeOfId(kind, id)).toEqual(new Date(NOW));
      expect([versionOf(id), variantOf(id), counterOf(id)]).toEqual([7n, 2n, 0n]);
    },
  );

  test('makes ids that sort in the order they were made, through 10,000 of one millisecond', () => {
    const newId = createNewId(() => NOW);
    const ids = Array.from({ length: 10_000 }, () => newId('message'));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('counts 4,096 ids in one millisecond and then borrows from the next', () => {
    const newId = createNewId(() => NOW);
    const ids = Array.from({ length: 4_097 }, () => newId('message'));
    const [last, borrowed] = ids.slice(-2) as [string, string];
    expect([counterOf(last), timeOfId('message', last)?.getTime()]).toEqual([0xfffn, NOW]);
    expect([counterOf(borrowed), timeOfId('message', borrowed)?.getTime()]).toEqual([0n, NOW + 1]);
  });

  test('goes on from its own time when the clock steps back, and starts the counter again when it moves on', () => {
    const times = [NOW, NOW - 60_000, NOW, NOW + 5, NOW + 5];
    const newId = createNewId(() => times.shift() ?? 0);
    const ids = Array.from({ length: 5 }, () => newId('delivery'));
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.map((id) => timeOfId('delivery', id)?.getTime())).toEqual([NOW, NOW, NOW, NOW + 5, NOW + 5]);
    expect(ids.map(counterOf)).toEqual([0n, 1n, 2n, 0n, 1n]);
  });

  test('goes on without going back when the clock catches up with borrowed milliseconds', () => {
    let now = NOW;
    const newId = createNewId(() => now);
    const first = Array.from({ length: 4_100 }, () => newId('message'));
    now = NOW + 1;
    const second = Array.from({ length: 10 }, () => newId('message'));
    expect([...first, ...second].toSorted()).toEqual([...first, ...second]);
  });

  test('gives an id the time it is told, marked as a UUIDv8, and keeps the order of 10,000 with one time among others', () => {
    const newId = createNewId(() => NOW);
    const at = new Date(NOW + 3_600_000);
    const ids = Array.from({ length: 10_000 }, (_, n) => {
      if (n % 100 === 0) newId('message', new Date(NOW + n));
      return newId('message', at);
    });
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [ids[0] ?? '', ids.at(-1) ?? '']) {
      expect([isId('message', id), isTimeGiven(id), versionOf(id), variantOf(id)]).toEqual([true, true, 8n, 2n]);
      expect(timeOfId('message', id)).toEqual(at);
    }
  });

  test('goes on with its own time behind an id that was given another', () => {
    const newId = createNewId(() => NOW);
    const before = newId('message');
    newId('message', new Date(NOW + 1));
    newId('message', new Date(NOW + 2));
    const after = newId('message');
    expect([isTimeGiven(after), timeOfId('message', after), counterOf(after)]).toEqual([false, new Date(NOW), 1n]);
    expect(before < after).toBe(true);
  });

  test('two makers at the same moment make different ids', () => {
    expect(createNewId(() => NOW)('run')).not.toBe(createNewId(() => NOW)('run'));
  });

  test('a counter that runs out in the very millisecond the clock moves on takes the time of the clock', () => {
    let now = NOW;
    const newId = createNewId(() => now);
    for (let made = 0; made < 4_096; made += 1) newId('message');
    now = NOW + 1;
    const id = newId('message');
    expect([counterOf(id), timeOfId('message', id)?.getTime()]).toEqual([0n, NOW + 1]);
  });
});
