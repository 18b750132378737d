import { describe, expect, test } from '@jest/globals';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace';
import { SAMPLERS } from '../platform/config/traces.ts';
import { boundedSampler, NEW_TRACES_A_SECOND, samplerOf } from './otlp.ts';

const LOW = '00000000000000000000000000000001';
// The sampler adds the four parts of an id up.
const HIGH = 'ffffffff000000000000000000000001';

function isTaken(sampler: Sampler, { traceId = HIGH, parentFlags }: { traceId?: string; parentFlags?: number } = {}) {
  const context =
    parentFlags === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: '00f067aa0ba902b7',
          traceFlags: parentFlags,
          isRemote: true,
        });
  return (
    sampler.shouldSample(context, traceId, 'POST', SpanKind.SERVER, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED
  );
}

test('so many traces of each second are taken, and those beyond are not', () => {
  let now = 0;
  const sampler = boundedSampler(2, () => now);
  const takenNow = (): boolean[] => [1, 2, 3].map(() => isTaken(sampler));
  expect(takenNow()).toEqual([true, true, false]);
  now = 999;
  expect(takenNow()).toEqual([false, false, false]);
  now = 1_000;
  expect(takenNow()).toEqual([true, true, false]);
});

test("without a sampler in the settings a caller's trace is never bounded, and its wish not to be recorded is kept", () => {
  const sampler = samplerOf(undefined, () => 0);
  const count = (parentFlags?: number): number =>
    Array.from({ length: 2 * NEW_TRACES_A_SECOND }, () =>
      isTaken(sampler, parentFlags === undefined ? {} : { parentFlags }),
    ).filter(Boolean).length;
  expect([count(), count(1), count(0)]).toEqual([NEW_TRACES_A_SECOND, 2 * NEW_TRACES_A_SECOND, 0]);
});

describe('a sampler of the standard', () => {
  test.each([
    ['always_on', [true, true, true, true]],
    ['always_off', [false, false, false, false]],
    ['traceidratio', [true, false, true, true]],
    ['parentbased_always_on', [true, true, true, false]],
    ['parentbased_always_off', [false, false, true, false]],
    ['parentbased_traceidratio', [true, false, true, false]],
  ] as const)(
    '%s decides about low and high trace ids, and within traces that are recorded and not',
    (name, wanted) => {
      const sampler = samplerOf({ name, ratio: 0.5 }, () => 0);
      expect([
        isTaken(sampler, { traceId: LOW }),
        isTaken(sampler, { traceId: HIGH }),
        isTaken(sampler, { traceId: LOW, parentFlags: 1 }),
        isTaken(sampler, { traceId: LOW, parentFlags: 0 }),
      ]).toEqual(wanted);
    },
  );

  test('is each of them', () => {
    expect(SAMPLERS).toHaveLength(6);
  });
});
