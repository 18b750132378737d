import { fieldPath } from '../../../kernel/values/text.ts';
import { headerNameProblem, headerValueProblem } from '../../../platform/outbound/headers.ts';
import { filledAddress, hasWrittenOrigin } from '../../expressions/addresses.ts';
import { piecesOf, secretIn, textsOf } from '../../expressions/templates.ts';
import type { Checks } from './languages-and-targets.ts';
import type { HttpAction, PlannedStep } from '../configs/planned.ts';
import type { DefinitionProblem } from '../plan/graph.ts';
import { connectorTemplates } from '../configs/connector.ts';

/** The templates of a step that may hold secrets, with their fields in its config. */
export function secretTemplatesOf(step: PlannedStep): { field: string; template: unknown }[] {
  if (step.type !== 'action') return [];
  if (step.action === 'connector') return connectorTemplates(step).filter(({ maySecret }) => maySecret);
  if (step.action !== 'http') return [];
  return [
    { field: 'headers', template: step.headers },
    { field: 'query', template: step.query },
    { field: 'auth', template: step.auth },
  ];
}

/** Faults of the address and of the headers of a step that makes a request. Expressions in them are judged elsewhere. */
export function requestProblems(
  step: PlannedStep,
  at: string,
  { urlProblem }: Pick<Checks, 'urlProblem'>,
): DefinitionProblem[] {
  if (step.type !== 'action' || step.action !== 'http') return [];
  const reason = addressProblem(step, (url) => urlProblem(url, `${at}.url`));
  return [
    ...(reason === undefined ? [] : [{ field: `${at}.url`, reason }]),
    ...headerProblems(step.headers, at),
    ...tokenProblems(step.auth, at),
  ];
}

/** An address whose origin is written out is looked at now, any other one when it is called. */
function addressProblem(
  step: PlannedStep & HttpAction,
  urlProblem: (url: string) => string | undefined,
): string | undefined {
  const url = String(step.url);
  try {
    return hasWrittenOrigin(url) ? urlProblem(filledAddress(url, () => 'x')) : writtenOriginProblem(step);
  } catch {
    // A template that is not closed is a fault of its expressions.
    return undefined;
  }
}

/**
 * Why the address of a step may not come from a template: a value of a message could send credentials to a host of its own. Undefined
 * where nothing secret goes with the request, and where scheme, host and port are written out.
 */
export function writtenOriginProblem(step: PlannedStep & HttpAction): string | undefined {
  const isSecret = step.auth !== undefined || hasAuthorization(step.headers) || hasSecret(step);
  return isSecret && !hasWrittenOrigin(String(step.url))
    ? 'must have scheme, host and port written out, because credentials go with the request (secrets, auth or Authorization)'
    : undefined;
}

const hasAuthorization = (headers: HttpAction['headers']): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

const hasSecret = (step: PlannedStep): boolean =>
  secretTemplatesOf(step).some(({ template }) =>
    [...textsOf(template, '')].some(({ text }) =>
      piecesOf(text).some((piece) => 'expression' in piece && secretIn(piece.expression) !== undefined),
    ),
  );

/** Headers that the sender leaves out, or cannot send; texts with templates are judged once they are filled in. */
function headerProblems(headers: HttpAction['headers'], at: string): DefinitionProblem[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, template]) => {
    const isTwice = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const reason = headerNameProblem(name) ?? (isTwice ? 'is there twice' : writtenValueProblem(template));
    return reason === undefined ? [] : [{ field: `${at}.${fieldPath(['headers', name])}`, reason }];
  });
}

/** A token stands in the header as it is; a name and a password are in base64 there. */
function tokenProblems(auth: HttpAction['auth'], at: string): DefinitionProblem[] {
  const reason = auth?.type === 'bearer' ? writtenValueProblem(auth.token) : undefined;
  return reason === undefined ? [] : [{ field: `${at}.auth.token`, reason }];
}

const writtenValueProblem = (template: unknown): string | undefined =>
  typeof template === 'string' && !template.includes('{{') ? headerValueProblem(template) : undefined;
