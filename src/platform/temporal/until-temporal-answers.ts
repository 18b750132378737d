import { promises as timers } from 'node:timers';
import type { Waiting } from '../readiness/until-ready.ts';
import { connectToTemporal, type TemporalSettings } from './connection.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';
import { temporalTrouble } from './trouble.ts';

// Rest between looks: a server takes seconds to start, and each look is a connection.
const LOOK_EVERY_MS = 1_000;

/**
 * Returns once Temporal answers and allows a look at the namespace, which need not be there yet. While Temporal is away, one line for
 * each reason says that this waits. A fault that only another setting could mend is thrown as one sentence. Rejects with the signal's
 * reason when it is aborted.
 */
export async function untilTemporalAnswers(settings: TemporalSettings, { tell, signal }: Waiting): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask(settings);
    } catch (failure) {
      const trouble = temporalTrouble(failure, settings);
      if (trouble.isLasting) throw new Error(trouble.advice, { cause: failure });
      tell(`${trouble.advice}; waiting for it`, trouble);
    }
    // An aborted sleep rejects with an error of its own; the loop throws the signal's reason.
    await timers.setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function ask(settings: TemporalSettings): Promise<void> {
  const { client, close } = await connectToTemporal(settings);
  try {
    await client.workflowService.describeNamespace({ namespace: settings.namespace });
  } catch (failure) {
    if (grpcStatusOf(failure) !== GRPC_STATUS.notFound) throw failure;
  } finally {
    await close();
  }
}
