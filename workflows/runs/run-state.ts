import { defineQuery, defineSignal, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { OutlineStep, RunOutline } from '../../src/kernel/contract/run-outline.ts';
import {
  stepKey,
  type Way,
  type OpenedRun,
  type RunInput,
  type RunState,
  WAKE_SIGNAL,
} from '../../src/kernel/contract/run-workflow.ts';

/** Where a chain of steps came to. `again`: its history is full, and another one goes on from the record. */
export type ChainEnd = Way | 'again';

/** State that the steps of one round share. */
export type RoundState = {
  input: RunInput;
  outline: RunOutline;
  /** Recorded ways, by the keys of their steps: such a step is not taken again. */
  ways: Map<string, Way>;
  /** Keys of waiting steps that a worker has woken and that have not asked the record since. */
  woken: Set<string>;
  /** Whether this history has become so long that a new one is to go on. */
  isFull(): boolean;
  /** Shows a step as current while `work` is under way. */
  during<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Takes the steps of a chain, from its first one to its end. */
  walk(first: string | null, iteration: string): Promise<ChainEnd>;
};

/** One step of a kind: takes it and returns the way from it. */
export type TakeStep<S extends OutlineStep = OutlineStep> = (
  run: RoundState,
  place: { step: S; stepId: string; iteration: string },
) => Promise<ChainEnd>;

// A fifth of the server's warning at 10,240 events: a foreach of twenty items at a time adds a few hundred before they have ended.
const MAX_HISTORY = 8_000;

const stateQuery = defineQuery<RunState>('state');
const wakeSignal = defineSignal<[string]>(WAKE_SIGNAL);

export function createRun(input: RunInput, { outline, ways }: OpenedRun, walk: RoundState['walk']): RoundState {
  const current = new Set<string>();
  const woken = new Set<string>();
  setHandler(wakeSignal, (key) => void woken.add(key));
  setHandler(stateQuery, () => ({ steps: [...current] }));
  const show = (): void => setCurrentDetails(detailsOf(outline, current));
  show();
  return {
    input,
    outline,
    ways: new Map(Object.entries(ways)),
    woken,
    isFull: () => workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > MAX_HISTORY,
    walk,
    async during(key, work) {
      current.add(key);
      show();
      try {
        return await work();
      } finally {
        current.delete(key);
        show();
      }
    },
  };
}

/** The outline as a list, with the steps that are being taken marked; markdown for the Temporal UI. */
function detailsOf({ steps }: RunOutline, current: ReadonlySet<string>): string {
  const isCurrent = (stepId: string): boolean =>
    [...current].some((key) => key === stepKey(stepId, '') || key.startsWith(`${stepId}#`));
  return Object.entries(steps)
    .map(([stepId, { type, label }]) => {
      const line = `${stepId} (${type})${label === stepId ? '' : `: ${label}`}`;
      return isCurrent(stepId) ? `- **${line}**` : `- ${line}`;
    })
    .join('\n');
}
