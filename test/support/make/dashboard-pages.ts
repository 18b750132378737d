import type { TestPosthorn } from '../service/posthorn.ts';
import { type Browser, createBrowser } from '../world/browser.ts';
import { codeOf } from './people.ts';
import { endAsDeadLetter, insertApproval, insertAttempt, insertPausedRun, make, seedResources } from './seed.ts';

/** One step of each kind, so that forms and diagrams draw all of them. */
const stepsOf = ({
  channelId,
  connectionId,
  workflowId,
}: Record<'channelId' | 'connectionId' | 'workflowId', string>) => [
  { id: 'paid', type: 'filter', config: { expression: 'event.payload.n > 0' }, next: 'sum' },
  { id: 'sum', type: 'transform', config: { set: { net: '{{ event.payload.n }}' } }, next: 'where' },
  {
    id: 'where',
    type: 'switch',
    config: { cases: [{ when: 'event.payload.n == 1', next: 'each' }], default: 'large' },
  },
  // oxlint-disable-next-line unicorn/no-thenable -- the field's public name
  { id: 'large', type: 'condition', config: { expression: 'event.payload.n > 5', then: 'each', else: 'refuse' } },
  { id: 'refuse', type: 'end', config: { status: 'failed', error: { code: 'SMALL', message: 'Too small' } } },
  { id: 'each', type: 'foreach', config: { items: '[1, 2]', body: 'reserve' }, next: 'later' },
  { id: 'reserve', type: 'action', config: { action: 'http', url: 'https://example.com/stock', body: '{{ item }}' } },
  { id: 'later', type: 'delay', config: { for: '10m' }, next: 'wait' },
  { id: 'wait', type: 'wait_for_event', config: { eventTypes: ['order.paid'], timeout: '1h' }, next: 'both' },
  { id: 'both', type: 'parallel', config: { branches: ['tell', 'note'] }, next: 'ask' },
  {
    id: 'tell',
    type: 'action',
    config: {
      action: 'connector',
      connectorId: 'slack',
      operation: 'post-message',
      connectionId,
      params: { channel: 'C1', text: 'Noted' },
    },
  },
  { id: 'note', type: 'action', config: { action: 'log', text: 'Noted' } },
  { id: 'ask', type: 'approval', config: { title: 'Go on?' }, next: 'more' },
  { id: 'more', type: 'workflow', config: { workflowId }, next: 'done' },
  { id: 'done', type: 'action', config: { action: 'publish', channelId, eventType: 'order.done', payload: {} } },
];

/** Pages whose address names no created resource. */
export const PLAIN_PAGES = [
  'overview',
  'search?q=order.created',
  'search?q=payload.n=1',
  'messages',
  'messages/new',
  'deliveries',
  'dead-letters',
  'channels',
  'subscriptions',
  'subscriptions/new',
  'workflows',
  'runs',
  'inbound',
  'connectors',
  'connectors/slack',
  'inspect',
  'members',
  'sign-in-settings',
  'service',
  'account',
] as const;

/**
 * Creates one of everything that a page of the dashboard shows, in the live environment, with `mark` in every text that users can
 * choose. Returns the pages by their addresses, those opened by a link before signing in, and that of the signature doctor with its
 * message.
 */
export async function seedPages(
  posthorn: TestPosthorn,
  { browser, organisation, mark }: { browser: Browser; organisation: string; mark: string },
): Promise<{ pages: string[]; links: string[]; doctor: string }> {
  const key = posthorn.keys.live;
  const { db } = posthorn.deps;
  const ids = await seedResources(posthorn, key, mark);
  const { channelId, deliveryId, subscriptionId, workflowId } = ids;
  await insertAttempt(posthorn, deliveryId, 2, {
    errorMessage: mark,
    responseBody: mark,
    responseHeaders: { 'content-type': 'text/html', 'x-note': mark },
  });
  const slack = { connectorId: 'slack', name: mark, credentials: { token: 'xoxb-1' } };
  const { id: slackId } = await make(posthorn, key, '/v1/connections', slack);
  const steps = stepsOf({ channelId, connectionId: slackId, workflowId });
  const each = await make(posthorn, key, '/v1/workflows', { name: mark, steps });
  const changed = steps.map((step) => (step.id === 'ask' ? { ...step, config: { title: mark } } : step));
  const { status: isChanged } = await posthorn.request('PATCH', `/v1/workflows/${each.id}`, { steps: changed });
  if (isChanged !== 200) throw new Error(`Changing a workflow was answered with ${isChanged}`);
  const runs: string[] = [];
  for (const status of ['completed', 'failed', 'waiting', 'cancelled']) {
    const id = await insertPausedRun(posthorn, workflowId, mark);
    if (status === 'waiting') await insertApproval(posthorn, id, { mark });
    await db.run.update({ where: { id }, data: { status } });
    runs.push(id);
  }
  // A second message whose run failed: there are dead letters of both kinds.
  const { id: messageId } = await make(posthorn, key, `/v1/channels/${channelId}/messages`, {
    eventType: 'order.created',
    payload: { n: 3, exact: 12.5, text: mark },
  });
  const { id: second } = await db.delivery.findFirstOrThrow({ where: { messageId } });
  const deadRunId = await endAsDeadLetter(posthorn, second, { errorMessage: mark });
  await db.deadLetter.update({
    where: { id: deadRunId },
    data: { deliveryId: null, subscriptionId: null, workflowId, runId: runs[1] ?? null, reason: 'failed_step' },
  });
  await browser.request('POST', '/v1/views', { page: 'deliveries', name: mark, search: { status: 'failed' } });
  const invited = await browser.request<{ link: string }>('POST', `${organisation}/invitations`, {
    email: 'new@example.com',
    role: 'viewer',
  });
  const joining = await browser.request<{ link: string }>('POST', `${organisation}/invitations`, {
    email: 'joined@example.com',
    role: 'developer',
  });
  const joined = { code: codeOf(joining.body.link), name: mark.slice(0, 60), password: 'walnut ferry dusk orbit' };
  await createBrowser(posthorn).request('POST', '/v1/invitations/accept', joined);
  const { id: entryId } = await db.auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const { appId } = await db.environment.findFirstOrThrow({ where: { channels: { some: { id: channelId } } } });
  const tabs = (page: string, ...names: string[]): string[] => [page, ...names.map((name) => `${page}?tab=${name}`)];
  return {
    pages: [
      // Pages that cannot be read are tested at the last address of each: messages by the bare one, others with a row next to the list.
      'messages?tab=scheduled',
      `messages?tab=tail&channel=${channelId}`,
      ...PLAIN_PAGES,
      `messages/${ids.messageId}`,
      `messages/${ids.scheduledMessageId}`,
      `deliveries?open=${deliveryId}`,
      `deliveries/${deliveryId}`,
      `dead-letters/${ids.deadLetterId}`,
      `dead-letters/${deadRunId}`,
      `replays?open=${ids.bulkReplayId}`,
      `replays?tab=deliveries&open=${ids.bulkRetryId}`,
      `replays?tab=messages&open=${ids.messageReplayId}`,
      ...[ids.bulkReplayId, ids.bulkRetryId, ids.messageReplayId].map((id) => `replays/${id}`),
      ...tabs(`channels/${channelId}`, 'schemas', 'trial', 'settings'),
      ...tabs(`subscriptions/${subscriptionId}`, 'deliveries', 'settings', 'secret'),
      ...tabs(`workflows/${workflowId}`, 'runs', 'trial'),
      `workflows/${each.id}?tab=versions&version=1`,
      `workflows/${each.id}`,
      `runs?open=${ids.runId}`,
      ...runs.map((id) => `runs/${id}`),
      `approvals?open=${ids.approvalId}`,
      `inbound/${ids.webhookId}`,
      `connections?open=${ids.connectionId}`,
      `secrets?open=${ids.secretId}`,
      `inspect/${ids.inspectorId}?open=${ids.inspectedRequestId}`,
      `api-keys?open=${ids.apiKeyId}`,
      `machine-credentials?open=${ids.machineCredentialId}`,
      `apps?open=${appId}`,
      `audit?open=${entryId}`,
    ],
    doctor: `doctor?message=${ids.messageId}&subscription=${subscriptionId}`,
    links: [new URL(invited.body.link).pathname + new URL(invited.body.link).hash, '/dashboard/password-reset#code=x'],
  };
}
