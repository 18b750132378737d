import type { Approvals } from '../../automations/approvals/service.ts';
import type { Connections } from '../../automations/connections/service.ts';
import type { Workflows } from '../../automations/definitions/service.ts';
import type { InboundWebhooks } from '../../inbound/service.ts';
import type { Runs } from '../../automations/runs/service.ts';
import type { Channels } from '../../messaging/channels/service.ts';
import type { DeadLetters } from '../../delivery/dead-letters/service.ts';
import type { Deliveries } from '../../delivery/record/service.ts';
import type { Messages } from '../../messaging/messages/service.ts';
import type { Replays } from '../../delivery/replays/service.ts';
import type { Subscriptions } from '../../messaging/subscriptions/service.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import type { SearchKind } from '../../kernel/words/search-kinds.ts';
import type { Hit } from './schema.ts';

/** The services that are asked, each with its own rules. */
export type Searched = {
  messages: Messages;
  deliveries: Deliveries;
  deadLetters: DeadLetters;
  replays: Replays;
  subscriptions: Subscriptions;
  channels: Channels;
  workflows: Workflows;
  runs: Runs;
  approvals: Approvals;
  connections: Connections;
  inboundWebhooks: InboundWebhooks;
};

type Line = Omit<Hit, 'kind' | 'id' | 'matched'>;
/** Throws NOT_FOUND, as the resource's own address does. */
type Finder = (caller: EnvironmentCaller, id: string) => Promise<Line>;

/** A resource by its id, in one line, for each kind: by its own service, so that its rules hold here as well. */
export const hitFinders = (searched: Searched): Readonly<Record<SearchKind, Finder>> => ({
  async message(caller, id) {
    const { eventType, channelId, deliveryStatus, publishedAt } = await searched.messages.get(caller, id);
    return { summary: `${eventType} on ${channelId}`, status: deliveryStatus, at: publishedAt };
  },
  async delivery(caller, id) {
    const { messageId, subscriptionId, status, createdAt } = await searched.deliveries.get(caller, id);
    return { summary: `${messageId} to ${subscriptionId}`, status, at: createdAt };
  },
  async attempt(caller, id) {
    const { deliveryId, number, outcome, startedAt } = await searched.deliveries.getAttempt(caller, id);
    return { summary: `Attempt ${number} of ${deliveryId}`, status: outcome, at: startedAt, deliveryId };
  },
  async deadLetter(caller, id) {
    const letter = await searched.deadLetters.get(caller, id);
    const what = letter.deliveryId ?? letter.runId ?? '';
    return { summary: `${what}: ${letter.reason}`, status: letter.status, at: letter.failedAt };
  },
  async bulkReplay(caller, id) {
    const { matched, replayed, status, createdAt } = await searched.replays.deadLetters.get(caller, id);
    return { summary: `${replayed} of ${matched} dead letters`, status, at: createdAt };
  },
  async bulkRetry(caller, id) {
    const { matched, retried, status, createdAt } = await searched.replays.deliveries.get(caller, id);
    return { summary: `${retried} of ${matched} deliveries`, status, at: createdAt };
  },
  async messageReplay(caller, id) {
    const { replayed, subscriptionId, status, createdAt } = await searched.replays.messages.get(caller, id);
    return { summary: `${replayed} messages to ${subscriptionId}`, status, at: createdAt };
  },
  async subscription(caller, id) {
    const { name, status, createdAt } = await searched.subscriptions.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async channel(caller, id) {
    const { name, status, createdAt } = await searched.channels.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async workflow(caller, id) {
    const { name, status, createdAt } = await searched.workflows.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async run(caller, id) {
    const { workflowId, status, createdAt } = await searched.runs.get(caller, id);
    return { summary: `Run of ${workflowId}`, status, at: createdAt };
  },
  async approval(caller, id) {
    const { title, status, createdAt } = await searched.approvals.get(caller, id);
    return { summary: title, status, at: createdAt };
  },
  async connection(caller, id) {
    const { name, status, createdAt } = await searched.connections.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
  async webhook(caller, id) {
    const { name, status, createdAt } = await searched.inboundWebhooks.get(caller, id);
    return { summary: name, status, at: createdAt };
  },
});
