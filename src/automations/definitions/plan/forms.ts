import type { Schemas } from '../../../messaging/schemas/schemas.ts';
import { planOf } from './compile.ts';
import type { DefinitionProblem } from './graph.ts';

/**
 * Forms of approvals, and of the payload of runs by hand, that are no JSON Schema, or one that costs too much. `key`: whose turn the
 * checks take.
 */
export async function formProblems(
  { trigger, steps }: { trigger?: unknown; steps?: unknown },
  key: string,
  schemas: Pick<Schemas, 'problemOf'>,
): Promise<DefinitionProblem[]> {
  const problems: DefinitionProblem[] = [];
  for (const { field, form } of formsIn(trigger, steps)) {
    const reason = await schemas.problemOf(key, form);
    if (reason !== undefined) problems.push({ field, reason });
  }
  return problems;
}

type Form = { field: string; form: Record<string, unknown> };

function formsIn(trigger: unknown, steps: unknown): Form[] {
  const plan = planOf(trigger, steps);
  // `as`: the schemas of the configs say so.
  const form = (field: string, schema: unknown): Form[] =>
    schema === undefined ? [] : [{ field, form: schema as Record<string, unknown> }];
  return [
    ...(plan.trigger.type === 'manual' ? form('trigger.config.inputSchema', plan.trigger.inputSchema) : []),
    ...plan.steps.flatMap((step, index) =>
      step.type === 'approval' ? form(`steps[${index}].config.form`, step.form) : [],
    ),
  ];
}
