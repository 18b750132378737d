import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../support/check/wait-for.ts';
import type { SmallDisk } from '../small-disk.ts';
import type { Scenario } from './scenario.ts';

const SHORT_MS = 5_000;
const LONG_MS = 30_000;
// PostgreSQL goes on for as long as its files have pages left: some hundred publications.
const FULL_WITHIN_MS = 120_000;

/** PostgreSQL's disk has no byte left, and is freed again. */
export const fullDisk = (disk: SmallDisk): Scenario => ({
  number: 'F8',
  title: "PostgreSQL's disk is full for a while",
  act: (stage, chance) =>
    // PostgreSQL stops where it cannot write its log, and the record of a request under way is lost with it.
    stage.during({ name: 'the disk of PostgreSQL is full', lives: 2 }, async () => {
      const { length } = stage.sent;
      try {
        await waitFor(
          'a publish to be refused',
          () => {
            // Bytes that others free meanwhile are taken as well.
            disk.fill();
            return stage.sent.slice(length).some((entry) => entry.kind === 'refused' && entry.status === 503);
          },
          FULL_WITHIN_MS,
        );
        await sleep(chance.lasting(SHORT_MS, LONG_MS));
      } finally {
        disk.free();
      }
    }),
});
