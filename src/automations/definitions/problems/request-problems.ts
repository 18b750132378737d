import { fieldPath } from '../../../kernel/values/text.ts';
import { headerNameProblem, headerValueProblem } from '../../../platform/outbound/headers.ts';
import { filledAddress, hasWrittenOrigin } from '../../expressions/addresses.ts';
import { piecesOf, secretIn, textsOf } from '../../expressions/templates.ts';
import type { Checks } from './languages-and-targets.ts';
import type { HttpAction, PlannedStep } from '../configs/planned.ts';
import type { DefinitionProblem } from '../plan/graph.ts';
import { connectorTemplates } from '../configs/connector.ts';

/** Returns the templates of a step that may contain secrets, with their config fields. */
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

/** Returns the problems of the address and headers of an http step. Expressions in them are checked elsewhere. */
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

/** Checks an address with a literal origin now; others are checked when the request is sent. */
function addressProblem(
  step: PlannedStep & HttpAction,
  urlProblem: (url: string) => string | undefined,
): string | undefined {
  const url = String(step.url);
  try {
    return hasWrittenOrigin(url) ? urlProblem(filledAddress(url, () => 'x')) : writtenOriginProblem(step);
  } catch {
    // An unclosed template is reported as an expression problem.
    return undefined;
  }
}

/**
 * Returns why the origin of a step's address cannot come from a template: a value of a message could send credentials
 * to another host. Undefined if the request has no credentials, or if scheme, host and port are literal.
 */
export function writtenOriginProblem(step: PlannedStep & HttpAction): string | undefined {
  const isSecret = step.auth !== undefined || hasAuthorization(step.headers) || hasSecret(step);
  return isSecret && !hasWrittenOrigin(String(step.url))
    ? 'must have a literal scheme, host and port, because credentials are sent with the request (secrets, auth or Authorization)'
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

/** Reports headers that the sender omits or cannot send. Texts with templates are checked once they are filled in. */
function headerProblems(headers: HttpAction['headers'], at: string): DefinitionProblem[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, template]) => {
    const isTwice = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const reason = headerNameProblem(name) ?? (isTwice ? 'must not occur twice' : writtenValueProblem(template));
    return reason === undefined ? [] : [{ field: `${at}.${fieldPath(['headers', name])}`, reason }];
  });
}

/** A token is sent in plain text in the header, user name and password in base64. */
function tokenProblems(auth: HttpAction['auth'], at: string): DefinitionProblem[] {
  const reason = auth?.type === 'bearer' ? writtenValueProblem(auth.token) : undefined;
  return reason === undefined ? [] : [{ field: `${at}.auth.token`, reason }];
}

const writtenValueProblem = (template: unknown): string | undefined =>
  typeof template === 'string' && !template.includes('{{') ? headerValueProblem(template) : undefined;
