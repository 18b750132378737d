import { describe, expect, test } from '@jest/globals';
import type { SendResult } from '../../platform/outbound/post-webhook.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import { judge } from './judge.ts';

const startedAt = new Date('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(startedAt.getTime() + ms);

/** The policy is over after 32 s: two retries a second apart, and three tries of 10 s. */
function delivery(policyAttempts: number): DeliveryToAttempt {
  return {
    deliveryId: 'dlv_1',
    environmentId: 'env_1',
    round: 1,
    status: 'pending',
    attempts: policyAttempts,
    policyAttempts,
    policy: { maxRetries: 2, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 },
    policyStartedAt: startedAt,
    dueAt: startedAt,
    failureReason: null,
    isLastChance: false,
    lastErrorMessage: null,
    takeovers: 0,
    message: {
      id: 'msg_1',
      channelId: 'chn_1',
      eventType: 'a.b',
      payload: '{}',
      metadata: null,
      publishedAt: startedAt,
      trace: { traceparent: null, tracestate: null },
      hops: 0,
    },
    subscription: {
      id: 'sub_1',
      status: 'active',
      isAppSuspended: false,
      isDeleted: false,
      webhookUrl: 'http://127.0.0.1:4000/',
      headers: null,
      requestVersion: 1,
      timeoutMs: 10_000,
      maxRetryAfter: 86_400_000,
      maxConcurrency: null,
      rateLimit: null,
      hasCircuitBreaker: true,
      circuitProbeInMs: null,
      isSecretUnreadable: false,
      readAt: startedAt.getTime(),
      secrets: [],
    },
  };
}

const answered = (status: number): SendResult => ({
  isDelivered: status === 200,
  startedAt,
  durationMs: 5,
  response: { status, headers: {}, body: '', latencyMs: 5 },
});

const CLOSED = { isProbe: false, isLastChance: false };
const PROBE = { isProbe: true, isLastChance: false };
const LAST_CHANCE = { isProbe: false, isLastChance: true };

describe('a failed try', () => {
  test.each<[string, number, number, typeof CLOSED, string | null]>([
    ['goes on while its policy has tries left, however late it is', 0, 60_000, CLOSED, null],
    ['goes on after a probe within the time of its policy', 0, 31_999, PROBE, null],
    ['ends with a probe beyond that time', 0, 32_000, PROBE, 'circuit'],
    ['ends with its last chance', 0, 60_000, LAST_CHANCE, 'circuit'],
    ['is exhausted when it was the last of its policy', 2, 1_000, CLOSED, 'exhausted'],
    [
      'is exhausted, and no fault of the circuit, when a probe was the last of its policy',
      2,
      60_000,
      PROBE,
      'exhausted',
    ],
  ])('%s', (_, attempts, ms, passage, reason) => {
    const judgement = judge(delivery(attempts), answered(500), after(ms), passage);
    expect(judgement).toEqual(
      reason === null
        ? { status: 'retrying', dueAt: after(ms + 1_000), deadLetterReason: null }
        : { status: 'failed', dueAt: null, deadLetterReason: reason },
    );
  });

  test('with a 410 ends as gone, through an open circuit as well', () => {
    expect(judge(delivery(0), answered(410), after(60_000), LAST_CHANCE)).toMatchObject({ deadLetterReason: 'gone' });
  });
});

test('a last chance may be delivered', () => {
  expect(judge(delivery(0), answered(200), after(60_000), LAST_CHANCE)).toMatchObject({ status: 'delivered' });
});
