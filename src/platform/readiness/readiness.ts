import { setTimeout as sleep } from 'node:timers/promises';
import { NotReady } from '../../kernel/errors.ts';

/** A component that this process needs for its work or, if not required, only shows. */
export type ReadinessCheck = {
  name: string;
  isRequired: boolean;
  /** The check that this one depends on: while that component is not up, this one is unknown. */
  needs?: string;
  /** Rejects with a NotReady if the component is down. Cheap, because probes call it every few seconds, and anyone may. */
  run(): Promise<unknown>;
};

/** `late`: no response in time, so the server may only be slow. `unknown`: depends on a component that is not up. */
export const PART_STATES = ['up', 'late', 'down', 'unknown'] as const;

/** Result of one run of all checks. `reasons` are sentences for callers, `failures` the required components that are down. */
export type ReadinessLook = {
  isReady: boolean;
  parts: Record<string, (typeof PART_STATES)[number]>;
  reasons: Record<string, string>;
  failures: NotReady[];
  /** Whether a required check is late. */
  isUndecided: boolean;
};

export const PROCESS_STATES = ['starting', 'running', 'stopping'] as const;

/** A service process under a supervisor, as shown in /readyz. */
export type ProcessState = {
  number: number;
  pid: number;
  state: (typeof PROCESS_STATES)[number];
  restarts: number;
};

export type Readiness = {
  /** Runs all checks, at most once a second; callers within that time share the result. */
  look(): Promise<ReadinessLook>;
  /** Whether everything was ready at least once since this process started. */
  hasBeenReady(): boolean;
};

/** A check that takes longer than this is late: load balancers themselves give up after a few seconds. */
const CHECK_TIMEOUT_MS = 2_000;
/** How long a result is reused. Anyone may ask, without a rate limit, and each run costs queries. */
const REUSE_MS = 1_000;

export function createReadiness(checks: readonly ReadinessCheck[]): Readiness {
  let latest: { at: number; look: Promise<ReadinessLook> } | undefined;
  let hasBeenReady = false;
  const lookNow = async (): Promise<ReadinessLook> => {
    const found = await lookAt(checks);
    hasBeenReady ||= found.isReady;
    return found;
  };
  return {
    look() {
      if (latest === undefined || performance.now() - latest.at > REUSE_MS)
        latest = { at: performance.now(), look: lookNow() };
      return latest.look;
    },
    hasBeenReady: () => hasBeenReady,
  };
}

async function lookAt(checks: readonly ReadinessCheck[]): Promise<ReadinessLook> {
  const results = new Map<string, Promise<Result | 'unknown'>>();
  for (const check of checks) {
    const needed = check.needs === undefined ? undefined : results.get(check.needs);
    results.set(check.name, (async () => (((await needed) ?? 'up') === 'up' ? run(check) : 'unknown'))());
  }
  const look: ReadinessLook = { isReady: true, parts: {}, reasons: {}, failures: [], isUndecided: false };
  for (const { name, isRequired } of checks) {
    const result = (await results.get(name)) ?? 'unknown';
    look.parts[name] = typeof result === 'string' ? result : 'down';
    if (result === 'up') continue;
    if (isRequired) look.isReady = false;
    if (result === 'unknown') continue;
    const failure = result === 'late' ? lateAnswer(name) : result;
    look.reasons[name] = failure.message;
    if (isRequired) look.failures.push(failure);
    if (isRequired && result === 'late') look.isUndecided = true;
  }
  return look;
}

type Result = 'up' | 'late' | NotReady;

const lateAnswer = (name: string): NotReady =>
  new NotReady(`The check ${name} has no result yet`, {
    advice: `the check ${name} had no result within ${CHECK_TIMEOUT_MS / 1000} s; a server or this machine is slow`,
  });

async function run({ name, run: check }: ReadinessCheck): Promise<Result> {
  const stop = new AbortController();
  try {
    const tooLate = sleep(CHECK_TIMEOUT_MS, 'late' as const, { signal: stop.signal });
    return await Promise.race([check().then(() => 'up' as const), tooLate]);
  } catch (failure) {
    if (failure instanceof NotReady) return failure;
    return new NotReady(`The ${name} cannot be checked`, { advice: `the ${name} cannot be checked`, cause: failure });
  } finally {
    stop.abort();
  }
}

// Pause between checks: each costs two queries, and after `migrate` the commands continue within this time.
const LOOK_EVERY_MS = 1_000;
// A rotated log must still say why a process does not work.
const REMIND_EVERY_MS = 60_000;

export type Waiting = {
  /** Called at each check with the reason for the wait: a sentence for the operator. */
  tell: (sentence: string, failure: NotReady) => void;
  /** Aborts the wait, which then rejects with the signal's reason. */
  signal: AbortSignal;
};

/** A wait that reports each reason once, and then once a minute. `now` in ms. */
export function waitingBy(
  say: Waiting['tell'],
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): Waiting {
  let said: { sentence: string; at: number } | undefined;
  return {
    signal,
    tell(sentence, failure) {
      if (said?.sentence === sentence && now() - said.at < REMIND_EVERY_MS) return;
      say(said?.sentence === sentence ? `still: ${sentence}` : sentence, failure);
      said = { sentence, at: now() };
    },
  };
}

/**
 * Returns once every required component is up. An orchestrator may start PostgreSQL, `migrate` and the commands in any order, and all
 * of them come up without a restart. A problem that only another setting can fix is thrown at once, as one sentence, because waiting
 * would hide it.
 */
export async function untilReady(readiness: Readiness, { tell, signal }: Waiting): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const look = await readiness.look();
    if (look.isReady) return;
    refuseLasting(look);
    const [failure] = look.failures;
    if (failure !== undefined) tell(`${failure.advice}; waiting for it`, failure);
    // An aborted sleep rejects with its own error; the loop throws the signal's reason.
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Throws a problem that only another setting or release can fix, as one sentence for the operator. */
export function refuseLasting({ failures }: ReadinessLook): void {
  const lasting = failures.find(({ isLasting }) => isLasting);
  if (lasting !== undefined) throw new Error(lasting.advice);
}
