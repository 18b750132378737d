import { publishedEventTypeProblem } from '../../../kernel/words/event-types.ts';
import type { PlannedStep } from '../configs/planned.ts';
import type { DefinitionProblem } from '../plan/graph.ts';

/**
 * Event types that a `publish` step cannot use, because no filter can name them. One with a template is checked when the step runs. The
 * schemas of configs do not check it: a stored definition may be older, and is compiled all the same.
 */
export function eventTypeProblems(step: PlannedStep, at: string): DefinitionProblem[] {
  if (step.type !== 'action' || step.action !== 'publish') return [];
  const { eventType } = step;
  if (typeof eventType !== 'string' || eventType.includes('{{')) return [];
  const reason = publishedEventTypeProblem(eventType);
  return reason === undefined ? [] : [{ field: `${at}.eventType`, reason }];
}
