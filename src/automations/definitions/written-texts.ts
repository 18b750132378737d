import { WORKFLOW_BOUNDS } from '../../contract/run-outline.ts';
import { invalidField } from '../../kernel/api-error.ts';
import { memberSpan, wholeSpan } from '../../kernel/exact-json.ts';
import type { Problem } from './graph.ts';
import type { DefinitionTexts } from './store.ts';

/** A definition as its validation and the audit log read it. */
export type Given = { trigger?: Record<string, unknown>; steps?: readonly unknown[] };

/** The author's own texts in a body that has been validated. */
export function textsIn(bodyText: string): DefinitionTexts {
  const textOf = (name: string): string | undefined => {
    const span = memberSpan(bodyText, wholeSpan(bodyText), name);
    const text = span && bodyText.slice(span.start, span.end);
    // Null is what a field is left out by.
    return text === 'null' ? undefined : text;
  };
  const [trigger, steps] = [textOf('trigger'), textOf('steps')];
  return { ...(trigger !== undefined && { trigger }), ...(steps !== undefined && { steps }) };
}

/** More text than a definition may have. */
export function sizeProblem({ trigger = '', steps = '' }: DefinitionTexts): Problem | undefined {
  const isTooLong = Buffer.byteLength(`${trigger}${steps}`) > WORKFLOW_BOUNDS.definitionBytes;
  return isTooLong
    ? { field: 'steps', reason: `and trigger must have at most ${WORKFLOW_BOUNDS.definitionBytes} bytes` }
    : undefined;
}

/** INVALID_REQUEST for it. */
export function refuseTooLong(texts: DefinitionTexts): void {
  const problem = sizeProblem(texts);
  if (problem !== undefined) throw invalidField(problem.field, problem.reason);
}

/** The values of stored texts. */
export function parsed({ trigger, steps }: DefinitionTexts): Given {
  // `as`: they had that form when they were written.
  return {
    ...(trigger !== undefined && { trigger: JSON.parse(trigger) as Record<string, unknown> }),
    ...(steps !== undefined && { steps: JSON.parse(steps) as unknown[] }),
  };
}
