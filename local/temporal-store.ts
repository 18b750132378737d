import { promises as timers } from 'node:timers';
import { Connection } from '@temporalio/client';
import type { RunningChild } from './child.ts';

// Limit of one look, ms. A call that its caller gives up is what breaks the store, so this is long.
const LOOK_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 2_000;
// One refused read may be an accident; a broken store refuses all.
const REFUSED_LOOKS = 3;
// The gRPC status of a server that cannot read its store. A server that hangs or starts has other ones.
const INTERNAL = 13;

/**
 * A connection whose calls are made once. The SDK's own interceptor repeats a refused call for half a minute, even when its connection has
 * been closed, and a process that has nothing else to do waits for that. Lazy: one that cannot be made would stay behind unclosed.
 */
export const askingOnce = (address: string): Connection => Connection.lazy({ address, interceptors: [] });

/**
 * Kills a Temporal development server whose SQLite store refuses every statement ("interrupted (9)"), so that it is started again: it
 * answers, starts nothing and never recovers. The SQLite driver of server 1.29 leaves a statement open when a caller gives up in the
 * moment of its answer, and SQLite keeps an interruption while any statement is open. Nothing committed is lost. Looks every 2 s until
 * the server ends.
 */
export function endWithBrokenStore(
  { pid, hasEnded, ended }: Pick<RunningChild, 'pid' | 'hasEnded' | 'ended'>,
  { address, onProgress }: { address: string; onProgress: (line: string) => void },
): void {
  const connection = askingOnce(address);
  const over = new AbortController();
  void ended.then(() => over.abort());
  const pause = (): Promise<void> =>
    timers.setTimeout(LOOK_EVERY_MS, undefined, { signal: over.signal, ref: false }).catch(() => undefined);

  const watch = async (): Promise<void> => {
    for (let refused = 0; refused < REFUSED_LOOKS; ) {
      await pause();
      if (hasEnded()) return;
      refused = (await refusesReads(connection)) ? refused + 1 : 0;
    }
    if (hasEnded()) return;
    onProgress("Temporal's store refuses every read (a fault of its SQLite driver)");
    process.kill(pid, 'SIGKILL');
  };
  void watch().finally(() => void connection.close());
}

/** Listing Nexus endpoints reads the store. Other calls hide its failure behind half a minute of repeats. */
async function refusesReads(connection: Connection): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + LOOK_WITHIN_MS, () =>
      connection.operatorService.listNexusEndpoints({ pageSize: 1 }),
    );
    return false;
  } catch (failure) {
    return failure instanceof Error && 'code' in failure && failure.code === INTERNAL;
  }
}
