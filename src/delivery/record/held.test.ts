import { describe, expect, test } from '@jest/globals';
import { type Holdable, type HoldingSubscription, deliveryStandingOf } from './held.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds));
const NOW = at(30);

const waiting: Holdable = {
  status: 'pending',
  dueAt: at(0),
  nextRetryAt: null,
  holder: null,
  carrier: null,
  heldReason: null,
  heldSince: null,
  policyStartedAt: at(0),
  policyAttempts: 0,
  maxRetries: 1,
  initialDelay: 1_000,
  maxDelay: 1_000,
  backoffMultiplier: 1,
};
const active: HoldingSubscription = {
  status: 'active',
  appSuspendedAt: null,
  statusChangedAt: at(0),
  timeoutMs: 15_000,
  resumedAt: null,
  circuitOpenedAt: null,
  circuitProbeAt: null,
  circuitProbeFailedAt: null,
};
const paused: HoldingSubscription = { ...active, status: 'paused', appSuspendedAt: null, statusChangedAt: at(5) };
const open: HoldingSubscription = { ...active, circuitOpenedAt: at(10), circuitProbeAt: at(40) };
const faulty: Holdable = { ...waiting, nextRetryAt: at(50), dueAt: at(50), heldReason: 'internal', heldSince: at(20) };

const standing = (delivery: Partial<Holdable>, subscription: HoldingSubscription | undefined = active) =>
  deliveryStandingOf({ ...waiting, ...delivery }, subscription, NOW);

describe('a delivery is held', () => {
  test.each([
    ['by a pause, which has no end of its own', {}, paused, { reason: 'paused', since: at(5) }],
    ['by a disabled subscription', {}, { ...paused, status: 'disabled' }, { reason: 'disabled', since: at(5) }],
    ['by a circuit until its probe', {}, open, { reason: 'circuit', since: at(10), until: at(40) }],
    [
      'by a circuit whose probe is overdue',
      {},
      { ...open, circuitProbeAt: at(20) },
      { reason: 'circuit', since: at(10), until: at(20) },
    ],
    [
      'by a circuit beyond the end of its policy, its turn for a last chance being due since the probe that failed',
      {},
      { ...open, circuitOpenedAt: at(35), circuitProbeAt: at(65), circuitProbeFailedAt: at(35) },
      { reason: 'circuit', since: at(35), until: at(35) },
    ],
    [
      'by a circuit until its probe, its policy having begun anew with a resume',
      {},
      { ...open, circuitOpenedAt: at(35), circuitProbeAt: at(65), circuitProbeFailedAt: at(35), resumedAt: at(20) },
      { reason: 'circuit', since: at(35), until: at(65) },
    ],
    ['by a fault of ours until the next try', faulty, active, { reason: 'internal', since: at(20), until: at(50) }],
    ['by a pause before a fault of ours', faulty, paused, { reason: 'paused', since: at(5) }],
    [
      'by a limit',
      { heldReason: 'rate_limit', heldSince: at(29), nextRetryAt: at(31) },
      active,
      { reason: 'rate_limit', since: at(29), until: at(31) },
    ],
    [
      'whose subscription is gone, by what is stored',
      faulty,
      undefined,
      { reason: 'internal', since: at(20), until: at(50) },
    ],
    [
      'by a fault of ours that is due',
      { ...faulty, nextRetryAt: null, dueAt: at(0) },
      active,
      { reason: 'internal', since: at(20) },
    ],
  ] as const)('%s', (_, delivery, subscription, held) => {
    expect(standing(delivery, subscription)).toEqual({ nextRetryAt: 'until' in held ? held.until : null, held });
  });
});

describe('nothing holds a delivery', () => {
  test.each([
    ['that is finished', { ...faulty, dueAt: null, nextRetryAt: null }, paused, null],
    ['that is claimed', { ...faulty, holder: 'inc_1' }, paused, at(50)],
    ['whose Temporal workflow makes its try', { carrier: 'delivery/dlv_1/1', dueAt: at(29) }, paused, null],
    ['that waits for its turn', {}, active, null],
    [
      'that waits for its retry alone',
      { nextRetryAt: at(50), dueAt: at(50), carrier: 'delivery/dlv_1/1' },
      active,
      at(50),
    ],
    ['whose retry comes after the probe', { nextRetryAt: at(50), dueAt: at(50) }, open, at(50)],
    ['for a word that nobody knows', { heldReason: 'bored', heldSince: at(1) }, active, null],
  ] as const)('%s', (_, delivery, subscription, nextRetryAt) => {
    expect(standing(delivery, subscription)).toEqual({ nextRetryAt, held: undefined });
  });
});

test('while it is paused no retry is announced, and a circuit moves nothing', () => {
  const delivery = { nextRetryAt: at(50), dueAt: at(50), carrier: 'delivery/dlv_1/1' };
  expect(standing(delivery, { ...open, status: 'paused', statusChangedAt: at(5) })).toEqual({
    nextRetryAt: null,
    held: { reason: 'paused', since: at(5) },
  });
});
