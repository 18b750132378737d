/**
 * An active workflow that begins with messages of a channel; with `webhookId` only with those that this inbound webhook has made. `filter`
 * is of the language of subscriptions.
 */
export type EventTrigger = {
  workflowId: string;
  version: number;
  webhookId?: string;
  eventTypes: readonly string[];
  filter?: string;
};

/** A channel of an environment. `isSystem`: that of the service events. */
export type AskedChannel = { channelId: string; isSystem: boolean };

/** The trigger (JSON text) of a workflow's version that new runs take. */
export type StoredTrigger = { workflowId: string; version: number; trigger: string };

/**
 * Reads a stored trigger as publishing asks it: which messages of the channel begin runs. Undefined where it does not cover the channel.
 * Automations provide it, since the language of triggers is theirs.
 */
export type ReadEventTrigger = (stored: StoredTrigger, channel: AskedChannel) => EventTrigger | undefined;
