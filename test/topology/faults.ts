import { setTimeout as sleep } from 'node:timers/promises';
import type { TopologyChild } from './child.ts';
import type { FaultEntry } from './ledger/entries.ts';
import type { Topology } from './topology.ts';

/** One kind of fault: what it does to the topology, which is whole again when it returns. */
export type Fault = {
  /** Its number in the plan of faults: F1 killed APIs, F2 workers, F3 Temporal, F4 PostgreSQL, F5 what hangs, F12 upgrades. */
  number: string;
  title: string;
  run: (topology: Topology, chance: Chance) => Promise<void>;
  /** Workers whose requests under way may have lost their record. */
  lives: number;
  counts?: NonNullable<FaultEntry['counts']>;
  /** False: it does not begin while transactions wait for a lock, because it waits for their end itself. */
  inTransactions?: boolean;
};

/** The fault as the log of faults has it. */
export const describeFault = ({ title, lives, counts }: Fault): Pick<FaultEntry, 'name' | 'lives' | 'counts'> => ({
  name: title,
  lives,
  ...(counts !== undefined && { counts }),
});

/** Choices of a run by chance, all of them from the seed that it prints. */
export type Chance = {
  /** One of them. */
  pick<T>(items: readonly T[]): T;
  /** How long a part is away or frozen, ms: `short` in the quick form, up to `long` otherwise. */
  lasting(short: number, long: number): number;
};

/** Numbers from a seed, the same on every machine (mulberry32). */
export function createChance(seed: number, isLong: boolean): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    pick(items) {
      const found = items[Math.floor(next() * items.length)];
      if (found === undefined) throw new Error('nothing to pick from');
      return found;
    },
    lasting: (short, long) => Math.round(isLong ? short + next() * (long - short) : short),
  };
}

export const killed = async (child: TopologyChild, outageMs: number): Promise<void> => {
  await child.end('SIGKILL');
  await sleep(outageMs);
  await child.begin();
};

const frozen = async (part: { freeze(): void; thaw(): void }, forMs: number): Promise<void> => {
  part.freeze();
  await sleep(forMs);
  part.thaw();
};

export const FAULTS: readonly Fault[] = [
  {
    number: 'F1',
    title: 'one of two APIs is killed and comes back',
    lives: 0,
    counts: 'forgotten',
    run: ({ apis }, chance) => killed(chance.pick(apis), chance.lasting(1_000, 3_000)),
  },
  {
    number: 'F2',
    title: 'one of two workers is killed and comes back',
    lives: 1,
    // A worker is ready once it can write: beside a locked table the fault would wait for itself.
    inTransactions: false,
    run: ({ workers }, chance) => killed(chance.pick(workers), chance.lasting(1_000, 10_000)),
  },
  {
    number: 'F2',
    title: 'all workers are killed and come back',
    lives: 2,
    inTransactions: false,
    run: async ({ workers }, chance) => {
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
      await sleep(chance.lasting(500, 10_000));
      await Promise.all(workers.map((worker) => worker.begin()));
    },
  },
  {
    number: 'F3',
    title: 'Temporal is killed and comes back',
    lives: 2,
    run: ({ temporal }, chance) => killed(temporal, chance.lasting(2_000, 60_000)),
  },
  {
    number: 'F4',
    title: 'PostgreSQL is stopped at once and comes back, and Temporal with it loses its store for that time',
    lives: 2,
    run: async ({ postgres }, chance) => {
      await postgres.crash();
      await sleep(chance.lasting(1_000, 10_000));
      await postgres.restart();
    },
  },
  {
    number: 'F5',
    title: 'PostgreSQL hangs',
    lives: 2,
    run: ({ postgres }, chance) => frozen(postgres, chance.lasting(3_000, 30_000)),
  },
  {
    number: 'F5',
    title: 'Temporal hangs',
    lives: 2,
    run: ({ temporal }, chance) => frozen(temporal, chance.lasting(4_000, 30_000)),
  },
  {
    number: 'F5',
    title: 'a worker hangs',
    lives: 1,
    run: ({ workers }, chance) => frozen(chance.pick(workers), chance.lasting(4_000, 30_000)),
  },
  {
    number: 'F5',
    title: 'Redis hangs, and is then killed',
    lives: 0,
    // Redis keeps nothing on disk: docker-compose.yml starts it in the same way.
    counts: 'lost',
    run: async ({ redis }, chance) => {
      await frozen(redis, chance.lasting(2_000, 10_000));
      await killed(redis, chance.lasting(1_000, 5_000));
    },
  },
  {
    number: 'F12',
    title: 'every process is replaced by a new one, one after the other, as an upgrade does',
    lives: 0,
    inTransactions: false,
    run: async ({ apis, workers, proxy }) => {
      for (const child of [...apis, ...workers, proxy]) {
        if (child === undefined) continue;
        await child.end('SIGTERM');
        await child.begin();
      }
    },
  },
];
