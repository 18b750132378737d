import type { StepInput } from '../../../kernel/contract/run-workflow.ts';
import type { NewId } from '../../../platform/new-id.ts';
import type { StepExpressions } from '../../expressions/expressions.ts';
import type { Loaded } from '../context.ts';
import type { EngineDependencies, Result } from '../take-step.ts';
import type { LookBack } from './look-back.ts';

export type WaitDependencies = EngineDependencies & { newId: NewId; lookBack: LookBack };

/**
 * Evaluated once, when a wait begins; `waitMs` is 0 for a step that goes on at once. `record`: shown as the step's input. `summary`: beside
 * the timer in the Temporal UI.
 */
export type Evaluated = { record: object; waitMs: number; summary: string };

/** A kind of steps that wait for something outside their run. `open` and `look` may be done again. */
export type WaitKind = {
  /** Throws StepFailed and ExpressionFailed. */
  evaluate(deps: { expressions: Pick<StepExpressions, 'evaluate' | 'resolve'> }, loaded: Loaded): Evaluated;
  /** Has the wait known to what ends it, before its beginning is recorded. Throws StepFailed. */
  open(
    deps: WaitDependencies,
    loaded: Loaded,
    input: StepInput,
    opened: Evaluated & { since: Date; until: Date },
  ): Promise<void>;
  /** Looks for what came before the wait was known. */
  look(deps: WaitDependencies, loaded: Loaded, input: StepInput): Promise<void>;
  /** Its time is over: nothing that comes later ends it. */
  close(deps: WaitDependencies, input: StepInput): Promise<void>;
  /** The result of a wait that is over; undefined while it is not. */
  ended(deps: WaitDependencies, loaded: Loaded, input: StepInput): Promise<(() => Result) | undefined>;
};
