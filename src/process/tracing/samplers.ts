import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TracesSettings } from '../../platform/config/traces.ts';

/**
 * Traces that one process begins in a second without OTEL_TRACES_SAMPLER. A recorded message costs 0.1 ms of a processor beside the 0.5
 * of one in a burst and the 10 of one with its own Temporal workflow (docs/performance.md, Observing). With ten of them a second, the
 * mean message costs 3 % more at most, at every rate.
 */
export const NEW_TRACES_A_SECOND = 10;

/** Takes the first `most` traces of each second. `now` in ms. */
export function boundedSampler(most: number, now: () => number): Sampler {
  let begunAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return {
    shouldSample() {
      const at = now();
      if (at - begunAt >= 1_000) {
        begunAt = at;
        taken = 0;
      }
      taken += 1;
      return { decision: taken > most ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED };
    },
    toString: () => `Bounded{${most}}`,
  };
}

/** The sampler of the settings. Without one a trace that a caller records is recorded, and others up to the bound. */
export function samplerOf(settings: TracesSettings['sampler'], now: () => number): Sampler {
  if (settings === undefined) return new ParentBasedSampler({ root: boundedSampler(NEW_TRACES_A_SECOND, now) });
  const { name, ratio } = settings;
  const root = rootOf(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootOf(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
}
