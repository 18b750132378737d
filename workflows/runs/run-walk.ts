import { stepBehind, stepKey, wayTo } from '../../src/kernel/contract/run-workflow.ts';
import type { OutlineStep } from '../../src/kernel/contract/run-outline.ts';
import { takeAction } from './run-action.ts';
import { takeDelay } from './run-delay.ts';
import { takeForeach } from './run-foreach.ts';
import { local } from './run-local.ts';
import { takeParallel } from './run-parallel.ts';
import type { ChainEnd, RoundState, TakeStep } from './run-state.ts';
import { takeWait } from './run-wait.ts';

/** A step that only the record is asked about: evaluated and recorded by one local activity. */
const takePure: TakeStep = async ({ input }, { step, stepId, iteration }) =>
  (await local(step.label).takeStep({ ...input, stepId, iteration })).way;

const take: TakeStep = (run, { step, ...place }) => {
  switch (step.type) {
    case 'action':
      return step.action === 'log' ? takePure(run, { step, ...place }) : takeAction(run, { step, ...place });
    case 'delay':
      return takeDelay(run, { step, ...place });
    case 'wait_for_event':
    case 'approval':
    case 'workflow':
      return takeWait(run, { step, ...place });
    case 'foreach':
      return takeForeach(run, { step, ...place });
    case 'parallel':
      return takeParallel(run, { step, ...place });
    default:
      return takePure(run, { step, ...place });
  }
};

/** Takes the steps of a chain in their order. A step whose way is recorded is passed over on it. */
export async function walkSteps(run: RoundState, first: string | null, iteration: string): Promise<ChainEnd> {
  let stepId: string | null = first;
  while (stepId !== null) {
    const way = await takeOrPass(run, stepId, iteration);
    const next = way === 'again' ? undefined : stepBehind(way);
    if (next === undefined) return way;
    stepId = next;
  }
  return wayTo(null);
}

async function takeOrPass(run: RoundState, stepId: string, iteration: string): Promise<ChainEnd> {
  const key = stepKey(stepId, iteration);
  const recorded = run.ways.get(key);
  if (recorded !== undefined) return recorded;
  if (run.isFull()) return 'again';
  // The validation of definitions leaves no step out that another one names.
  const step: OutlineStep | undefined = run.outline.steps[stepId];
  if (step === undefined) throw new Error(`The outline has no step ${stepId}`);
  return run.during(key, () => take(run, { step, stepId, iteration }));
}
