import { expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ClaimedDelivery } from '../../../deliveries/statements/claim.ts';
import { createStarts } from './starts.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const IDS = { deliveryId: 'dlv_1', messageId: 'msg_1', subscriptionId: 'sub_1', traceId: TRACE };

// Old: the line about a claim that was not given back had neither the trace nor the subscription, and that about the start no id at all.
test('a start that fails, and a claim that is not given back then, are told with all ids of the delivery', async () => {
  const [refused, away] = [new Error('Temporal is away'), new Error('PostgreSQL is away')];
  const failures: unknown[] = [];
  const lines: unknown[] = [];
  const starts = createStarts({
    // `as`: what the starts use of them.
    pool: { query: () => Promise.reject(away) } as unknown as Pool,
    log: { warn: (...line: unknown[]) => lines.push(line) } as unknown as Logger,
    incarnationId: 'inc_1',
    firstTries: { isSlow: () => false, isUnderWay: () => false, end: () => undefined },
    startDelivery: () => Promise.reject(refused),
    onFailure: (...told) => failures.push(told),
  });
  const delivery = {
    id: 'dlv_1',
    messageId: 'msg_1',
    subscriptionId: 'sub_1',
    traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
  };
  await starts.start(delivery as ClaimedDelivery);
  expect(failures).toEqual([[refused, IDS]]);
  expect(lines).toEqual([[{ err: away, ...IDS }, 'a claim was not given back; it will be found as forgotten']]);
});
