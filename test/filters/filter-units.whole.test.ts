import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createConfigs } from '../../src/process/assembly/create-dependencies.ts';
import { createServices } from '../../src/process/assembly/create-services.ts';
import { createFilters } from '../../src/messaging/filters/filters.ts';
import { UNITS_OF_A_CHANNEL, UNITS_OF_A_FILTER } from '../../src/messaging/filters/expressions/units.ts';
import { dearFilter, isDear, largestPayload, smallFilter } from '../support/make/dear-filters.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/second-api.ts';

type Refusal = { id: string; error: { code: string; details?: { field: string; reason: string } } };

const webhookUrl = 'https://example.com/in';
const filters = createFilters();

let posthorn: TestPosthorn;
let channelId: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterAll(() => posthorn.stop());

const unitsOf = (filter: string): number => {
  const measured = filters.measure(filter);
  if ('problem' in measured) throw new Error(measured.problem);
  return measured.units;
};
const ask = (filter: string): Promise<Answer<Refusal>> =>
  posthorn.request('POST', '/v1/subscriptions', { channelId, webhookUrl, filter });
const subscribe = async (filter: string): Promise<string> =>
  (await createSubscription(posthorn, { channelId, webhookUrl, filter })).id;
const patch = (id: string, body: Record<string, unknown>): Promise<Answer<Refusal>> =>
  posthorn.request('PATCH', `/v1/subscriptions/${id}`, body);
const reasonOf = ({ status, body }: Answer<Refusal>): string | undefined => {
  expect([status, body.error.code, body.error.details?.field]).toEqual([400, 'INVALID_REQUEST', 'filter']);
  return body.error.details?.reason;
};
const usedUnits = async (): Promise<number> => {
  const rows = await posthorn.deps.db.subscription.findMany({
    where: { channelId, deletedAt: null, filter: { not: null } },
    distinct: ['filter'],
  });
  return rows.reduce((sum, { filterUnits }) => sum + (filterUnits ?? Number.NaN), 0);
};

const dearUnits = unitsOf(dearFilter(10));
const dearOnes = Math.floor(UNITS_OF_A_CHANNEL / dearUnits);
/** Rows as they were saved, so that a full channel takes no time to make. */
async function fill(count: number): Promise<string> {
  const id = await subscribe(dearFilter(10));
  const row = await posthorn.deps.db.subscription.findUniqueOrThrow({ where: { id } });
  await posthorn.deps.db.subscription.createMany({
    data: Array.from({ length: count - 1 }, (_, n) => ({
      ...row,
      id: posthorn.deps.newId('subscription'),
      filter: dearFilter(11 + n),
      headers: row.headers ?? {},
    })),
  });
  return id;
}

test('one filter that may take more than a filter has is refused, with what it takes, on every way of saving it', async () => {
  const filter = 'payload.a.exists(x, payload.b in payload.c)';
  const reason = /^must take at most 100000 units per message, but may take up to \d{7,}$/;
  expect(reasonOf(await ask(filter))).toMatch(reason);
  const id = await subscribe('payload.n == 1');
  expect(reasonOf(await patch(id, { filter }))).toMatch(reason);
  const sample = { eventType: 'a', payload: {}, filter };
  expect(reasonOf(await posthorn.request('POST', `/v1/channels/${channelId}/dry-run`, sample))).toMatch(reason);
  expect(await usedUnits()).toBe(unitsOf('payload.n == 1'));
});

describe("a channel's filters together", () => {
  let first: string;
  let left: number;
  beforeEach(async () => {
    first = await fill(dearOnes);
    left = UNITS_OF_A_CHANNEL - dearOnes * dearUnits;
  });

  test('may take what a channel has; one more is refused, with what is left', async () => {
    expect(isDear(dearUnits)).toBe(true);
    expect(reasonOf(await ask(dearFilter(90)))).toBe(
      `must take at most ${left} units per message, but may take up to ${dearUnits}: the other filters of the channel take ${dearOnes * dearUnits} of ${UNITS_OF_A_CHANNEL}`,
    );
    expect((await ask('payload.n == 1')).status).toBe(201);
    const plain = await createSubscription(posthorn, { channelId, webhookUrl });
    expect(reasonOf(await patch(plain.id, { filter: dearFilter(90) }))).toMatch(
      /^must take at most \d+ units per message/,
    );
    expect(await usedUnits()).toBe(dearOnes * dearUnits + unitsOf('payload.n == 1'));
  });

  test('count equal ones once, and take no account of other channels', async () => {
    expect((await ask(dearFilter(10))).status).toBe(201);
    channelId = (await createChannel(posthorn)).id;
    expect((await ask(dearFilter(90))).status).toBe(201);
  });

  test('leave to others what is replaced, taken away or deleted', async () => {
    expect((await patch(first, { filter: dearFilter(90) })).status).toBe(200);
    expect(reasonOf(await ask(dearFilter(91)))).toMatch(/the other filters of the channel take/);
    await patch(first, { filter: null });
    const next = await ask(dearFilter(91));
    expect(next.status).toBe(201);
    expect(reasonOf(await ask(dearFilter(92)))).toMatch(/the other filters of the channel take/);
    await posthorn.request('DELETE', `/v1/subscriptions/${next.body.id}`);
    expect((await ask(dearFilter(92))).status).toBe(201);
    expect(await usedUnits()).toBe(dearOnes * dearUnits);
  });

  test('never exceed it, whoever saves at the same moment', async () => {
    await patch(first, { filter: null });
    const plain = await createSubscription(posthorn, { channelId, webhookUrl });
    const answers = await Promise.all([
      ...[91, 92, 93, 94].map((n) => ask(dearFilter(n))),
      patch(first, { filter: dearFilter(95) }),
      patch(plain.id, { filter: dearFilter(96) }),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(await usedUnits()).toBe(dearOnes * dearUnits);
  });

  test('that nobody has counted yet count as much as a filter may have', async () => {
    await posthorn.deps.db.subscription.updateMany({
      where: { channelId, filter: { not: dearFilter(10) } },
      data: { filterUnits: null },
    });
    const free = UNITS_OF_A_CHANNEL - (dearOnes - 1) * UNITS_OF_A_FILTER - dearUnits;
    expect(reasonOf(await ask(dearFilter(90)))).toContain(`must take at most ${Math.max(free, 0)} units per message`);
  });
});

// Regression: filters were decided in threads, 250 ms each, and a channel's others matched undecided meanwhile.
test('100 of the largest payloads to the dearest channel are all decided, five milliseconds of filters in each turn of the event loop', async () => {
  await fill(dearOnes);
  for (let n = 0; (await ask(smallFilter(n))).status === 201 && n < 3; n += 1);
  const payload = largestPayload();
  const wanting = await subscribe(`size(payload.lines) == 1000`);
  // Each look at the clock is a millisecond later, and stands before one filter, which takes about one: so neither a slow
  // machine nor a quick one changes what is counted.
  let time = 0;
  let looks = 0;
  const counted: number[] = [];
  const endTurn = (): void => {
    counted.push(looks);
    looks = 0;
  };
  const instrumented = createFilters(() => {
    // Before the turn that filters wait for: immediates are called in the order in which they were asked for.
    if (looks === 0) setImmediate(endTurn);
    looks += 1;
    return (time += 1);
  });
  const api = await startSecondApi(
    posthorn,
    createServices({ ...posthorn.deps, filters: instrumented, publishingConfigs: createConfigs(posthorn.deps.pool) }),
  );
  const batches = [17, 17, 17, 17, 16, 16].map((count) => ({
    messages: Array.from({ length: count }, () => ({ eventType: 'order.created', payload })),
  }));
  const answers = await Promise.all(
    batches.map((batch) => api.request<{ ids: string[] }>('POST', `/v1/channels/${channelId}/messages/batch`, batch)),
  );
  await api.stop();

  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202]);
  const deliveries = await posthorn.deps.db.delivery.findMany({ where: { channelId } });
  expect(deliveries.map(({ messageId }) => messageId).toSorted()).toEqual(
    answers.flatMap(({ body }) => body.ids).toSorted(),
  );
  expect(new Set(deliveries.map(({ subscriptionId }) => subscriptionId))).toEqual(new Set([wanting]));
  expect(counted.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(100 * dearOnes);
  expect(Math.max(...counted)).toBeLessThanOrEqual(5 + batches.length + 1);
});
