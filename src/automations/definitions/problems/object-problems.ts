import type { StepExpressions } from '../../expressions/expressions.ts';
import { piecesOf } from '../../expressions/templates.ts';
import type { PlannedStep } from '../configs/planned.ts';
import type { DefinitionProblem } from '../plan/graph.ts';

/** Types of CEL, by their beginnings, whose values may be objects. */
const MAY_BE_OBJECTS = ['dyn', 'map', 'optional'];

/**
 * Templates of a step that must give an object, and can give none. They are judged here and not by the schemas of configs: a stored
 * definition may be older, and is compiled all the same.
 */
export function objectProblems(
  step: PlannedStep,
  at: string,
  { expressions }: { expressions: Pick<StepExpressions, 'check'> },
): DefinitionProblem[] {
  if (step.type === 'workflow') return problemOf(`${at}.input`, step.input, expressions);
  if (step.type === 'action' && step.action === 'publish') return problemOf(`${at}.payload`, step.payload, expressions);
  return [];
}

function problemOf(field: string, template: unknown, expressions: Pick<StepExpressions, 'check'>): DefinitionProblem[] {
  const given = typeof template === 'string' ? typeOfText(template, expressions) : kindOf(template);
  return given === undefined ? [] : [{ field, reason: `must give an object, and gives ${given}` }];
}

/** The kind of a value without templates; undefined for an object. */
function kindOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'object' ? undefined : `a ${typeof value}`;
}

/** The kind that a text always gives. Undefined where it may give an object, and for an unreadable text, which is reported elsewhere. */
function typeOfText(text: string, { check }: Pick<StepExpressions, 'check'>): string | undefined {
  try {
    const [piece, ...others] = piecesOf(text);
    if (piece === undefined || 'text' in piece || others.length > 0) return 'a text: {{ }} must stand around all of it';
    const { type } = check(piece.expression);
    return MAY_BE_OBJECTS.some((each) => type.startsWith(each)) ? undefined : type;
  } catch {
    return undefined;
  }
}
