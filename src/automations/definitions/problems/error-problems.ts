import { isStepError, STEP_ERRORS } from '../../../kernel/contract/run-outline.ts';
import { nearestName } from '../../../kernel/values/nearest-name.ts';
import type { PlannedStep } from '../configs/planned.ts';
import type { Problems } from '../plan/graph.ts';

const KNOWN = [...STEP_ERRORS, 'HTTP_404', 'HTTP_4XX', 'HTTP_5XX'];

/** Names of errors that no step fails with: a branch of `onError` under such a name is never taken. */
export function* errorProblems(step: PlannedStep, at: string): Problems {
  for (const { field, name } of namesIn(step, at)) if (!isStepError(name)) yield { field, reason: reasonFor(name) };
}

function namesIn({ onError, nonRetryableErrors }: PlannedStep, at: string): { field: string; name: string }[] {
  const caught =
    typeof onError === 'string'
      ? []
      : onError.flatMap(({ errors }, index) =>
          errors.map((name, place) => ({ field: `${at}.onError[${index}].errors[${place}]`, name })),
        );
  const final = nonRetryableErrors.map((name, place) => ({
    field: `${at}.retryPolicy.nonRetryableErrors[${place}]`,
    name,
  }));
  return [...caught, ...final];
}

function reasonFor(name: string): string {
  const nearest = nearestName(name, KNOWN);
  const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `no step fails with ${JSON.stringify(name)}; known: ${STEP_ERRORS.join(', ')}, a status such as HTTP_404, HTTP_4XX and HTTP_5XX for all of theirs, and * for all${meant}`;
}
