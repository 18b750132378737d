import type { Accounts } from './identity/accounts/service.ts';
import type { ApiKeys } from './identity/api-keys/service.ts';
import type { Members } from './identity/members/service.ts';
import type { Sessions } from './identity/sessions/service.ts';
import type { Channels } from './channels/service.ts';
import type { DeadLetters } from './dead-letters/service.ts';
import type { Deliveries } from './deliveries/service.ts';
import type { Idempotency } from './idempotency/service.ts';
import type { Replays } from './replays/service.ts';
import type { Messages } from './messages/service.ts';
import type { Publishing } from './publishing/service.ts';
import type { Scheduling } from './scheduling/service.ts';
import type { Streams } from './streams/service.ts';
import type { Subscriptions } from './subscriptions/service.ts';

/** The services that route handlers may call: one per resource. */
export type Services = {
  apiKeys: ApiKeys;
  accounts: Accounts;
  sessions: Sessions;
  members: Members;
  channels: Channels;
  publishing: Publishing;
  scheduling: Scheduling;
  streams: Streams;
  messages: Messages;
  subscriptions: Subscriptions;
  deliveries: Deliveries;
  deadLetters: DeadLetters;
  idempotency: Idempotency;
  replays: Replays;
};
