import type { Audit } from './identity/audit/service.ts';
import type { ApiKeys } from './identity/api-keys/service.ts';
import type { Apps } from './identity/apps/service.ts';
import type { Organisations } from './identity/organisations/service.ts';
import type { Channels } from './channels/service.ts';
import type { DeadLetters } from './dead-letters/service.ts';
import type { Deliveries } from './deliveries/service.ts';
import type { Idempotency } from './idempotency/service.ts';
import type { MachineCredentials } from './identity/machine-credentials/service.ts';
import type { Replays } from './replays/service.ts';
import type { Messages } from './messages/service.ts';
import type { Publishing } from './publishing/service.ts';
import type { Scheduling } from './scheduling/service.ts';
import type { Streams } from './streams/service.ts';
import type { Tokens } from './identity/tokens/service.ts';
import type { Subscriptions } from './subscriptions/service.ts';

/** The services that route handlers may call: one per resource. */
export type Services = {
  apiKeys: ApiKeys;
  apps: Apps;
  audit: Audit;
  machineCredentials: MachineCredentials;
  tokens: Tokens;
  organisations: Organisations;
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
