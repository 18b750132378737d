import { describe, expect, test } from '@jest/globals';
import { createChannelBody } from '../../../messaging/channels/schema.ts';
import { createSubscriptionBody } from '../../../messaging/subscriptions/schema.ts';
import { createAppBody, settingsInForce } from './schema.ts';

describe('a setting of an app', () => {
  const takes = { retentionDays: [0, 1, 365, 366], timeoutMs: [999, 1_000, 30_000, 30_001] };

  test('is accepted exactly if the resource accepts it', () => {
    for (const retentionDays of takes.retentionDays) {
      const app = createAppBody.safeParse({ name: 'a', settings: { retentionDays } });
      expect(app.success).toBe(createChannelBody.safeParse({ name: 'a', retentionDays }).success);
    }
    const webhookUrl = 'https://example.com/in';
    for (const timeoutMs of takes.timeoutMs) {
      const app = createAppBody.safeParse({ name: 'a', settings: { timeoutMs } });
      expect(app.success).toBe(createSubscriptionBody.safeParse({ channelId: 'c', webhookUrl, timeoutMs }).success);
    }
  });

  test('that is not given has the default of the service', () => {
    expect(settingsInForce({ timeoutMs: 2_000 })).toEqual({
      retentionDays: 30,
      retryPolicy: { maxRetries: 10, initialDelay: 5_000, maxDelay: 21_600_000, backoffMultiplier: 3 },
      timeoutMs: 2_000,
      circuitBreaker: true,
    });
  });
});
