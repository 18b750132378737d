import { createApiKeys } from '../identity/api-keys/service.ts';
import { createChannels } from '../channels/service.ts';
import { createDeadLetters } from '../dead-letters/service.ts';
import { createDeliveries } from '../deliveries/service.ts';
import { createIdempotency } from '../idempotency/service.ts';
import type { ProcessDependencies } from './create-dependencies.ts';
import { createReplays } from '../replays/service.ts';
import { createMessages } from '../messages/service.ts';
import { createSchemas } from '../schemas/schemas.ts';
import type { Services } from '../services.ts';
import { type HandOver, noHandOver } from '../publishing/hand-over.ts';
import { createSubscriptions } from '../subscriptions/service.ts';

/** Builds every service once, each with the collaborators it names. `handOver` takes new deliveries where the process sends, too. */
export function createServices(deps: ProcessDependencies, handOver: HandOver = noHandOver): Services {
  const deliveries = createDeliveries(deps);
  const replays = createReplays(deps);
  const schemas = createSchemas(deps);
  const { filters, publishingConfigs: configs } = deps;
  return {
    apiKeys: createApiKeys(deps),
    channels: createChannels(deps, { deliveries, schemas }),
    messages: createMessages(deps, { schemas, filters, configs }, handOver),
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
