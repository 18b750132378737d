import { DERIVED_RESOURCES, type ResourceIds } from '../check/contract-table.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { seedRefusedRequest } from './seeded-refusal.ts';
import { seedCredentials } from './seeded-credentials.ts';
import { seedInspector } from './seeded-inspectors.ts';

/** Creates a resource through the API with that key; fails unless the response is a 201. */
export async function make(
  posthorn: TestPosthorn,
  key: string,
  path: string,
  body: Record<string, unknown>,
): Promise<{ id: string } & Record<string, unknown>> {
  const answer = await posthorn.request<{ id: string }>('POST', path, body, { key });
  if (answer.status > 299) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Inserts a recorded failed attempt of a delivery, as the attempt activity leaves it. Returns its id. */
export async function insertAttempt(
  { deps }: TestPosthorn,
  deliveryId: string,
  number: number,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const row = await deps.db.attempt.create({
    data: {
      id: deps.newId('attempt'),
      deliveryId,
      number,
      startedAt: new Date(),
      durationMs: 12,
      outcome: 'failed',
      errorClass: 'status',
      errorMessage: 'answered with status 500',
      responseStatus: 500,
      responseHeaders: { 'content-type': 'text/plain' },
      responseBody: 'no',
      responseLatencyMs: 11,
      carrier: `delivery/${deliveryId}/1`,
      ...fields,
    },
  });
  return row.id;
}

/** Fails a delivery as the last attempt of its policy does, with an attempt and an open dead letter. Returns the dead letter's id. */
export async function endAsDeadLetter(
  posthorn: TestPosthorn,
  deliveryId: string,
  { failedAt, ...fields }: { failedAt?: Date } & Record<string, unknown> = {},
): Promise<string> {
  const { db, newId } = posthorn.deps;
  const delivery = await db.delivery.update({
    where: { id: deliveryId },
    data: {
      status: 'failed',
      attempts: 1,
      policyAttempts: 1,
      dueAt: null,
      lastAttemptAt: new Date(),
      failureReason: 'exhausted',
      responseStatus: 500,
      responseBody: 'no',
      responseLatencyMs: 11,
    },
  });
  await insertAttempt(posthorn, deliveryId, 1);
  const row = await db.deadLetter.create({
    data: {
      id: newId('deadLetter', failedAt),
      environmentId: delivery.environmentId,
      channelId: delivery.channelId,
      messageId: delivery.messageId,
      subscriptionId: delivery.subscriptionId,
      deliveryId,
      round: delivery.round,
      eventType: 'order.created',
      reason: 'exhausted',
      errorClass: 'status',
      errorMessage: 'answered with status 500',
      errorStatus: 500,
      attempts: 1,
      failedAt: failedAt ?? new Date(),
      ...fields,
    },
  });
  return row.id;
}

/** An environment has at most a hundred active workflows. Pauses those of earlier tests when there are many. */
async function makeRoomForWorkflow({ deps: { db } }: TestPosthorn, channelId: string): Promise<void> {
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const active = { environmentId, status: 'active' };
  if ((await db.workflow.count({ where: active })) > 50)
    await db.workflow.updateMany({ where: active, data: { status: 'paused' } });
}

/** Inserts a run whose step failed and which waits for a person, so that it can be retried and cancelled. Returns its id. */
export async function insertPausedRun({ deps }: TestPosthorn, workflowId: string, mark = 'noted'): Promise<string> {
  const { environmentId } = await deps.db.workflow.findUniqueOrThrow({ where: { id: workflowId } });
  const error = { errorCode: 'HTTP_500', errorMessage: mark };
  const step = {
    stepId: 'note',
    iteration: '',
    number: 1,
    type: 'action',
    status: 'failed',
    way: 'pause',
    attempts: 1,
  };
  const row = await deps.db.run.create({
    data: {
      id: deps.newId('run'),
      workflow: { connect: { environmentId_id: { environmentId, id: workflowId } } },
      version: 1,
      status: 'paused',
      triggerType: 'manual',
      input: JSON.stringify({ note: mark }),
      ...error,
      errorStep: 'note',
      startedAt: new Date(),
      steps: {
        create: { ...step, ...error, output: JSON.stringify(mark), startedAt: new Date(), finishedAt: new Date() },
      },
    },
  });
  return row.id;
}

/** Inserts a step of a run that asks for a decision; each `iteration` asks again. Returns the approval's id. */
export async function insertApproval(
  { deps }: TestPosthorn,
  runId: string,
  { mark = 'noted', iteration = '' } = {},
): Promise<string> {
  const { environmentId, workflowId } = await deps.db.run.findUniqueOrThrow({ where: { id: runId } });
  const step = { runId, stepId: 'ask', iteration, environmentId };
  const now = new Date();
  await deps.db.runStep.create({ data: { ...step, number: 2, type: 'approval', status: 'waiting', startedAt: now } });
  const { id } = await deps.db.approval.create({
    data: {
      ...step,
      id: deps.newId('approval'),
      workflowId,
      title: mark,
      message: mark,
      approvers: [],
      form: JSON.stringify({ title: mark }),
      createdAt: now,
      expiresAt: new Date(now.getTime() + 86_400_000),
    },
  });
  return id;
}

/**
 * Creates one resource of every kind in the environment of that key: a message whose delivery is a dead letter, and what belongs to it.
 * `mark` is in every text that a tenant may choose.
 */
export async function seedResources(posthorn: TestPosthorn, key: string, mark?: string): Promise<ResourceIds> {
  const named = (name: string) => (mark === undefined ? { name } : { name: `${name} ${mark}` });
  const noted = mark === undefined ? {} : { metadata: { note: mark } };
  const channel = await make(posthorn, key, '/v1/channels', {
    ...named('orders'),
    ...(mark !== undefined && { description: mark, schema: { title: mark } }),
  });
  const subscription = await make(posthorn, key, '/v1/subscriptions', {
    channelId: channel.id,
    webhookUrl: `https://example.com/in${mark === undefined ? '' : `/${mark}`}`,
    ...(mark !== undefined && {
      name: mark,
      owner: 'customer-7',
      headers: { 'x-note': mark },
      filter: `payload.n < 9 || payload.n == "${mark}"`,
    }),
  });
  const message = await make(posthorn, key, `/v1/channels/${channel.id}/messages`, {
    eventType: 'order.created',
    payload: { n: 1, mark },
    ...noted,
  });
  const scheduled = await make(posthorn, key, `/v1/channels/${channel.id}/messages`, {
    eventType: 'order.created',
    payload: { n: 2, mark },
    delay: 86_400_000,
    ...noted,
  });
  const { id: deliveryId } = await posthorn.deps.db.delivery.findFirstOrThrow({ where: { messageId: message.id } });
  const deadLetterId = await endAsDeadLetter(posthorn, deliveryId, mark === undefined ? {} : { errorMessage: mark });
  const bulkReplay = await make(posthorn, key, '/v1/dlq/replay', { channelId: channel.id });
  const bulkRetry = await make(posthorn, key, '/v1/deliveries/retry', { channelId: channel.id });
  await posthorn.deps.db.delivery.update({ where: { id: deliveryId }, data: { replayId: bulkRetry.id } });
  const past = new Date(Date.now() - 3_600_000).toISOString();
  const messageReplay = await make(posthorn, key, `/v1/subscriptions/${subscription.id}/replay`, { since: past });
  await makeRoomForWorkflow(posthorn, channel.id);
  const workflow = await make(posthorn, key, '/v1/workflows', {
    ...named('large orders'),
    ...(mark !== undefined && { description: mark }),
    status: 'active',
    trigger: { type: 'event', config: { channelId: channel.id, eventTypes: ['order.refused'] } },
    steps: [{ id: 'note', type: 'action', config: { text: mark ?? 'noted' } }],
  });
  const runId = await insertPausedRun(posthorn, workflow.id, mark);
  const approvalId = await insertApproval(posthorn, runId, { mark });
  // So that lists of them have a second page.
  await insertApproval(posthorn, await insertPausedRun(posthorn, workflow.id, mark), { mark });
  // No more scopes than the least key that may rotate it has itself.
  const apiKey = await make(posthorn, key, '/v1/api-keys', { ...named('till'), scopes: ['credentials:write'] });
  const machineCredential = await make(posthorn, key, '/v1/machine-credentials', {
    ...named('till'),
    scopes: ['credentials:write'],
  });
  const webhook = await make(posthorn, key, '/v1/webhooks', {
    ...named('GitHub'),
    channelId: channel.id,
    provider: 'github',
    ...(mark !== undefined && { eventType: { literal: mark } }),
  });
  // They are refused without a signature, so the webhook's log has two lines.
  for (const _ of [1, 2]) await posthorn.request('POST', `/v1/webhooks/${webhook.id}`, {}, { key: null });
  const requestId = await seedRefusedRequest(posthorn, webhook.id, mark);
  const { secretId, connectionId } = await seedCredentials(
    (path, body) => make(posthorn, key, path, body),
    named('CRM').name,
  );
  const inspector = await seedInspector(posthorn, (path, body) => make(posthorn, key, path, body), {
    ...named('first look'),
    channelId: channel.id,
  });
  const told = await posthorn.deps.db.auditEntry.findFirstOrThrow({ where: { targetId: channel.id } });
  const app = await posthorn.deps.db.app.findUniqueOrThrow({ where: { id: String(apiKey['appId']) } });
  // `as`: the loop below adds the others.
  const ids = {
    channelId: channel.id,
    messageId: message.id,
    scheduledMessageId: scheduled.id,
    subscriptionId: subscription.id,
    deliveryId,
    deadLetterId,
    bulkReplayId: bulkReplay.id,
    bulkRetryId: bulkRetry.id,
    messageReplayId: messageReplay.id,
    workflowId: workflow.id,
    runId,
    approvalId,
    apiKeyId: apiKey.id,
    appId: app.id,
    auditEntryId: told.id,
    organisationId: app.organisationId,
    machineCredentialId: machineCredential.id,
    webhookId: webhook.id,
    requestId,
    ...inspector,
    secretId,
    connectionId,
    connectorId: 'slack',
  } as ResourceIds;
  for (const { path, body, parameter } of DERIVED_RESOURCES) {
    const good = body(ids);
    const { id } = await make(posthorn, key, path, { ...good, ...('name' in good && named(String(good['name']))) });
    Object.assign(ids, { [parameter]: id });
  }
  return ids;
}
