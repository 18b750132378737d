import {
  type Attributes,
  type Context,
  createTraceState,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  ROOT_CONTEXT,
  type SpanContext,
  type Tracer,
  TraceFlags,
} from '@opentelemetry/api';
import type { DeliveryToAttempt } from '../kernel/contract/delivery-workflow.ts';
import type { TryTracing } from '../delivery/attempt/try-tracing.ts';
import type { TraceRequest } from '../api/http/observing.ts';
import { readTraceContext, type TraceContext } from '../kernel/values/trace-context.ts';
import type { PublishTracing } from '../messaging/publishing/trace-commits.ts';
import { hash } from 'node:crypto';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Span ids: random, except for the next one after `use`. */
type SpanIds = IdGenerator & { use(spanId: string): void };

export function createSpanIds(): SpanIds {
  const random = new RandomIdGenerator();
  let next: string | undefined;
  return {
    generateTraceId: () => random.generateTraceId(),
    generateSpanId() {
      const id = next ?? random.generateSpanId();
      next = undefined;
      return id;
    },
    use(spanId) {
      next = spanId;
    },
  };
}

/**
 * Id of the span of a delivery's round. It is derived from their ids, so that every process knows the parent of an attempt, and the
 * process that ends the round can create that span, without storing or passing on anything.
 */
export const deliverySpanId = (deliveryId: string, round: number): string =>
  hash('sha256', `${deliveryId}/${round}`, 'hex').slice(0, 16);

// Names from the semantic conventions of OpenTelemetry. Their messaging attributes are not stable yet.
const SYSTEM = { 'messaging.system': 'posthorn' } as const;
const FIRST_ERROR = 500;

/** Whether a stored trace is recorded, according to its last flag. */
const isRecorded = (traceparent: string | null | undefined): traceparent is string =>
  typeof traceparent === 'string' && (Number.parseInt(traceparent.slice(53), 16) & TraceFlags.SAMPLED) === 1;

/** The span that a W3C Trace Context names; undefined without one. */
function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext | undefined {
  if (traceparent === null) return undefined;
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote: true,
    ...(tracestate !== null && { traceState: createTraceState(tracestate) }),
  };
}

const below = (parent: SpanContext | undefined): Context =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);

/** The context with which others use this span as their parent. */
function contextOf(span: Span): TraceContext {
  const { traceId, spanId, traceState } = span.spanContext();
  const state = traceState?.serialize() ?? '';
  return { traceparent: `00-${traceId}-${spanId}-01`, tracestate: state === '' ? null : state };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The name of a failure, never its text, which may contain SQL, hosts or secrets. */
const nameOf = (failure: unknown): string => {
  if (!(failure instanceof Error)) return '_OTHER';
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : failure.name;
};

/** Server spans, one per request. */
export const requestSpans =
  (tracer: Tracer): TraceRequest =>
  ({ method, traceparent, tracestate }) => {
    const parent = spanContextOf(readTraceContext(traceparent, tracestate));
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, below(parent));
    if (!span.isRecording()) return undefined;
    return {
      trace: contextOf(span),
      end({ requestId, route, status }) {
        if (route !== undefined) span.updateName(`${method} ${route}`);
        span.setAttributes({
          'http.request.method': method,
          'http.response.status_code': status,
          'posthorn.request.id': requestId,
          ...(route !== undefined && { 'http.route': route }),
        });
        if (status >= FIRST_ERROR) fail(span, String(status));
        span.end();
      },
    };
  };

/** Spans of publishes and of their group commits. */
export function publishSpans(tracer: Tracer): PublishTracing {
  // Keyed by the very object that the messages of a request carry to their group.
  const spans = new WeakMap<TraceContext, Span>();
  const ending =
    (span: Span) =>
    (failure?: unknown): void => {
      if (failure !== undefined) fail(span, nameOf(failure));
      span.end();
    };
  return {
    publish(publications) {
      const given = publications[0]?.trace;
      if (given === undefined || !isRecorded(given.traceparent)) return undefined;
      const options = { kind: SpanKind.PRODUCER, attributes: aboutMessages(publications) };
      const span = tracer.startSpan('publish', options, below(spanContextOf(given)));
      if (!span.isRecording()) return undefined;
      const own = contextOf(span);
      spans.set(own, span);
      return { trace: own, end: ending(span) };
    },
    commit(traces) {
      const recorded = traces.flatMap((each) => (each && spans.get(each)) ?? []);
      const [first, ...others] = recorded;
      if (first === undefined) return undefined;
      const attributes = {
        'db.system.name': 'postgresql',
        // By convention, a batch has at least two.
        ...(traces.length > 1 && { 'db.operation.batch.size': traces.length }),
      };
      const links = others.map((other) => ({ context: other.spanContext() }));
      const span = tracer.startSpan(
        'commit publishes',
        { kind: SpanKind.CLIENT, attributes, links },
        trace.setSpan(ROOT_CONTEXT, first),
      );
      for (const other of others) other.addLink({ context: span.spanContext() });
      return ending(span);
    },
  };
}

function aboutMessages(publications: Parameters<PublishTracing['publish']>[0]): Attributes {
  const messages = publications.reduce((sum, publication) => sum + publication.messages.length, 0);
  const [channel, otherChannel] = publications;
  return {
    ...SYSTEM,
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    ...(otherChannel === undefined && { 'messaging.destination.name': channel?.channelId }),
    ...(messages === 1
      ? { 'messaging.message.id': channel?.messages[0]?.id }
      : { 'messaging.batch.message_count': messages }),
  };
}

/** Spans of attempts, of their requests, and of the delivery rounds that end with them. `now`: performance.now(). */
export function trySpans(tracer: Tracer, ids: Pick<SpanIds, 'use'>, now: () => number): TryTracing {
  const endRound = (delivery: DeliveryToAttempt, carrier: string, status: string, reason?: string | null): void => {
    const { deliveryId, round, message } = delivery;
    ids.use(deliverySpanId(deliveryId, round));
    // A replay starts long after the message was accepted.
    const startTime = round === 1 ? message.publishedAt : delivery.policyStartedAt;
    const attributes = { ...aboutDelivery(delivery, carrier), 'posthorn.delivery.status': status };
    const span = tracer.startSpan('deliver', { startTime, attributes }, below(spanContextOf(message.trace)));
    if (reason !== undefined && reason !== null) fail(span, reason);
    span.end();
  };

  return {
    begin(delivery, { number, carrier, beganAt }) {
      const { message, subscription, deliveryId, round } = delivery;
      const context = isRecorded(message.trace.traceparent) ? spanContextOf(message.trace) : undefined;
      if (context === undefined) return undefined;
      const attributes = { ...aboutDelivery(delivery, carrier), 'posthorn.attempt.number': number };
      const parent = below({ ...context, spanId: deliverySpanId(deliveryId, round) });
      const span = tracer.startSpan('attempt', { startTime: beganAt, attributes }, parent);
      if (!span.isRecording()) return undefined;
      const request = tracer.startSpan(
        'POST',
        { kind: SpanKind.CLIENT, attributes: aboutRequest(subscription.webhookUrl, number) },
        trace.setSpan(ROOT_CONTEXT, span),
      );
      const own = contextOf(request);
      let hasEnded = false;
      return {
        headers: (given) => ({
          ...given,
          traceparent: own.traceparent ?? '',
          ...(own.tracestate !== null && { tracestate: own.tracestate }),
        }),
        sent({ response, error }) {
          if (response !== undefined) request.setAttribute('http.response.status_code', response.status);
          if (error !== undefined) fail(request, response === undefined ? error.class : String(response.status));
          request.end();
          if (error !== undefined) fail(span, error.class);
        },
        end(made) {
          if (hasEnded) return;
          hasEnded = true;
          if (request.isRecording()) request.end();
          if (made !== undefined) span.setAttribute('posthorn.delivery.status', made.status);
          span.end(now());
          if (made?.status === 'delivered' || made?.status === 'failed')
            endRound(delivery, carrier, made.status, made.deadLetterReason);
        },
      };
    },
    held(delivery, carrier) {
      // Otherwise every check of a limit would create a span for a round without an attempt.
      if (delivery.policyAttempts > 0 && isRecorded(delivery.message.trace.traceparent))
        endRound(delivery, carrier, 'held');
    },
  };
}

const aboutDelivery = (
  { deliveryId, round, message, subscription }: DeliveryToAttempt,
  carrier: string,
): Attributes => ({
  ...SYSTEM,
  'messaging.destination.name': message.channelId,
  'messaging.message.id': message.id,
  'posthorn.delivery.id': deliveryId,
  'posthorn.delivery.round': round,
  'posthorn.subscription.id': subscription.id,
  // The same name as in the interceptors of Temporal's SDK, so that one search finds both.
  ...(carrier !== '' && { temporalWorkflowID: carrier }),
});

/** The URL itself is left out, because receivers put secrets into paths and queries. */
function aboutRequest(url: string, number: number): Attributes {
  const { protocol, hostname, port } = new URL(url);
  const scheme = protocol.slice(0, -1);
  return {
    'http.request.method': 'POST',
    'url.scheme': scheme,
    'server.address': hostname,
    'server.port': port === '' ? (scheme === 'https' ? 443 : 80) : Number(port),
    ...(number > 1 && { 'http.request.resend_count': number - 1 }),
  };
}
