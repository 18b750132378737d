import { beforeEach, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ClaimedDelivery } from '../../../record/statements/claim.ts';
import { createStarts } from './starts.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const IDS = { deliveryId: 'dlv_1', messageId: 'msg_1', subscriptionId: 'sub_1', traceId: TRACE };

const away = Object.assign(new Error('PostgreSQL is away'), { code: 'ECONNREFUSED' });
// `as`: what the starts use of a claim.
const delivery = {
  id: 'dlv_1',
  messageId: 'msg_1',
  subscriptionId: 'sub_1',
  traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
} as ClaimedDelivery;
let failures: unknown[];
let lines: unknown[];

beforeEach(() => {
  failures = [];
  lines = [];
});

/** Starts whose first try stays under way. `query` answers the statements, `start` the starts in Temporal. */
function createTestStarts(
  query: (name: { name?: string }) => Promise<unknown>,
  start: () => Promise<string>,
  isOver: () => boolean = () => false,
) {
  return createStarts({
    // `as`: what the starts use of them.
    pool: { query } as unknown as Pool,
    log: { warn: (...line: unknown[]) => lines.push(line) } as unknown as Logger,
    incarnationId: 'inc_1',
    firstTries: { isSlow: () => false, isUnderWay: () => true, end: () => undefined },
    startDelivery: start,
    onFailure: (...told) => failures.push(told),
    isOver,
  });
}

// Old: the line about a claim that was not given back had neither the trace nor the subscription, and that about the start no id at all.
test('a start that fails, and a claim that is not given back then, are told with all ids of the delivery', async () => {
  const refused = new Error('Temporal is away');
  const starts = createTestStarts(
    () => Promise.reject(away),
    () => Promise.reject(refused),
  );
  await starts.start(delivery);
  expect(failures).toEqual([[refused, IDS]]);
  expect(lines).toEqual([[{ err: away, ...IDS }, 'a claim was not given back; it will be found as forgotten']]);
  expect(starts.isFailing()).toBe(true);
});

// Old: it was given back and sent by a drain, beside its Temporal workflow.
test('a delivery whose workflow was started is not given back while PostgreSQL is away; it is named as soon as possible', async () => {
  const asked: (string | undefined)[] = [];
  const known: string[][] = [];
  const starts = createTestStarts(
    ({ name }) => {
      known.push([...starts.ids()]);
      asked.push(name);
      return asked.length < 3 ? Promise.reject(away) : Promise.resolve();
    },
    () => Promise.resolve('delivery-1'),
  );
  await starts.start(delivery);
  expect(asked).toEqual(['set_carrier', 'set_carrier', 'set_carrier']);
  expect(known).toEqual([['dlv_1'], ['dlv_1'], ['dlv_1']]);
  expect([...failures, ...lines, ...starts.ids()]).toEqual([]);
});

test('a carrier that cannot be named for another reason is told, and the delivery stays with its workflow', async () => {
  const wrong = new Error('no such column');
  const asked: (string | undefined)[] = [];
  const starts = createTestStarts(
    ({ name }) => {
      asked.push(name);
      return Promise.reject(wrong);
    },
    () => Promise.resolve('delivery-1'),
  );
  await starts.start(delivery);
  expect(asked).toEqual(['set_carrier']);
  expect(failures).toEqual([]);
  expect(lines).toEqual([
    [{ err: wrong, ...IDS }, 'the Temporal workflow of a delivery is not on record; another worker may start it anew'],
  ]);
});

const lost = Object.assign(new Error('no answer came within the deadline'), { code: 4 });

// Old: it was given back, and a drain sent it beside the Temporal workflow that had begun.
test('a delivery whose start was not answered stays claimed, and is started under the same id until Temporal answers', async () => {
  const asked: (string | undefined)[] = [];
  let begun = 0;
  const starts = createTestStarts(
    ({ name }) => {
      asked.push(name);
      return Promise.resolve({ rowCount: 1 });
    },
    () => {
      begun += 1;
      return begun < 3 ? Promise.reject(lost) : Promise.resolve('delivery-1');
    },
  );
  const ended = starts.start(delivery);
  expect([...starts.ids()]).toEqual(['dlv_1']);
  await ended;
  expect(asked).toEqual(['is_still_claimed', 'is_still_claimed', 'set_carrier']);
  expect([begun, failures, lines, starts.isFailing()]).toEqual([3, [[lost, IDS]], [], false]);
});

test.each<[string, number, boolean, (string | undefined)[]]>([
  ['another worker has taken it over', 0, false, ['is_still_claimed', undefined]],
  ['this process stops', 1, true, [undefined]],
])('a start that was not answered is not made again once %s', async (_, rowCount, isOver, statements) => {
  let begun = 0;
  const asked: (string | undefined)[] = [];
  const starts = createTestStarts(
    ({ name }) => {
      asked.push(name);
      return Promise.resolve({ rowCount });
    },
    () => {
      begun += 1;
      return Promise.reject(lost);
    },
    () => isOver,
  );
  await starts.start(delivery);
  // The last one gives it back, where it is still this process's.
  expect([begun, asked]).toEqual([1, statements]);
});

test('twelve starts that are not answered are kept, and any others are given back at once', async () => {
  let [given, isOver] = [0, false];
  const starts = createTestStarts(
    ({ name }) => {
      if (name === undefined) given += 1;
      return Promise.resolve({ rowCount: 1 });
    },
    () => Promise.reject(lost),
    () => isOver,
  );
  const all = Array.from({ length: 20 }, (_, n) => starts.start({ ...delivery, id: `dlv_${n}` }));
  await Promise.all(all.slice(12));
  expect([[...starts.ids()].length, given]).toEqual([12, 8]);
  isOver = true;
  await Promise.all(all);
  expect(given).toBe(20);
});
