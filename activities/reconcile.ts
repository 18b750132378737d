import { heartbeat } from '@temporalio/activity';
import {
  type Reconciled,
  type ReconcilerDependencies,
  reconcileOverdue,
} from '../src/delivery/queue/recovery/reconciler.ts';

/** The reconciler as an activity, so that its passes are seen in the Temporal UI. */
export function createReconcileActivities(deps: ReconcilerDependencies) {
  return {
    /** One pass; see `reconcileDeliveries`. */
    reconcile: (): Promise<Reconciled> => reconcileOverdue(deps, () => heartbeat()),
  };
}
