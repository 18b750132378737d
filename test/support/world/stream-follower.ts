import { setTimeout as sleep } from 'node:timers/promises';
import { idsOf, openStream } from './stream-reader.ts';

/** A reader that comes again behind the last event it has seen, whoever ended its stream. */
export type StreamFollower = {
  /** Event ids of all its connections, in the order in which they came. */
  ids: string[];
  stop(): Promise<void>;
};

const LOOK_EVERY_MS = 20;
const AGAIN_AFTER_MS = 100;

/** Follows the stream at `pathOf()` from now on; it hangs up by itself each time it has seen `hangUpAfter` events. */
export async function followStream(
  { urlOf, key }: { urlOf: () => string; key: string },
  { path, hangUpAfter = Number.POSITIVE_INFINITY }: { path: string; hangUpAfter?: number },
): Promise<StreamFollower> {
  const ids: string[] = [];
  let isStopped = false;
  let position: string | undefined;

  /** One connection; returns when it has ended. */
  const read = async (opened: () => void): Promise<void> => {
    const reader = await openStream({ url: urlOf() + path, key, lastEventId: position }).catch(() => undefined);
    if (reader?.status !== 200) {
      reader?.close();
      return;
    }
    let seen = 0;
    for (;;) {
      const hasEnded = isStopped || reader.end() !== undefined || seen >= hangUpAfter;
      // Events further than it wanted are as if they had not come: they are sent again.
      const taken = reader.events.slice(seen, hangUpAfter);
      ids.push(...idsOf({ events: taken }));
      seen += taken.length;
      position = taken.at(-1)?.id ?? (seen === 0 ? reader.lastEventId() : position) ?? position;
      if (position !== undefined) opened();
      if (hasEnded) break;
      await sleep(LOOK_EVERY_MS);
    }
    reader.close();
  };
  const run = async (opened: () => void): Promise<void> => {
    while (!isStopped) {
      await read(opened);
      await sleep(AGAIN_AFTER_MS);
    }
  };
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    running = run(resolve);
  });
  return {
    ids,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
