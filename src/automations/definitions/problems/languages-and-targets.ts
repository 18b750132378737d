import type { Filters } from '../../../messaging/filters/filters.ts';
import type { AddressGuard } from '../../../platform/outbound/guard/address-guard.ts';
import { createStepExpressions, type StepExpressions } from '../../expressions/expressions.ts';

/** The process as problems.ts asks it: its languages, and the targets that it allows. */
export type Checks = {
  expressions: Pick<StepExpressions, 'check'>;
  /** Why an expression can be no filter of a message; undefined when it can. */
  filterProblem(expression: string): string | undefined;
  /** Why nothing is sent to this address, which stands in `field`; undefined when something may be. */
  urlProblem(url: string, field: string): string | undefined;
};

/** The checks, and the look-ups that problems.ts cannot wait for. */
export type ChecksAndLookUps = Checks & {
  /** `urlProblem`, with the addresses of a host name where the operator has allowed ranges. */
  lookedUpProblem(url: string): Promise<string | undefined>;
};

/** Answers to problems.ts from the filters and the address guard of a process. */
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
