import type { ReplayKind } from '../../kernel/contract/replays.ts';
import { deadLetterReplays } from './dead-letter-store.ts';
import { deliveryRetries } from './delivery-store.ts';
import type { ReplayKindDefinition } from './kind.ts';
import { messageReplays } from './message-store.ts';

/** Every kind of replay, by its Temporal workflow type. kind.ts says how a further one is added. */
export const KINDS: Readonly<Record<ReplayKind, ReplayKindDefinition>> = {
  replayDeadLetters: deadLetterReplays,
  replayMessages: messageReplays,
  retryDeliveries: deliveryRetries,
};
