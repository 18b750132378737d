import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { expressionsIn } from '../../expressions/templates.ts';
import type { DefinitionProblem } from '../plan/graph.ts';

/** Steps whose templates hold more expressions than a step, or all steps together, may have: each costs time on save and in runs. */
export function expressionCountProblem(steps: unknown): DefinitionProblem | undefined {
  if (!Array.isArray(steps)) return undefined;
  const counts = (steps as readonly unknown[]).map((step) => expressionsIn(step).length);
  const index = counts.findIndex((count) => count > WORKFLOW_BOUNDS.expressionsOfStep);
  if (index !== -1)
    return {
      field: `steps[${index}].config`,
      reason: `holds ${counts[index]} different expressions; a step may hold ${WORKFLOW_BOUNDS.expressionsOfStep}`,
    };
  const count = counts.reduce((sum, each) => sum + each, 0);
  return count > WORKFLOW_BOUNDS.expressions
    ? {
        field: 'steps',
        reason: `hold ${count} different expressions; all steps together may hold ${WORKFLOW_BOUNDS.expressions}`,
      }
    : undefined;
}
