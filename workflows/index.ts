export { deliverMessage } from './deliver-message.ts';
export { drainDeliveries } from './drain-deliveries.ts';
export { reconcileDeliveries } from './reconcile-deliveries.ts';
export { replayDeadLetters } from './replay-dead-letters.ts';
export { warmUp } from './warm-up.ts';
