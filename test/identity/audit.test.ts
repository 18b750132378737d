import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRecordAudit, type AuditActor } from '../../src/identity/audit/record.ts';
import { timeOfId } from '../../src/kernel/values/ids.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { ResourceIds } from '../support/check/contract-table.ts';
import { make, seedResources } from '../support/make/seed.ts';

type Entry = {
  id: string;
  at: string;
  action: string;
  actor: { kind: string; id: string };
  target: { id: string };
  from?: { address: string; userAgent?: string };
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
  position: number;
  hash: string;
};

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const entriesOf = async (query = ''): Promise<Entry[]> =>
  (await posthorn.request<{ data: Entry[] }>('GET', `/v1/audit?limit=100&${query}`)).body.data;
const makeChannel = async (more: object = {}): Promise<string> =>
  (await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'orders', ...more })).id;
const makeSubscription = async (more: object = {}): Promise<string> => {
  const target = { channelId: await makeChannel(), webhookUrl: 'https://example.com/in' };
  return (await make(posthorn, posthorn.keys.live, '/v1/subscriptions', { ...target, ...more })).id;
};

describe('an entry', () => {
  test('says who did what to which resource from where, with the fields before and after', async () => {
    const id = await makeChannel({ description: 'old' });
    const body = { description: 'new' };
    await posthorn.request('PATCH', `/v1/channels/${id}`, body, { headers: { 'user-agent': 'till/1.0' } });
    const [changed, made] = await entriesOf(`targetId=${id}`);
    expect(changed).toEqual({
      id: expect.stringMatching(/^aud_/),
      at: expect.stringMatching(/Z$/),
      organisationId: expect.stringMatching(/^org_/),
      appId: expect.stringMatching(/^app_/),
      environmentId: expect.stringMatching(/^env_/),
      actor: { kind: 'apiKey', id: expect.stringMatching(/^key_/) },
      action: 'channel.updated',
      target: { id },
      from: { address: expect.stringMatching(/127\.0\.0\.1$/), userAgent: 'till/1.0' },
      before: { description: 'old' },
      after: { description: 'new' },
      position: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(made).toMatchObject({ action: 'channel.created', after: { name: 'orders', description: 'old' } });
  });

  // Old: a clock read a second time, behind a millisecond's end, gave a time at which `since` and `until` did not find the entry.
  test('tells the time that its id carries, by which since and until choose', async () => {
    const record = createRecordAudit({ ...posthorn.deps, clock: () => new Date(Date.now() + 60_000) });
    const [doer] = await entriesOf(`targetId=${await makeChannel()}`);
    const target = { id: posthorn.deps.newId('channel') };
    await record(posthorn.deps.db, doer as unknown as AuditActor, { action: 'channel.updated', target });
    const [entry] = await entriesOf(`targetId=${target.id}`);
    expect(entry?.at).toBe(timeOfId('auditEntry', String(entry?.id))?.toISOString());
  });

  /** The call that makes the change; of what it makes itself, the answer has the id. */
  const changes: [string, (ids: ResourceIds) => [string, string, object?]][] = [
    ['channel.created', () => ['POST', '/v1/channels', { name: 'new' }]],
    ['channel.updated', ({ channelId }) => ['PATCH', `/v1/channels/${channelId}`, { name: 'other' }]],
    ['subscription.updated', ({ subscriptionId }) => ['PATCH', `/v1/subscriptions/${subscriptionId}`, { name: 'x' }]],
    ['subscription.updated', ({ subscriptionId }) => ['POST', `/v1/subscriptions/${subscriptionId}/pause`]],
    ['subscription.updated', ({ subscriptionId }) => ['POST', `/v1/subscriptions/${subscriptionId}/resume`]],
    ['subscription.secret_viewed', ({ subscriptionId }) => ['GET', `/v1/subscriptions/${subscriptionId}/secret`]],
    [
      'subscription.secret_rotated',
      ({ subscriptionId }) => ['POST', `/v1/subscriptions/${subscriptionId}/secret/rotate`],
    ],
    ['delivery.retried', ({ deliveryId }) => ['POST', `/v1/deliveries/${deliveryId}/retry`]],
    [
      'message.replayed',
      ({ messageId, subscriptionId }) => ['POST', `/v1/messages/${messageId}/replay`, { subscriptionId }],
    ],
    ['dead_letter.replayed', ({ deadLetterId }) => ['POST', `/v1/dlq/${deadLetterId}/replay`]],
    ['dead_letter.bulk_discarded', ({ channelId }) => ['POST', '/v1/dlq/discard', { channelId }]],
    ['dead_letter.discarded', ({ deadLetterId }) => ['DELETE', `/v1/dlq/${deadLetterId}`]],
    ['message.cancelled', ({ scheduledMessageId }) => ['POST', `/v1/messages/${scheduledMessageId}/cancel`]],
    ['message.erased', ({ messageId }) => ['DELETE', `/v1/messages/${messageId}`]],
    ['message.erased', ({ scheduledMessageId }) => ['DELETE', `/v1/messages/${scheduledMessageId}`]],
    ['replay.cancelled', ({ bulkReplayId }) => ['POST', `/v1/dlq/replay/${bulkReplayId}/cancel`]],
    ['replay.cancelled', ({ bulkRetryId }) => ['POST', `/v1/deliveries/retry/${bulkRetryId}/cancel`]],
    ['replay.cancelled', ({ messageReplayId }) => ['POST', `/v1/replays/${messageReplayId}/cancel`]],
    ['replay.started', ({ channelId }) => ['POST', '/v1/dlq/replay', { channelId }]],
    ['replay.started', ({ channelId }) => ['POST', '/v1/deliveries/retry', { channelId }]],
    ['app.updated', ({ appId }) => ['PATCH', `/v1/apps/${appId}`, { description: 'changed' }]],
    ['machine_credential.created', () => ['POST', '/v1/machine-credentials', { name: 'new' }]],
    [
      'machine_credential.updated',
      ({ machineCredentialId: id }) => ['PATCH', `/v1/machine-credentials/${id}`, { name: 'x' }],
    ],
    ['machine_credential.rotated', ({ machineCredentialId: id }) => ['POST', `/v1/machine-credentials/${id}/rotate`]],
    ['machine_credential.revoked', ({ machineCredentialId: id }) => ['DELETE', `/v1/machine-credentials/${id}`]],
    ['api_key.created', () => ['POST', '/v1/api-keys', { name: 'new' }]],
    ['api_key.updated', ({ apiKeyId }) => ['PATCH', `/v1/api-keys/${apiKeyId}`, { name: 'renamed' }]],
    ['api_key.rotated', ({ apiKeyId }) => ['POST', `/v1/api-keys/${apiKeyId}/rotate`]],
    ['api_key.revoked', ({ apiKeyId }) => ['DELETE', `/v1/api-keys/${apiKeyId}`]],
    ['subscription.deleted', ({ subscriptionId }) => ['DELETE', `/v1/subscriptions/${subscriptionId}`]],
    ['channel.deleted', ({ channelId }) => ['DELETE', `/v1/channels/${channelId}`]],
  ];

  test.each(changes)(
    '%s is written once by the change, and by nothing that changes nothing',
    async (action, callOf) => {
      const ids = await seedResources(posthorn, posthorn.keys.live);
      const [method, path, body] = callOf(ids);
      if (path.endsWith('/resume')) await posthorn.request('POST', path.replace('resume', 'pause'));
      const before = (await entriesOf())[0]?.position ?? 0;
      const answer = await posthorn.request<{ id: string }>(method, path, body);
      expect(answer.status).toBeLessThan(300);
      const written = (await entriesOf()).filter(({ position }) => position > before);
      const target = Object.values(ids).find((id) => path.includes(id)) ?? answer.body.id ?? ids.deadLetterId;
      expect(written.map((entry) => [entry.action, entry.target.id])).toEqual([[action, target]]);
      const unknown = path.replace(/[a-z]{3}_[0-9a-z]{26}/, (id) => `${id.slice(0, 4)}01h00000000000000000000000`);
      if (unknown !== path) expect((await posthorn.request(method, unknown, body)).status).toBe(404);
      await posthorn.request('GET', '/v1/channels');
      expect((await entriesOf())[0]?.position).toBe(before + 1);
    },
  );

  test('is there for no change that was refused or was none', async () => {
    const id = await makeSubscription();
    const before = (await entriesOf())[0]?.position;
    for (const body of [{ name: '' }, { webhookUrl: 'https://10.0.0.1/in' }, {}, { status: 'active' }])
      await posthorn.request('PATCH', `/v1/subscriptions/${id}`, body);
    await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
    await posthorn.request('POST', '/v1/channels', { name: '' });
    expect((await entriesOf())[0]?.position).toBe(before);
  });

  test('holds no secret: neither a signing secret nor the value of a header', async () => {
    const id = await makeSubscription({ headers: { 'X-Api-Token': 'hunter2-hunter2' } });
    await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { headers: { 'X-Api-Token': 'swordfish' } });
    const { body } = await posthorn.request<{ secret: string }>('POST', `/v1/subscriptions/${id}/secret/rotate`);
    await posthorn.request('GET', `/v1/subscriptions/${id}/secret`);
    const entries = await entriesOf(`targetId=${id}`);
    expect(entries.map(({ action }) => action)).toEqual([
      'subscription.secret_viewed',
      'subscription.secret_rotated',
      'subscription.updated',
      'subscription.created',
    ]);
    expect(entries[2]?.after).toEqual({ headers: { 'X-Api-Token': '(not kept)' } });
    for (const secret of ['hunter2', 'swordfish', body.secret, body.secret.slice(6)])
      expect(JSON.stringify(entries)).not.toContain(secret);
  });
});

test("another environment's entries are not shown, nor exported", async () => {
  const id = await makeChannel();
  const { test: key } = posthorn.keys;
  const listed = await posthorn.request<{ data: Entry[] }>('GET', `/v1/audit?limit=100&targetId=${id}`, undefined, {
    key,
  });
  expect(listed.body.data).toEqual([]);
  expect(await exported(key)).not.toContain(id);
  expect(await exported(posthorn.keys.live)).toContain(id);
});

async function exported(key: string): Promise<string> {
  const answer = await fetch(`${posthorn.url}/v1/audit/export`, { headers: { authorization: `Bearer ${key}` } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  return answer.text();
}
