import { expect, test } from '@jest/globals';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { DeliveryToAttempt } from '../kernel/contract/delivery-workflow.ts';
import type { TraceContext } from '../kernel/values/trace-context.ts';
import type { Publication } from '../messaging/messages/publication.ts';
import { createSpanIds, deliverySpanId, publishSpans, requestSpans, trySpans } from './spans.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const RECORDED: TraceContext = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'rojo=1' };
const LEFT_OUT: TraceContext = { traceparent: `00-${TRACE}-${PARENT}-00`, tracestate: null };

function createScene() {
  const exporter = new InMemorySpanExporter();
  const ids = createSpanIds();
  const provider = new TracerProvider({
    idGenerator: ids,
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('test');
  return {
    publishing: publishSpans(tracer),
    request: requestSpans(tracer),
    tries: trySpans(tracer, ids, () => performance.now()),
    spans: (): readonly ReadableSpan[] => exporter.getFinishedSpans(),
    named: (name: string): readonly ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name === name),
  };
}

const publicationOf = (trace: TraceContext | undefined, ...ids: string[]): Publication => ({
  environmentId: 'env_1',
  channelId: 'chn_1',
  messages: ids.map((id) => ({ id, eventType: 'e', payload: '{}', metadata: undefined, publishedAt: new Date() })),
  ...(trace && { trace }),
});

const deliveryOf = (trace: TraceContext, further: Partial<DeliveryToAttempt> = {}): DeliveryToAttempt => ({
  deliveryId: 'dlv_1',
  environmentId: 'env_1',
  round: 1,
  status: 'pending',
  attempts: 0,
  policyAttempts: 0,
  policy: { maxRetries: 3, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 },
  policyStartedAt: new Date(5_000),
  dueAt: new Date(),
  failureReason: null,
  isLastChance: false,
  lastErrorMessage: null,
  takeovers: 0,
  message: {
    id: 'msg_1',
    channelId: 'chn_1',
    eventType: 'order.paid',
    payload: '{"secret":1}',
    metadata: null,
    publishedAt: new Date(1_000),
    trace,
    hops: 0,
  },
  subscription: {
    id: 'sub_1',
    status: 'active',
    isAppSuspended: false,
    isDeleted: false,
    webhookUrl: 'https://receiver.example/path?token=1',
    headers: null,
    requestVersion: 1,
    timeoutMs: 1_000,
    maxRetryAfter: 86_400_000,
    maxConcurrency: null,
    rateLimit: null,
    hasCircuitBreaker: true,
    circuitProbeInMs: null,
    isSecretUnreadable: false,
    readAt: 0,
    secrets: [],
  },
  ...further,
});
const beganNow = (number: number) => ({ number, carrier: 'delivery/dlv_1/1', beganAt: performance.now() });
const SENT = { startedAt: new Date(), durationMs: 3 };
const answered = (status: number) => ({ status, headers: {}, body: '', latencyMs: 3 });

test('a request that answers with a fault of ours is an error, and one that its caller got wrong is none', () => {
  const { request, spans } = createScene();
  for (const status of [202, 422, 503])
    request({ method: 'POST', traceparent: undefined, tracestate: undefined })?.end({
      requestId: 'req_1',
      route: '/v1/channels',
      status,
    });
  expect(spans().map(({ status, attributes }) => [status.code, attributes['error.type']])).toEqual([
    [SpanStatusCode.UNSET, undefined],
    [SpanStatusCode.UNSET, undefined],
    [SpanStatusCode.ERROR, '503'],
  ]);
});

test('a request of an unknown path is named by its method alone', () => {
  const { request, spans } = createScene();
  request({ method: 'GET', traceparent: 'nonsense', tracestate: 'rojo=1' })?.end({
    requestId: 'req_1',
    route: undefined,
    status: 404,
  });
  expect(spans()).toMatchObject([{ name: 'GET', kind: SpanKind.SERVER }]);
  expect(spans()[0]?.parentSpanContext).toBeUndefined();
});

test("a caller's trace goes on with its state, and one that is not recorded is left alone", () => {
  const { request, spans } = createScene();
  const begin = ({ traceparent, tracestate }: TraceContext) =>
    request({ method: 'GET', traceparent: traceparent ?? undefined, tracestate: tracestate ?? undefined });
  expect(begin(LEFT_OUT)).toBeUndefined();
  const span = begin(RECORDED);
  span?.end({ requestId: 'req_1', route: undefined, status: 200 });
  expect(span?.trace).toEqual({
    traceparent: `00-${TRACE}-${spans()[0]?.spanContext().spanId}-01`,
    tracestate: 'rojo=1',
  });
});

test('a group commit is a step of its first recorded request, and linked both ways with the others', () => {
  const { publishing, named } = createScene();
  expect(publishing.publish([publicationOf(undefined, 'msg_0')])).toBeUndefined();
  expect(publishing.publish([publicationOf(LEFT_OUT, 'msg_0')])).toBeUndefined();
  const [one, other] = ['msg_1', 'msg_2'].map((id) => publishing.publish([publicationOf(RECORDED, id)]));
  const end = publishing.commit([undefined, one?.trace, LEFT_OUT, other?.trace]);
  end?.();
  one?.end();
  other?.end();
  const [commit] = named('commit publishes');
  const [first, second] = named('publish');
  expect(commit?.attributes).toEqual({ 'db.system.name': 'postgresql', 'db.operation.batch.size': 4 });
  expect(commit?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId);
  expect(commit?.links.map(({ context }) => context.spanId)).toEqual([second?.spanContext().spanId]);
  expect([first, second].map((span) => span?.links.map(({ context }) => context.spanId))).toEqual([
    [],
    [commit?.spanContext().spanId],
  ]);
});

test('a group without a recorded request has no span', () => {
  const { publishing, spans } = createScene();
  expect(publishing.commit([undefined, LEFT_OUT])).toBeUndefined();
  expect(spans()).toEqual([]);
});

test('a publish tells how many messages it has, and of a failure its name alone', () => {
  const { publishing, spans } = createScene();
  publishing.publish([publicationOf(RECORDED, 'msg_1', 'msg_2')])?.end(new TypeError('password=1'));
  publishing
    .publish([publicationOf(RECORDED, 'msg_1'), { ...publicationOf(RECORDED, 'msg_2'), channelId: 'chn_2' }])
    ?.end(Object.assign(new Error('no'), { code: 'NOT_FOUND' }));
  const [batch, across] = spans();
  expect(batch?.attributes).toMatchObject({ 'messaging.batch.message_count': 2, 'error.type': 'TypeError' });
  expect(across?.attributes).toMatchObject({ 'messaging.batch.message_count': 2, 'error.type': 'NOT_FOUND' });
  expect(across?.attributes).not.toHaveProperty('messaging.destination.name');
  expect(JSON.stringify(spans().map(({ attributes, status }) => [attributes, status]))).not.toContain('password');
});

test('tries of a round have one parent, which the last of them makes, whichever process that is', () => {
  const [one, other] = [createScene(), createScene()];
  const failed = one.tries.begin(deliveryOf(RECORDED), beganNow(1));
  failed?.sent({ ...SENT, isDelivered: false, error: { class: 'timeout', message: 'no answer' } });
  failed?.end({ status: 'retrying', deadLetterReason: null });
  const last = other.tries.begin(deliveryOf(RECORDED, { attempts: 1 }), beganNow(2));
  last?.sent({ ...SENT, isDelivered: true, response: answered(200) });
  last?.end({ status: 'delivered', deadLetterReason: null });
  const [deliver] = other.named('deliver');
  expect(one.named('deliver')).toEqual([]);
  expect(deliver?.spanContext().spanId).toBe(deliverySpanId('dlv_1', 1));
  expect(deliver?.parentSpanContext?.spanId).toBe(PARENT);
  expect(deliver?.startTime).toEqual([1, 0]);
  const attempts = [...one.named('attempt'), ...other.named('attempt')];
  expect(attempts.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
    Array.from({ length: 2 }, () => deliver?.spanContext().spanId),
  );
  expect(one.named('POST')[0]?.attributes).toMatchObject({ 'error.type': 'timeout', 'server.port': 443 });
  expect(JSON.stringify([...one.spans(), ...other.spans()].map(({ attributes }) => attributes))).not.toMatch(
    /secret|token/,
  );
});

test('the headers of a request name its span, and keep the others', () => {
  const { tries, named } = createScene();
  const span = tries.begin(deliveryOf(RECORDED), beganNow(1));
  const headers = span?.headers({ 'webhook-id': 'msg_1', traceparent: 'before' });
  span?.sent({ ...SENT, isDelivered: true, response: answered(204) });
  span?.end({ status: 'delivered', deadLetterReason: null });
  expect(headers).toEqual({
    'webhook-id': 'msg_1',
    traceparent: `00-${TRACE}-${named('POST')[0]?.spanContext().spanId}-01`,
    tracestate: 'rojo=1',
  });
});

test('a delivery that is given up is an error with its reason, and a replay begins with its own policy', () => {
  const { tries, named } = createScene();
  const span = tries.begin(deliveryOf(RECORDED, { round: 2 }), beganNow(4));
  span?.sent({
    ...SENT,
    isDelivered: false,
    response: answered(410),
    error: { class: 'status', message: 'answered 410' },
  });
  span?.end({ status: 'failed', deadLetterReason: 'gone' });
  expect(named('deliver')).toMatchObject([
    { startTime: [5, 0], status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'gone' } },
  ]);
  expect(named('POST')[0]?.attributes).toMatchObject({ 'error.type': '410', 'http.request.resend_count': 3 });
});

test('a try that broke off ends its spans once, and makes none for its round', () => {
  const { tries, spans } = createScene();
  const span = tries.begin(deliveryOf(RECORDED), beganNow(1));
  span?.end();
  span?.end();
  expect(spans().map(({ name }) => name)).toEqual(['POST', 'attempt']);
});

test('a round that is held after an attempt ends, and one without an attempt makes no span', () => {
  const { tries, named } = createScene();
  tries.held(deliveryOf(RECORDED), 'drain/1');
  tries.held(deliveryOf(LEFT_OUT, { policyAttempts: 1 }), 'drain/1');
  tries.held(deliveryOf(RECORDED, { policyAttempts: 1 }), '');
  expect(named('deliver').map(({ attributes }) => attributes['posthorn.delivery.status'])).toEqual(['held']);
});

test('a message that is not recorded costs no span', () => {
  const { tries, spans } = createScene();
  for (const trace of [LEFT_OUT, { traceparent: null, tracestate: null }])
    expect(tries.begin(deliveryOf(trace), beganNow(1))).toBeUndefined();
  expect(spans()).toEqual([]);
});
