import { expect, test, describe } from '@jest/globals';
import {
  CIRCUIT_OPEN_MS,
  CIRCUIT_OPENS_AT,
  type Circuit,
  toCircuit,
  type HeldByCircuit,
  LAST_CHANCES,
  type NotClosed,
  nextRetryOfHeld,
  circuitStandingOf,
} from './circuit.ts';
import fc from 'fast-check';
import { RECORDING_MS } from '../contract/delivery-workflow.ts';
import { policyEndsAt, RETRY_BOUNDS } from '../contract/retry-policy.ts';

const openedAt = new Date('2026-01-01T00:00:00Z');
const after = (milliseconds: number): Date => new Date(openedAt.getTime() + milliseconds);
const probeAt = after(30_000);

test('a circuit opens for 30 s after 20 attempts of which 90 % failed', () => {
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

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms);

test('allows five final attempts at a time including the probe, and ten a second', () => {
  expect(LAST_CHANCES).toEqual({ atATime: 5, perSecond: 10 });
});

describe('a held delivery', () => {
  const held: HeldByCircuit = { policyEndsAt: at(60_000), dueAt: at(0), policyAttempts: 0 };
  const tried: HeldByCircuit = { ...held, policyAttempts: 1 };
  test.each<[string, HeldByCircuit, number | null, string]>([
    ['waits while no probe has failed', held, null, 'waits'],
    ['waits when the last probe failed before its policy ended', held, 59_999, 'waits'],
    ['has its last chance behind a probe that failed at that end', held, 60_000, 'lastChance'],
    ['that has been tried waits all the same', tried, 59_999, 'waits'],
    ['that has been tried is given up then', tried, 60_000, 'givenUp'],
    ['waits for its own time, should that be later', { ...tried, dueAt: at(70_000) }, 65_000, 'waits'],
    ['is given up behind a probe at its own time', { ...tried, dueAt: at(70_000) }, 70_000, 'givenUp'],
  ])('%s', (_, delivery, failedAt, standing) => {
    expect(circuitStandingOf(delivery, { probeFailedAt: failedAt === null ? null : at(failedAt) })).toBe(standing);
  });

  const circuit: NotClosed = { openedAt: at(1_000), probeAt: at(31_000), probeFailedAt: null };
  test.each<[string, HeldByCircuit, Partial<NotClosed>, number]>([
    ['shows the probe', held, {}, 31_000],
    ['shows its own time when that is later', { ...tried, dueAt: at(40_000) }, {}, 40_000],
    ['shows the probe under way, not the lease that it was given', held, { probeAt: at(56_000) }, 31_000],
    ['shows the next probe while its policy lasts', held, { probeFailedAt: at(1_000) }, 31_000],
    [
      'shows the probe that failed once it is over',
      { ...held, policyEndsAt: at(500) },
      { probeFailedAt: at(1_000) },
      1_000,
    ],
  ])('%s', (_, delivery, stored, shown) => {
    expect(nextRetryOfHeld(delivery, { ...circuit, ...stored })).toEqual(at(shown));
  });
});

const policies = fc
  .record({
    maxRetries: fc.integer({ min: RETRY_BOUNDS.maxRetries.min, max: 8 }),
    initialDelay: fc.integer({ min: RETRY_BOUNDS.initialDelay.min, max: 60_000 }),
    more: fc.integer({ min: 0, max: 300_000 }),
    backoffMultiplier: fc.integer(RETRY_BOUNDS.backoffMultiplier),
  })
  .map(({ more, ...policy }) => ({ ...policy, maxDelay: policy.initialDelay + more }));

/** A probe is taken some time after it may be, and fails some time later: within its timeout, or it is lost to a crash. */
const probes = fc.array(fc.record({ takenAfter: fc.nat(20_000), failsAfter: fc.nat(30_000), isLost: fc.boolean() }), {
  minLength: 1,
  maxLength: 40,
});

type Stage = { from: number; circuit: NotClosed };

/** Stored times of a circuit that opens at 0 and never closes, stage by stage. */
function courseOf(
  made: readonly { takenAfter: number; failsAfter: number; isLost: boolean }[],
  timeoutMs: number,
): Stage[] {
  const stages: Stage[] = [
    { from: 0, circuit: { openedAt: at(0), probeAt: at(CIRCUIT_OPEN_MS), probeFailedAt: null } },
  ];
  for (const probe of made) {
    // The first stage is there from the beginning.
    const { circuit } = stages.at(-1) as Stage;
    const takenAt = circuit.probeAt.getTime() - at(0).getTime() + probe.takenAfter;
    stages.push({ from: takenAt, circuit: { ...circuit, probeAt: at(takenAt + timeoutMs + RECORDING_MS) } });
    const failedAt = takenAt + Math.min(probe.failsAfter, timeoutMs);
    const reopened = { openedAt: at(failedAt), probeAt: at(failedAt + CIRCUIT_OPEN_MS), probeFailedAt: at(failedAt) };
    if (!probe.isLost) stages.push({ from: failedAt, circuit: reopened });
  }
  return stages;
}

test('no delivery is given up without an attempt, before the end of its policy, or before a nextRetryAt that was shown', () => {
  fc.assert(
    fc.property(
      policies,
      probes,
      fc.record({
        timeoutMs: fc.integer({ min: 1_000, max: 30_000 }),
        startedAt: fc.integer({ min: -600_000, max: 600_000 }),
        dueAfter: fc.nat(600_000),
        made: fc.nat(8),
        // A last chance waits for its turn among many, and takes as long as it may.
        turnAfter: fc.nat(3_600_000),
        takes: fc.nat(30_000),
      }),
      fc.array(fc.integer({ min: 0, max: 4_000_000 }), { minLength: 1, maxLength: 50 }),
      (policy, made, delivery, clocks) => {
        const held: HeldByCircuit = {
          policyEndsAt: policyEndsAt(policy, at(delivery.startedAt), delivery.timeoutMs),
          dueAt: at(delivery.startedAt + (delivery.made === 0 ? 0 : delivery.dueAfter)),
          policyAttempts: Math.min(delivery.made, policy.maxRetries),
        };
        const course = courseOf(made, delivery.timeoutMs);
        const over = course.find(({ circuit }) => circuitStandingOf(held, circuit) !== 'waits');
        // Not within this course: the delivery goes on being held.
        fc.pre(over !== undefined);
        const isUntried = circuitStandingOf(held, over.circuit) === 'lastChance';
        const givenUpAt =
          over.from + (isUntried ? delivery.turnAfter + Math.min(delivery.takes, delivery.timeoutMs) : 0);

        expect(held.policyAttempts + (isUntried ? 1 : 0)).toBeGreaterThan(0);
        expect(at(givenUpAt).getTime()).toBeGreaterThanOrEqual(held.policyEndsAt.getTime());
        for (const clock of clocks.filter((ms) => ms <= givenUpAt)) {
          // The first stage begins at 0, the earliest clock.
          const { circuit } = course.findLast(({ from }) => from <= clock) as Stage;
          expect(nextRetryOfHeld(held, circuit).getTime()).toBeLessThanOrEqual(at(givenUpAt).getTime());
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
