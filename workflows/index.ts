export { deliverMessage } from './deliver-message.ts';
export { drainDeliveries } from './background.ts';
export { reconcileDeliveries } from './background.ts';
export { removeExpired } from './background.ts';
export {
  replay as replayDeadLetters,
  replay as replayMessages,
  replay as retryDeliveries,
} from './background.ts';
export { runScheduled } from './runs/run-scheduled.ts';
export { runWorkflow } from './runs/run-workflow.ts';
export { warmUp } from './background.ts';
