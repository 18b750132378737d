import type { Filters } from '../../filters/filters.ts';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import { createStepExpressions } from '../expressions/expressions.ts';
import type { Checks } from './problems.ts';

/** What a process knows of languages and targets, as problems.ts asks it. */
export function createChecks({
  filters,
  guard,
}: {
  filters: Pick<Filters, 'measure'>;
  guard: Pick<AddressGuard, 'checkUrl'>;
}): Checks {
  return {
    expressions: createStepExpressions(),
    filterProblem(expression) {
      const measured = filters.measure(expression);
      return 'problem' in measured ? measured.problem : undefined;
    },
    urlProblem: (url) => guard.checkUrl(url),
  };
}
