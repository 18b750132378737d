export { deliverMessage } from './deliver-message.ts';
export { drainDeliveries } from './drain-deliveries.ts';
export { reconcileDeliveries } from './reconcile-deliveries.ts';
export { removeExpired } from './remove-expired.ts';
export { replayDeadLetters } from './replay-dead-letters.ts';
export { replayMessages } from './replay.ts';
export { warmUp } from './warm-up.ts';
