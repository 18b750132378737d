export { deliverMessage } from './deliver-message.ts';
export { drainDeliveries } from './drain-deliveries.ts';
export { reconcileDeliveries } from './reconcile-deliveries.ts';
export { removeExpired } from './remove-expired.ts';
export { replay as replayDeadLetters, replay as replayMessages, replay as retryDeliveries } from './replay.ts';
export { runScheduled } from './runs/run-scheduled.ts';
export { runWorkflow } from './runs/run-workflow.ts';
export { warmUp } from './warm-up.ts';
