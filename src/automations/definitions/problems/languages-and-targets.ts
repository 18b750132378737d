import type { Filters } from '../../../messaging/filters/filters.ts';
import type { AddressGuard } from '../../../platform/outbound/guard/address-guard.ts';
import { createStepExpressions, type StepExpressions } from '../../expressions/expressions.ts';

/** What problems.ts needs from the process: its expression languages, and the addresses that it allows. */
export type Checks = {
  expressions: Pick<StepExpressions, 'check'>;
  /** Returns why an expression cannot be a message filter; undefined if it can. */
  filterProblem(expression: string): string | undefined;
  /** Returns why requests to the address in `field` are not allowed; undefined if they are. */
  urlProblem(url: string, field: string): string | undefined;
};

/** The checks, and the lookups that problems.ts cannot wait for. */
export type ChecksAndLookUps = Checks & {
  /** Like `urlProblem`, but also resolves host names if the operator has allowed address ranges. */
  lookedUpProblem(url: string): Promise<string | undefined>;
};

/** Creates the checks from the filters and the address guard of a process. */
export function createChecks({
  filters,
  guard,
}: {
  filters: Pick<Filters, 'measure'>;
  guard: Pick<AddressGuard, 'checkUrl' | 'judgeUrl'>;
}): ChecksAndLookUps {
  return {
    expressions: createStepExpressions(),
    filterProblem(expression) {
      const measured = filters.measure(expression);
      return 'problem' in measured ? measured.problem : undefined;
    },
    urlProblem: (url) => guard.checkUrl(url),
    lookedUpProblem: async (url) => (await guard.judgeUrl(url)).problem,
  };
}
