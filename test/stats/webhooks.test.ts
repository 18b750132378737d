import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mergeParts } from '../../src/stats/merge-store.ts';
import { github, inboundCalls } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof inboundCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  calls = inboundCalls(posthorn);
});
afterAll(() => posthorn.stop());

type Row = { webhookId: string; received: number; repeated: number; refused: number };
const list = async (query: string): Promise<Row[]> =>
  (await posthorn.request<{ webhooks: Row[] }>('GET', `/v1/stats/webhooks${query}`)).body.webhooks;

test('requests to webhooks of a page are counted by what became of them, and ids that are not here are left out', async () => {
  const { webhook: busy } = await calls.makeWebhook();
  const { webhook: idle } = await calls.makeWebhook();
  for (const eventId of ['one', 'two', 'one']) await calls.send(busy.id, '{}', github('{}', eventId));
  await calls.send(busy.id, '{}', github('{}', 'three', 'wrong'));
  const { pool } = posthorn.deps;
  await mergeParts(pool);
  expect((await pool.query('SELECT FROM inbound_stat_parts')).rows).toEqual([]);
  const none = { received: 0, repeated: 0, refused: 0 };
  const [of, other] = [
    { webhookId: busy.id, received: 2, repeated: 1, refused: 1 },
    { webhookId: idle.id, ...none },
  ];
  expect(await list(`?webhookIds=${idle.id},whk_01m7xyn29kf99taeh4t9wftvgy,${busy.id}`)).toEqual([other, of]);
  expect(await list('')).toEqual([other, of]);
  // Figures of a webhook are no traffic, and no runs.
  const { body } = await posthorn.request('GET', `/v1/stats?channelId=${busy.id}`);
  expect(body).toMatchObject({ totals: { accepted: 0, delivered: 0, failedAttempts: 0, deadLetters: 0 }, answers: [] });
});
