import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { seedRefusedRequest } from '../support/make/seeded-refusal.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  // A run that nobody begins stays where the caller has put it.
  posthorn = await startPosthorn({ withWorker: false });
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

type Entries = { data: { action: string }[] };
/** The audit log of a thing, oldest first, once it ends with that action. */
const toldUntil = (last: string, targetId: string): Promise<string[]> =>
  waitFor(`${last} of ${targetId}`, async () => {
    const { data } = await calls.good<Entries>('GET', `/v1/audit?targetId=${targetId}&limit=50`);
    return data[0]?.action === last && data.map(({ action }) => action).toReversed();
  });
const make = async (path: string, body: object): Promise<string> =>
  (await calls.good<{ id: string }>('POST', path, body)).id;

test('a workflow and its runs: every change is in the audit log', async () => {
  const steps = [{ id: 'note', type: 'action' }];
  const id = await make('/v1/workflows', { name: 'audited', trigger: { type: 'manual' }, steps });
  const workflow = `/v1/workflows/${id}`;
  await calls.good('PATCH', workflow, { name: 'told of' });
  await calls.good('POST', `${workflow}/activate`);
  const { id: runId } = await calls.start(id);
  await calls.good('POST', `/v1/runs/${runId}/cancel`);
  await calls.good('POST', `/v1/runs/${runId}/retry`);
  await calls.good('POST', `${workflow}/runs/cancel`, {});
  await calls.good('POST', `${workflow}/pause`);
  await calls.good('DELETE', workflow);
  expect(await toldUntil('workflow.deleted', id)).toEqual([
    'workflow.created',
    'workflow.updated',
    'workflow.activated',
    'workflow.runs_cancelled',
    'workflow.paused',
    'workflow.deleted',
  ]);
  expect(await toldUntil('run.retried', runId)).toEqual(['run.started', 'run.cancelled', 'run.retried']);
});

test('inbound webhooks and connections: every change is in the audit log', async () => {
  const channelId = await make('/v1/channels', { name: 'in' });
  const webhookId = await make('/v1/webhooks', { name: 'in', channelId, scheme: 'standard' });
  await calls.good('PATCH', `/v1/webhooks/${webhookId}`, { name: 'inbound' });
  await calls.good('GET', `/v1/webhooks/${webhookId}/secrets`);
  await calls.good('POST', `/v1/webhooks/${webhookId}/secrets/rotate`, {});
  await calls.good('POST', `/v1/webhooks/${webhookId}/sample`);
  const requestId = await seedRefusedRequest(posthorn, webhookId);
  for (const _ of [1, 2]) await calls.good('POST', `/v1/inbound-requests/${requestId}/accept`);
  await calls.good('DELETE', `/v1/webhooks/${webhookId}`);
  expect(await toldUntil('webhook.deleted', webhookId)).toEqual([
    'webhook.created',
    'webhook.updated',
    'webhook.secrets_viewed',
    'webhook.secret_rotated',
    'webhook.sample_sent',
    'webhook.request_accepted',
    'webhook.deleted',
  ]);

  const connectionId = await make('/v1/connections', {
    connectorId: 'slack',
    name: 'Slack',
    credentials: { token: 'xoxb-1' },
  });
  await calls.good('PATCH', `/v1/connections/${connectionId}`, { name: 'Team' });
  await calls.good('DELETE', `/v1/connections/${connectionId}`);
  expect(await toldUntil('connection.deleted', connectionId)).toEqual([
    'connection.created',
    'connection.updated',
    'connection.deleted',
  ]);
});
