import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentVariables } from '../../src/platform/config/config.ts';

/** A clock that a test sets, for processes that are begun with its variables. Their timers go on as before, as after a step of NTP. */
export type MovedClock = {
  variables: EnvironmentVariables;
  /** From now on the clock is that many seconds ahead (negative: behind). */
  move(bySeconds: number): void;
};

const LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1';

/** By libfaketime, whose file stands in `folder`. Throws with a sentence where it is not installed. */
export function createMovedClock(folder: string): MovedClock {
  const [library] = globSync(LIBRARY);
  if (library === undefined)
    throw new Error(
      `The clock is moved by libfaketime, and ${LIBRARY} is not there (Debian: apt-get install libfaketime)`,
    );
  const path = join(folder, 'clock');
  const move = (bySeconds: number): void => writeFileSync(path, `${bySeconds < 0 ? '-' : '+'}${Math.abs(bySeconds)}`);
  move(0);
  return {
    variables: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    move,
  };
}
