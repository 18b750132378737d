import type { CountAnswer, CountCommand, Counters } from './counters.ts';
import { createMemoryCounters } from './memory-counters.ts';

/** The side of one asking process. */
export type CountingFor = {
  /** Carries out the commands and gives the answers to those that have one. */
  answer(commands: readonly CountCommand[]): Promise<CountAnswer[]>;
  /** Gives back every place of a process that has died. */
  end(): void;
};

/** One count for several processes, each of which asks through its own side (asking-counters.ts). */
export type AnsweringCounters = {
  /** `sayCounts` resolves when all the other processes have sent what they had gathered when it was called. */
  connect(sayCounts: () => Promise<void>): CountingFor;
};

export function createAnsweringCounters(counters: Counters = createMemoryCounters()): AnsweringCounters {
  return {
    connect(sayCounts) {
      const taken = new Map<number, () => void>();
      let hasEnded = false;

      const enter = async (name: string, places: number, place: number): Promise<boolean> => {
        let leave = await counters.enter(name, places);
        if (leave === undefined) {
          // A place that another process has given back before its caller came here may still be on its way.
          await sayCounts();
          leave = await counters.enter(name, places);
        }
        if (leave === undefined) return false;
        if (hasEnded) leave();
        else taken.set(place, leave);
        return true;
      };
      const leave = (place: number): void => {
        taken.get(place)?.();
        taken.delete(place);
      };
      const carryOut = (command: CountCommand): Promise<CountAnswer> | undefined => {
        switch (command[0]) {
          case 'add':
            return counters
              .add(command[1], command[2])
              .then(({ count, millisecondsLeft }) => [count, millisecondsLeft]);
          case 'enter':
            return enter(command[1], command[2], command[3]);
          case 'giveBack':
            counters.giveBack(command[1], command[2]);
            return undefined;
          case 'leave':
            leave(command[1]);
            return undefined;
        }
      };

      return {
        answer: (commands) => Promise.all(commands.flatMap((command) => carryOut(command) ?? [])),
        end() {
          hasEnded = true;
          for (const each of taken.keys()) leave(each);
        },
      };
    },
  };
}
