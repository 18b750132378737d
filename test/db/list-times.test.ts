import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endAsDeadLetter } from '../../src/deliveries/statements/end.ts';
import { systemChannelId } from '../../src/kernel/words/service-events.ts';
import { createChannel, createSubscription, type PageJson, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const COUNT = 20;
type Shown = { id: string } & Record<'publishedAt' | 'createdAt' | 'failedAt', string>;

let posthorn: TestPosthorn;
let channelId: string;
let systemChannel: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const { db, pool } = posthorn.deps;
  ({ id: channelId } = await createChannel(posthorn));
  systemChannel = systemChannelId((await db.channel.findUniqueOrThrow({ where: { id: channelId } })).environmentId);
  for (const channel of [channelId, systemChannel])
    await createSubscription(posthorn, { channelId: channel, webhookUrl: 'http://127.0.0.1:4000/' });
  await publishBatch(posthorn, channelId, COUNT);
  for (const { id } of await db.delivery.findMany({ where: { channelId } })) {
    const letter = {
      deliveryId: id,
      round: 1,
      reason: 'cancelled' as const,
      message: 'ended',
    };
    expect(await endAsDeadLetter(pool, letter)).toBe(true);
  }
});
afterAll(() => posthorn.stop());

const list = async (path: string): Promise<Shown[]> => {
  const { body } = await posthorn.request<PageJson<Shown>>('GET', path);
  return body.data;
};
const moved = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/** Each item is found between the milliseconds around the time that it shows, and neither before nor after that time. */
async function expectFoundAtItsTime(path: string, field: 'publishedAt' | 'createdAt' | 'failedAt'): Promise<void> {
  const items = await list(`${path}limit=100`);
  expect(items).toHaveLength(COUNT);
  for (const { id, [field]: time } of items) {
    const ids = async (query: string): Promise<string[]> =>
      (await list(`${path}limit=100&${query}`)).map((item) => item.id);
    expect(await ids(`since=${moved(time, -1)}&until=${moved(time, 1)}`)).toContain(id);
    expect(await ids(`since=${time}`)).not.toContain(id);
    expect(await ids(`until=${time}`)).not.toContain(id);
  }
}

// Old: the time was taken a second time, and rounded to the next millisecond as often as not.
test('a service event is listed at the time that it shows', () =>
  expectFoundAtItsTime(`/v1/channels/${systemChannel}/messages?`, 'publishedAt'));

// Old: createdAt was the beginning of the transaction, rounded, and so before the time in the id, or behind it.
test('a delivery is listed at the time that it shows, of an event as well', async () => {
  await expectFoundAtItsTime(`/v1/deliveries?channelId=${channelId}&`, 'createdAt');
  await expectFoundAtItsTime(`/v1/deliveries?channelId=${systemChannel}&`, 'createdAt');
});

test('a dead letter is listed at the time that it shows', () => expectFoundAtItsTime('/v1/dlq?', 'failedAt'));
