import { type CountAnswer, type CountCommand, type Counters, createMemoryCounters } from './counters.ts';

/** Commands that are sent together; `batch` is the number that their replies repeat. */
export type CountBatch = { batch: number; commands: readonly CountCommand[] };

export type AskingCounters = Counters & {
  /** Receives the replies to a batch. */
  hear(batch: number, answers: readonly CountAnswer[]): void;
  /** Sends at once what has been collected so far. */
  flush(): void;
};

// Commands that arrive while a batch is unanswered wait for its reply, and so are sent together. A request that is about to be rejected
// may delay that reply, so the others wait no longer than this, in ms.
const PATIENCE_MS = 2;
// A released slot waits this long for other commands to be sent with, in ms. Nobody is rejected because of it: the supervisor asks for
// what is collected before it rejects.
const LEAVE_WITHIN_MS = 25;

type Waiting = (answer: CountAnswer) => void;

/**
 * Counters that ask those of another process with `ask`, one batch at a time: the more callers there are, the more of them share a
 * message. Without a reply nothing resolves, but a process whose supervisor is gone ends.
 */
export function createAskingCounters(ask: (batch: CountBatch) => void): AskingCounters {
  const unanswered = new Map<number, Waiting[]>();
  let commands: CountCommand[] = [];
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isGathering = false;
  let batches = 0;
  let places = 0;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (commands.length === 0) return;
    batches += 1;
    if (waiting.length > 0) unanswered.set(batches, waiting);
    ask({ batch: batches, commands });
    commands = [];
    waiting = [];
  };
  /** After this turn of the event loop, so that callers that arrived together are sent together. */
  const flushSoon = (): void => {
    if (isGathering) return;
    isGathering = true;
    setImmediate(() => {
      isGathering = false;
      flush();
    });
  };
  const askFor = (command: CountCommand): Promise<CountAnswer> =>
    new Promise((resolve) => {
      commands.push(command);
      waiting.push(resolve);
      if (unanswered.size === 0) return flushSoon();
      // The first question of a batch replaces the longer wait of a released slot.
      if (waiting.length > 1) return;
      clearTimeout(timer);
      timer = setTimeout(flush, PATIENCE_MS);
    });

  return {
    flush,
    hear(batch, answers) {
      const asked = unanswered.get(batch) ?? [];
      unanswered.delete(batch);
      if (unanswered.size === 0 && waiting.length > 0) flushSoon();
      for (const [index, resolve] of asked.entries()) resolve(answers[index] ?? false);
    },
    async add(name, seconds) {
      const answer = await askFor(['add', name, seconds]);
      if (typeof answer === 'boolean') throw new Error('The supervisor replied to a count with a slot');
      const [count, millisecondsLeft] = answer;
      return { count, millisecondsLeft };
    },
    giveBack(name, seconds) {
      commands.push(['giveBack', name, seconds]);
      // The rejected caller may retry in another process, so its count must be sent before its response.
      flush();
    },
    async enter(name, most) {
      places += 1;
      const place = places;
      if ((await askFor(['enter', name, most, place])) !== true) return undefined;
      return () => {
        commands.push(['leave', place]);
        timer ??= setTimeout(flush, LEAVE_WITHIN_MS);
      };
    },
  };
}

/** The counting side for one asking process. */
export type CountingFor = {
  /** Runs the commands and returns the replies of those that have one. */
  answer(commands: readonly CountCommand[]): Promise<CountAnswer[]>;
  /** Releases every slot of a process that has died. */
  end(): void;
};

/** Shared counters for several processes, each of which has its own side. */
type AnsweringCounters = {
  /** `sayCounts` resolves when all other processes have sent what they had collected when it was called. */
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
          // A slot that another process has released before its caller came here may still be in transit.
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
