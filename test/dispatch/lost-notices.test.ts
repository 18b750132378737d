import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DUE_CHANNEL } from '../../src/db/waking/due.ts';
import { DUE_RUNS_CHANNEL } from '../../src/db/waking/due-runs.ts';
import { listenForDue } from '../../src/dispatch/loop/listen-for-due.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startSecondApi } from '../support/service/second-api.ts';
import { createReceivers } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await posthorn.stop();
  await receivers.end();
});

// PostgreSQL keeps a notification for nobody who does not listen at its moment, and an API of another process hands nothing over.
test('a delivery and a run are found though no notification reaches the worker', async () => {
  const { pool } = posthorn.deps;
  const receiver = await receivers.start({});
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const { body: workflow } = await posthorn.request<{ id: string }>('POST', '/v1/workflows', {
    name: 'on orders',
    trigger: { type: 'event', config: { channelIds: [channelId] } },
    steps: [{ id: 'note', type: 'action', config: { action: 'log', message: 'seen' } }],
  });
  expect((await posthorn.request('POST', `/v1/workflows/${workflow.id}/activate`)).status).toBe(200);

  const silencer = await pool.connect();
  const { rows } = await silencer.query<{ name: string }>('SELECT current_database() AS name');
  // A search path that names public first finds this one before PostgreSQL's own. Connections that stand keep their path, so none stays.
  await silencer.query(`CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE sql AS ''`);
  await silencer.query(`ALTER DATABASE "${rows[0]?.name}" SET search_path = public, pg_catalog`);
  await silencer.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  silencer.release(true);
  const heard: string[] = [];
  const witnesses = [DUE_CHANNEL, DUE_RUNS_CHANNEL].map((channel) => {
    const onNotice = (): void => void heard.push(channel);
    return listenForDue(pool, posthorn.deps.log, { channel, onBegin: () => undefined, onNotice });
  });
  await waitFor('the worker and its witnesses to listen', async () => {
    const found = await pool
      .query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query = ANY ($1)`,
        [[`LISTEN ${DUE_CHANNEL}`, `LISTEN ${DUE_RUNS_CHANNEL}`]],
      )
      // On a connection that has just been ended.
      .catch(() => undefined);
    return found?.rows[0]?.count === 4;
  });

  const api = await startSecondApi(posthorn);
  try {
    const message = { eventType: 'order.created', payload: { n: 1 } };
    const { status } = await api.request('POST', `/v1/channels/${channelId}/messages`, message);
    expect(status).toBe(202);
    await waitFor('the message to arrive', () => receiver.requests.length === 1);
    await waitFor('the run to end', async () => {
      const { body } = await posthorn.request<{ data: { status: string }[] }>(
        'GET',
        `/v1/workflows/${workflow.id}/runs`,
      );
      return body.data.some((run) => run.status === 'completed');
    });
    expect(heard).toEqual([]);
  } finally {
    for (const witness of witnesses) await witness.stop();
    await api.stop();
  }
});
