import type { CountAnswer, CountCommand, Counters } from './counters.ts';

/** All commands of one turn of the event loop; `batch` is the number under which their answers come back. */
export type CountBatch = { batch: number; commands: readonly CountCommand[] };

export type AskingCounters = Counters & {
  /** Takes the answers to a batch. */
  hear(batch: number, answers: readonly CountAnswer[]): void;
  /** Sends at once what this turn has gathered so far. */
  flush(): void;
};

type Waiting = (answer: CountAnswer) => void;

/**
 * Counters that ask those of another process (answering-counters.ts) by `ask`. The commands of one turn of the event loop travel
 * together: 32 callers at a time cost one message instead of 32. Without an answer nothing resolves; a process whose supervisor is gone
 * ends.
 */
export function createAskingCounters(ask: (batch: CountBatch) => void): AskingCounters {
  const unanswered = new Map<number, Waiting[]>();
  let commands: CountCommand[] = [];
  let waiting: Waiting[] = [];
  let batches = 0;
  let places = 0;

  const flush = (): void => {
    if (commands.length === 0) return;
    batches += 1;
    if (waiting.length > 0) unanswered.set(batches, waiting);
    ask({ batch: batches, commands });
    commands = [];
    waiting = [];
  };
  const say = (command: CountCommand): void => {
    if (commands.length === 0) setImmediate(flush);
    commands.push(command);
  };
  const askFor = (command: CountCommand): Promise<CountAnswer> =>
    new Promise((resolve) => {
      say(command);
      waiting.push(resolve);
    });

  return {
    hear(batch, answers) {
      const asked = unanswered.get(batch) ?? [];
      unanswered.delete(batch);
      for (const [index, resolve] of asked.entries()) resolve(answers[index] ?? false);
    },
    async add(name, seconds) {
      const answer = await askFor(['add', name, seconds]);
      if (typeof answer === 'boolean') throw new Error('The supervisor has answered a count with a place');
      const [count, millisecondsLeft] = answer;
      return { count, millisecondsLeft };
    },
    flush,
    giveBack(name, seconds) {
      say(['giveBack', name, seconds]);
      // The refused caller may come again by another process: its count is on its way before its answer is.
      flush();
    },
    async enter(name, most) {
      places += 1;
      const place = places;
      if ((await askFor(['enter', name, most, place])) !== true) return undefined;
      return () => say(['leave', place]);
    },
  };
}
