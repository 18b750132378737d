import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type SpanExporter,
  TracerProvider,
  type Sampler,
  SamplingDecision,
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TryTracing } from '../delivery/attempt/try-tracing.ts';
import type { TraceRequest } from '../api/http/observing.ts';
import { VERSION } from '../kernel/words/version.ts';
import type { PublishTracing } from '../messaging/publishing/trace-commits.ts';
import type { TracesSettings } from '../platform/config/traces.ts';
import { createSpanIds, publishSpans, requestSpans, trySpans } from './spans.ts';

// A stopping process exports what it has, but a collector that hangs must not keep it from stopping. The drain before it takes up to 40
// s of the 60 s that docs/operate/running.md asks for.
const FLUSH_WITHIN_MS = 3_000;
// A group commit contains up to 500 messages, each of which may be recorded.
const LINKS_AT_MOST = 500;

/** The traces of one process. */
export type Tracing = {
  traceRequest: TraceRequest;
  publishing: PublishTracing;
  tries: TryTracing;
  /** Rejects with the failure of the last export; if `isAway`, with that of an export without spans. */
  ask(isAway: boolean): Promise<void>;
  /** Exports the remaining spans, as far as the collector accepts them within three seconds. */
  close(): Promise<void>;
};

/** Where spans come from, in addition to what the service itself knows. */
export type TracedProcess = { role: string; number?: number | undefined };

/**
 * Creates traces with OTLP. The exporter reads its headers, certificates, timeout and compression from the standard variables, and gets
 * headers from a file from here; the resource reads its name and attributes. Spans beyond the queue are dropped, so that an unavailable
 * collector costs neither memory nor time.
 *
 * There are no instrumentations, because they replace functions of modules and keep a context for every promise, for every message,
 * recorded or not. @temporalio/interceptors-opentelemetry is not used: it requires version 1 of the SDK and adds code to each workflow
 * activation. The SDK is version 2, because version 3 needs Node 22.
 */
export function createTracing({ headers, sampler, batches }: TracesSettings, { role, number }: TracedProcess): Tracing {
  const exporter = remembering(new OTLPTraceExporter(headers === undefined ? {} : { headers: { ...headers } }));
  const resource = resourceFromAttributes({
    'service.name': 'posthorn',
    'service.version': VERSION,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
    'posthorn.role': role,
    ...(number !== undefined && { 'posthorn.process': number }),
  }).merge(detectResources({ detectors: [envDetector] }));
  const ids = createSpanIds();
  const now = (): number => performance.now();
  const provider = new TracerProvider({
    resource,
    idGenerator: ids,
    sampler: samplerOf(sampler, now),
    spanLimits: { linkCountLimit: LINKS_AT_MOST },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        ...(batches.queued !== undefined && { maxQueueSize: batches.queued }),
        ...(batches.together !== undefined && { maxExportBatchSize: batches.together }),
        ...(batches.everyMs !== undefined && { scheduledDelayMillis: batches.everyMs }),
      }),
    ],
  });
  const tracer = provider.getTracer('posthorn', VERSION);
  return {
    traceRequest: requestSpans(tracer),
    publishing: publishSpans(tracer),
    tries: trySpans(tracer, ids, now),
    ask: (isAway) => (isAway ? exporter.probe() : exporter.last()),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_WITHIN_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), tooLate]);
      clearTimeout(timer);
    },
  };
}

type Remembering = SpanExporter & { last(): Promise<void>; probe(): Promise<void> };

/** The same exporter, which remembers whether its last export failed. */
function remembering(exporter: SpanExporter): Remembering {
  let failure: Error | undefined;
  const send: SpanExporter['export'] = (spans, done) =>
    exporter.export(spans, (result) => {
      failure = result.code === 0 ? undefined : (result.error ?? new Error('the collector rejected the spans'));
      done(result);
    });
  const last = (): Promise<void> => (failure === undefined ? Promise.resolve() : Promise.reject(failure));
  return {
    export: send,
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
    last,
    probe: () => new Promise<void>((resolve) => send([], () => resolve())).then(last),
  };
}

/**
 * New traces per second and process without OTEL_TRACES_SAMPLER. A recorded message costs 0.1 ms of CPU, in addition to the 0.5 ms of a
 * message in a burst or the 10 ms of one with its own Temporal workflow. With ten a second, an average message costs up to 3 % more, at
 * every rate.
 */
export const NEW_TRACES_A_SECOND = 10;

/** Samples the first `most` traces of each second. `now` in ms. */
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

/** Returns the sampler of the settings. Without one, a trace that its caller records is recorded, and others up to the limit. */
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
