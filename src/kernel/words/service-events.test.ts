import { expect, test } from '@jest/globals';
import { encodeBase32, isId } from '../values/ids.ts';
import { BACKLOG_HIGH, FAILING_DAYS, SYSTEM_CHANNEL_NAME, systemChannelId } from './service-events.ts';

test('the id of a system channel is an id of a channel, one for each environment', () => {
  const [one, other] = [1, 2].map((last) => `env_${encodeBase32(new Uint8Array(16).fill(last))}`);
  expect(isId('channel', systemChannelId(one ?? ''))).toBe(true);
  expect(systemChannelId(one ?? '')).not.toBe(systemChannelId(other ?? ''));
});

test('the names and numbers that callers rely on do not change', () => {
  expect(SYSTEM_CHANNEL_NAME).toBe('posthorn.system');
  expect(FAILING_DAYS).toBe(5);
  expect(BACKLOG_HIGH).toEqual({ waiting: 1_000, ageSeconds: 300, low: { waiting: 500, ageSeconds: 60 } });
});
