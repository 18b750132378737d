import { createAccounts } from '../identity/accounts/service.ts';
import { createApiKeys } from '../identity/api-keys/service.ts';
import { createMembers } from '../identity/members/service.ts';
import { createSessions } from '../identity/sessions/service.ts';
import { createChannels } from '../channels/service.ts';
import { createDeadLetters } from '../dead-letters/service.ts';
import { createDeliveries } from '../deliveries/service.ts';
import { createIdempotency } from '../idempotency/service.ts';
import type { ProcessDependencies } from './create-dependencies.ts';
import { createReplays } from '../replays/service.ts';
import { createMessages } from '../messages/service.ts';
import { createPublishing } from '../publishing/service.ts';
import { createScheduling } from '../scheduling/service.ts';
import { createSchemas } from '../schemas/schemas.ts';
import type { Services } from '../services.ts';
import { noSiblings, type Siblings } from './siblings.ts';
import { type HandOver, noHandOver } from '../publishing/hand-over.ts';
import { createStreams } from '../streams/service.ts';
import { createSubscriptions } from '../subscriptions/service.ts';
import { createTellChange } from './tell-change.ts';

/**
 * Builds every service once, each with the collaborators it names. `handOver` takes new deliveries where the process sends, too.
 * `siblings` are the other processes of the same supervisor.
 */
export function createServices(
  deps: ProcessDependencies,
  handOver: HandOver = noHandOver,
  siblings: Siblings = noSiblings,
): Services {
  const deliveries = createDeliveries(deps);
  const replays = createReplays(deps);
  const schemas = createSchemas(deps);
  const streams = createStreams(deps);
  const { filters, publishingConfigs: configs } = deps;
  const tell = createTellChange(deps);
  const sessions = createSessions(deps, tell);
  const accounts = createAccounts(deps, { sessions, tell });
  return {
    apiKeys: createApiKeys(deps, siblings.forgetKey),
    accounts,
    sessions,
    members: createMembers(deps, { accounts, sessions, tell }),
    channels: createChannels(deps, { deliveries, schemas }),
    publishing: createPublishing(deps, { schemas, filters, configs, streams, handOver }),
    messages: createMessages(deps),
    scheduling: createScheduling(deps),
    streams,
    subscriptions: createSubscriptions(deps, {
      guard: deps.guard,
      deliveries,
      messageReplays: replays.messages,
      filters,
    }),
    deliveries,
    replays,
    deadLetters: createDeadLetters(deps, { deliveries }),
    idempotency: createIdempotency(deps),
  };
}
