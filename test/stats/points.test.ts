import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mergeParts } from '../../src/stats/merge-store.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Points = { points: { answers: Record<string, number> }[] };

const NO_ANSWERS = { status2xx: 0, status3xx: 0, status4xx: 0, status5xx: 0, none: 0 };

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

test('a point says how the attempts of its step were answered, by class', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const { id: subscriptionId } = await createSubscription(posthorn, {
    channelId,
    webhookUrl: 'https://example.com/',
  });
  const begun = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
  const outcomes = (...codes: number[]): number[] => codes.map((code) => code * 64 + 63);
  const insert = (minute: number, values: number[], accepted: number, deadLetters: number) =>
    posthorn.deps.pool.query(
      `INSERT INTO stat_parts (environment_id, channel_id, subscription_id, at, outcomes, accepted, dead_letters) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [environmentId, channelId, subscriptionId, new Date(begun + minute * 60_000), values, accepted, deadLetters],
    );
  await insert(0, outcomes(200, 204, 302), 0, 0);
  // Messages and dead letters are no answers.
  await insert(1, outcomes(503, 500, 429, 4), 7, 2);
  await mergeParts(posthorn.deps.pool);
  const bounds = `since=${new Date(begun).toISOString()}&until=${new Date(begun + 180_000).toISOString()}`;
  for (const query of [`?channelId=${channelId}&${bounds}`, `?subscriptionId=${subscriptionId}&${bounds}`]) {
    const { body } = await posthorn.request<Points>('GET', `/v1/stats${query}`);
    expect(body.points.map(({ answers }) => answers)).toEqual([
      { ...NO_ANSWERS, status2xx: 2, status3xx: 1 },
      { ...NO_ANSWERS, status4xx: 1, status5xx: 2, none: 1 },
      NO_ANSWERS,
    ]);
  }
  // A row of a list has no room for them.
  const { body } = await posthorn.request<{ subscriptions: Points[] }>(
    'GET',
    `/v1/stats/subscriptions?subscriptionIds=${subscriptionId}&${bounds}`,
  );
  expect(body.subscriptions[0]?.points[1]).not.toHaveProperty('answers');
});
