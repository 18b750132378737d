import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import { memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';
import { BodyMisfit } from '../../kernel/errors.ts';
import type { DefinitionProblem } from './plan/graph.ts';
import type { DefinitionTexts } from './store.ts';

/** A definition as its validation and the audit log read it. */
export type Given = { trigger?: Record<string, unknown>; steps?: readonly unknown[] };

/** The author's own texts in a body: of one that does not fit, those that it has no fault in. */
export function textsIn(body: object, bodyText: string): DefinitionTexts {
  const good = body instanceof BodyMisfit ? body.rest() : body;
  const textOf = (name: string): string | undefined => {
    if (!Object.hasOwn(good, name)) return undefined;
    const span = memberSpan(bodyText, wholeSpan(bodyText), name);
    const text = span && bodyText.slice(span.start, span.end);
    // Null is what a field is left out by.
    return text === 'null' ? undefined : text;
  };
  const [trigger, steps] = [textOf('trigger'), textOf('steps')];
  return { ...(trigger !== undefined && { trigger }), ...(steps !== undefined && { steps }) };
}

/** More text than a definition may have. */
export function sizeProblem({ trigger = '', steps = '' }: DefinitionTexts): DefinitionProblem | undefined {
  const isTooLong = Buffer.byteLength(`${trigger}${steps}`) > WORKFLOW_BOUNDS.definitionBytes;
  return isTooLong
    ? { field: 'steps', reason: `and trigger must have at most ${WORKFLOW_BOUNDS.definitionBytes} bytes` }
    : undefined;
}

/** The values of stored texts. */
export function parsed({ trigger, steps }: DefinitionTexts): Given {
  // `as`: they had that form when they were written.
  return {
    ...(trigger !== undefined && { trigger: JSON.parse(trigger) as Record<string, unknown> }),
    ...(steps !== undefined && { steps: JSON.parse(steps) as unknown[] }),
  };
}
