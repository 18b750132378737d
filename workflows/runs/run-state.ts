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

/** Result of a chain of steps. `again`: the history is full, and another workflow continues from the record. */
export type ChainEnd = Way | 'again';

/** State shared by the steps of one round. */
export type RoundState = {
  input: RunInput;
  outline: RunOutline;
  /** Recorded transitions by step key; these steps are not executed again. */
  ways: Map<string, Way>;
  /** Keys of waiting steps that a worker has woken and that have not checked the record since. */
  woken: Set<string>;
  /** Whether this history is so long that a new one should continue. */
  isFull(): boolean;
  /** Shows a step as current while `work` runs. */
  during<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Executes the steps of a chain, from the first one to its end. */
  walk(first: string | null, iteration: string): Promise<ChainEnd>;
};

/** Executes a step of one kind and returns its transition. */
export type TakeStep<S extends OutlineStep = OutlineStep> = (
  run: RoundState,
  place: { step: S; stepId: string; iteration: string },
) => Promise<ChainEnd>;

// Well below the server's warning at 10,240 events: a foreach with twenty concurrent items adds a few hundred before
// they end.
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

/** Returns the outline as a markdown list for the Temporal UI, with the current steps marked. */
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
