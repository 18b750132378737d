import { expect, test } from '@jest/globals';
import { CIRCUIT_OPEN_MS, CIRCUIT_OPENS_AT, type Circuit, toCircuit } from './circuit.ts';

const openedAt = new Date('2026-01-01T00:00:00Z');
const after = (milliseconds: number): Date => new Date(openedAt.getTime() + milliseconds);
const probeAt = after(30_000);

test('a circuit opens for 30 s, at 20 tries and 90 % failed', () => {
  expect({ CIRCUIT_OPEN_MS, ...CIRCUIT_OPENS_AT }).toEqual({
    CIRCUIT_OPEN_MS: 30_000,
    windowMs: 300_000,
    attempts: 20,
    failedPart: 0.9,
  });
});

test.each<[string, Parameters<typeof toCircuit>[0], Date, Circuit]>([
  ['no times', { openedAt: null, probeAt: null }, openedAt, { state: 'closed' }],
  ['just opened', { openedAt, probeAt }, openedAt, { state: 'open', openedAt, nextProbeAt: probeAt }],
  ['1 ms before the probe', { openedAt, probeAt }, after(29_999), { state: 'open', openedAt, nextProbeAt: probeAt }],
  ['the time of the probe', { openedAt, probeAt }, probeAt, { state: 'half_open', openedAt, nextProbeAt: probeAt }],
  [
    'a probe under way, the next one is allowed later',
    { openedAt, probeAt: after(55_000) },
    after(31_000),
    { state: 'half_open', openedAt, nextProbeAt: after(55_000) },
  ],
  ['no time for a probe', { openedAt, probeAt: null }, openedAt, { state: 'open', openedAt }],
])('%s', (_, stored, now, circuit) => {
  expect(toCircuit(stored, now)).toEqual(circuit);
});
