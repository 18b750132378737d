import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { SENDER_HEADER } from '../../src/outbound/sender-proof.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { inspectorCalls, type List, post } from '../support/make/inspector-calls.ts';
import { insertOrganisation } from '../support/make/organisation.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

const REFUSED_AT_MOST = 3;

let posthorn: TestPosthorn;
let calls: ReturnType<typeof inspectorCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ strangerRequestsPerMinute: REFUSED_AT_MOST });
  calls = inspectorCalls(posthorn);
});
afterAll(() => posthorn.stop());
afterEach(() => posthorn.deps.db.inspector.deleteMany());

/** The statuses of the tries of a message's one delivery, as many as there are. */
async function triesOf(messageId: string): Promise<number[]> {
  const { rows } = await posthorn.deps.pool.query<{ status: number }>(
    `SELECT a.response_status AS status FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
     WHERE d.message_id = $1 ORDER BY a.number`,
    [messageId],
  );
  return rows.map(({ status }) => status);
}

// The old mechanism: these requests counted for the service's own address, and closed the inspectors of everybody who sends from there.
test('deliveries to an inspector that nobody has close the inspectors of nobody else', async () => {
  const { id, url } = await calls.makeInspector();
  for (let count = 0; count <= REFUSED_AT_MOST; count += 1) {
    const { messageId } = await calls.publishTo(`${posthorn.url}/inspect/ins_${'0'.repeat(26)}`);
    const tries = await waitFor('the first try', async () => {
      const statuses = await triesOf(messageId);
      return statuses.length > 0 && statuses;
    });
    expect(tries[0]).toBe(404);
  }
  expect((await post(url, 'a stranger')).status).toBe(200);
  const { messageId } = await calls.publishTo(url);
  await waitFor('the delivery', async () => {
    const list = await posthorn.request<List<{ status: string }>>('GET', `/v1/deliveries?messageId=${messageId}`);
    return list.body.data[0]?.status === 'delivered';
  });
  expect(await triesOf(messageId)).toEqual([200]);
  // A receiver elsewhere gets no proof of the sender.
  const { headers } = await calls.newestOf(id);
  expect(headers.map(({ name }) => name.toLowerCase())).not.toContain(SENDER_HEADER);
});

// The old mechanism: one set of places for all, and a row that told of an answer which was never given.
test('answers that one organisation has held back leave those of others alone, and its rows tell the answers that were given', async () => {
  const { id, url } = await calls.makeInspector({ answer: { delayMs: 30_000 } });
  const leaving = new AbortController();
  const { signal } = leaving;
  const held = Array.from({ length: 50 }, () => fetch(url, { method: 'POST', signal }).catch(() => undefined));
  const { db, newId } = posthorn.deps;
  await waitFor(
    'the answers that are held back',
    async () => (await db.inspectedRequest.count({ where: { inspectorId: id } })) === held.length,
  );
  const refused = await post(url, 'one more');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await calls.rowsOf(id))[0]).toMatchObject({ answer: { status: 503, delayMs: 0 } });
  const { live } = await insertOrganisation(posthorn.deps);
  const [now, other] = [new Date(), `ins_${'1'.repeat(26)}`];
  await db.inspector.create({
    data: {
      id: other,
      position: newId('inspector'),
      environmentId: live,
      name: 'other',
      answerDelayMs: 1,
      createdAt: now,
      updatedAt: now,
    },
  });
  expect((await post(`${posthorn.url}/inspect/${other}`, 'x')).status).toBe(200);
  leaving.abort();
  await Promise.all(held);
  // A place is free again once the service has seen that its connection is gone.
  await posthorn.request('PATCH', `/v1/inspectors/${id}`, { answer: { delayMs: 1 } });
  await waitFor('a place', async () => (await post(url, 'again')).status === 200);
});
