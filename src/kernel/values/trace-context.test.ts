import { describe, expect, test } from '@jest/globals';
import { NO_TRACE, readTraceContext, traceHeaders, traceIdOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
// The example of the recommendation, §3.2.3.
const EXAMPLE = `00-${TRACE}-${PARENT}-01`;

const parentOf = (traceparent: string | undefined): string | null =>
  readTraceContext(traceparent, undefined).traceparent;
const stateOf = (tracestate: string | undefined): string | null => readTraceContext(EXAMPLE, tracestate).tracestate;

describe('a traceparent', () => {
  test.each([
    ['sampled', EXAMPLE, EXAMPLE],
    ['not sampled', `00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
    ['random, level 2', `00-${TRACE}-${PARENT}-02`, `00-${TRACE}-${PARENT}-02`],
    ['with flags that mean nothing yet', `00-${TRACE}-${PARENT}-ff`, `00-${TRACE}-${PARENT}-03`],
    ['of a later version', `cc-${TRACE}-${PARENT}-01`, EXAMPLE],
    ['of a later version with more fields', `cc-${TRACE}-${PARENT}-01-what-the-future`, EXAMPLE],
  ])('%s is kept', (_, given, kept) => {
    expect(parentOf(given)).toBe(kept);
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['a word', 'trace'],
    ['of version ff', `ff-${TRACE}-${PARENT}-01`],
    ['of version 00 with more fields', `${EXAMPLE}-00`],
    ['of a later version with something else behind', `cc-${TRACE}-${PARENT}-01.x`],
    ['with a trace-id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['with a parent-id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in capitals', EXAMPLE.toUpperCase()],
    ['too short', EXAMPLE.slice(0, -1)],
    ['with spaces', ` ${EXAMPLE}`],
    ['given twice', `${EXAMPLE}, ${EXAMPLE}`],
    ['with a line behind', `${EXAMPLE}\n`],
  ])('that is %s is no trace, whatever the tracestate', (_, given) => {
    expect(readTraceContext(given, 'vendor=1')).toEqual(NO_TRACE);
  });
});

describe('a tracestate', () => {
  const long = (name: string, length: number): string => `${name}=${'x'.repeat(length - name.length - 1)}`;
  test.each([
    ['one member', 'rojo=00f067aa0ba902b7', 'rojo=00f067aa0ba902b7'],
    ['members in their order, without the spaces between', 'rojo=1 ,\tcongo=t61,', 'rojo=1,congo=t61'],
    ['a tenant before an @', 'fw529a3039@dt=FfAAAQ', 'fw529a3039@dt=FfAAAQ'],
    ['all characters a value may have', 'a= !"#$%&\'()*+-./:;<>?@[\\]^_`{|}~', 'a= !"#$%&\'()*+-./:;<>?@[\\]^_`{|}~'],
    ['512 characters', `${long('a', 256)},${long('b', 255)}`, `${long('a', 256)},${long('b', 255)}`],
    ['longer: its long members go first', `${long('a', 257)},b=1,${long('c', 255)}`, 'b=1'],
    [
      'longer still: then those at its end',
      [1, 2, 3, 4, 5].map((n) => long(`k${n}`, 120)).join(','),
      [1, 2, 3, 4].map((n) => long(`k${n}`, 120)).join(','),
    ],
    ['nothing but long members', `${long('a', 257)},${long('b', 257)}`, null],
    [
      '32 members',
      Array.from({ length: 32 }, (_, n) => `k${n}=1`).join(','),
      Array.from({ length: 32 }, (_, n) => `k${n}=1`).join(','),
    ],
    ['33 members', Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(','), null],
    ['nothing', '', null],
    ['commas only', ' , ,', null],
    ['a member without a value', 'rojo', null],
    ['a name in capitals', 'Rojo=1', null],
    ['an equals sign in a value', 'rojo=a=b', null],
    ['one bad member among good ones', 'rojo=1,co ngo=2', null],
    ['a value of 257 characters', `a=${'x'.repeat(257)}`, null],
    ['what is not ASCII', 'rojo=ü', null],
  ])('with %s', (_, given, kept) => {
    expect(stateOf(given)).toBe(kept);
  });

  test('that is missing is null', () => {
    expect(stateOf(undefined)).toBeNull();
  });
});

describe('the headers of a request', () => {
  test('have the trace-id, flags and state of the trace, and a new parent-id', () => {
    const trace = readTraceContext(EXAMPLE, 'rojo=1');
    expect(traceHeaders(trace, () => 'b7ad6b7169203331')).toEqual({
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
      tracestate: 'rojo=1',
    });
    expect(traceHeaders({ ...trace, tracestate: null }, () => 'b7ad6b7169203331')).toEqual({
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    });
  });

  test('are empty without a trace', () => {
    expect(traceHeaders(NO_TRACE, () => 'b7ad6b7169203331')).toEqual({});
  });
});

test('the id of a trace is the second part of a valid traceparent', () => {
  expect(traceIdOf(EXAMPLE)).toBe(EXAMPLE.split('-')[1]);
  expect([traceIdOf('00-x'), traceIdOf(null), traceIdOf(undefined)]).toEqual([undefined, undefined, undefined]);
});

/** A regular expression looked at the blanks once for each of them: 15,000 took 335 ms. Now nothing of a long header is looked at. */
test('a tracestate longer than any valid one is dropped unread', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const state = (blanks: number): string => `a=1,${' '.repeat(blanks)}b=2`;
  expect(readTraceContext(traceparent, state(4_600)).tracestate).toBe('a=1,b=2');
  expect(readTraceContext(traceparent, state(4_602)).tracestate).toBeNull();
  expect(readTraceContext(traceparent, `a${' '.repeat(4_000)}b`).tracestate).toBeNull();
});
