import { createApiKeys } from '../identity/api-keys/service.ts';
import { createChannels } from '../channels/service.ts';
import { createDeadLetters } from '../dead-letters/service.ts';
import { createDeliveries } from '../deliveries/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { createIdempotency } from '../idempotency/service.ts';
import { createMessageReplays } from '../message-replays/service.ts';
import { createMessages } from '../messages/service.ts';
import { createPublishing } from '../publishing/service.ts';
import { createScheduling } from '../scheduling/service.ts';
import { createSchemas } from '../schemas/schemas.ts';
import type { Services } from '../services.ts';
import { type HandOver, noHandOver } from '../publishing/hand-over.ts';
import { createStreams } from '../streams/service.ts';
import { createSubscriptions } from '../subscriptions/service.ts';

/** Builds every service once, each with the collaborators it names. `handOver` takes new deliveries where the process sends, too. */
export function createServices(deps: Dependencies, handOver: HandOver = noHandOver): Services {
  const deliveries = createDeliveries(deps);
  const messageReplays = createMessageReplays(deps);
  const schemas = createSchemas(deps);
  const streams = createStreams(deps);
  const { filters } = deps;
  return {
    apiKeys: createApiKeys(deps),
    channels: createChannels(deps, { deliveries, schemas }),
    publishing: createPublishing(deps, { schemas, filters, streams, handOver }),
    messages: createMessages(deps),
    scheduling: createScheduling(deps),
    streams,
    subscriptions: createSubscriptions(deps, { guard: deps.guard, deliveries, messageReplays, filters }),
    deliveries,
    messageReplays,
    deadLetters: createDeadLetters(deps, { deliveries }),
    idempotency: createIdempotency(deps),
  };
}
