import type { Schemas } from '../../schemas/schemas.ts';
import { planOf } from './compile.ts';
import type { Problem } from './graph.ts';

/** Forms of approvals that are no JSON Schema, or one that costs too much. `key`: whose turn the checks take. */
export async function formProblems(
  steps: unknown,
  key: string,
  schemas: Pick<Schemas, 'problemOf'>,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, step] of planOf(undefined, steps).steps.entries()) {
    if (step.type !== 'approval' || step.form === undefined) continue;
    // `as`: the schema of its config says so.
    const reason = await schemas.problemOf(key, step.form as Record<string, unknown>);
    if (reason !== undefined) problems.push({ field: `steps[${index}].config.form`, reason });
  }
  return problems;
}
