import type { StepInput } from '../../../kernel/contract/run-workflow.ts';
import type { NewId } from '../../../platform/new-id.ts';
import type { StepExpressions } from '../../expressions/expressions.ts';
import type { Loaded } from '../context.ts';
import type { EngineDependencies, Result } from '../take-step.ts';
import type { LookBack } from './look-back.ts';

export type WaitDependencies = EngineDependencies & { newId: NewId; lookBack: LookBack };

/**
 * Evaluated once, when a wait starts. `waitMs` is 0 for a step that continues at once. `record` becomes the step's
 * input; `summary` is shown with the timer in the Temporal UI.
 */
export type Evaluated = { record: object; waitMs: number; summary: string };

/** A kind of step that waits for something outside its run. `open` and `look` may be repeated. */
export type WaitKind = {
  /** Throws StepFailed and ExpressionFailed. */
  evaluate(deps: { expressions: Pick<StepExpressions, 'evaluate' | 'resolve'> }, loaded: Loaded): Evaluated;
  /** Registers the wait with whatever ends it, before its start is recorded. Throws StepFailed. */
  open(
    deps: WaitDependencies,
    loaded: Loaded,
    input: StepInput,
    opened: Evaluated & { since: Date; until: Date },
  ): Promise<void>;
  /** Checks what happened before the wait was registered. */
  look(deps: WaitDependencies, loaded: Loaded, input: StepInput): Promise<void>;
  /** Called when the time is over. Later events must not end the wait. */
  close(deps: WaitDependencies, input: StepInput): Promise<void>;
  /** Returns the result of a wait that is over; undefined otherwise. */
  ended(deps: WaitDependencies, loaded: Loaded, input: StepInput): Promise<(() => Result) | undefined>;
};
