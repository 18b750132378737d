import { messageOf } from '../../kernel/errors.ts';

/** `skip`: could not be looked at, because something before it is at fault. */
const FINDING_VERDICTS = ['ok', 'warn', 'fail', 'skip'] as const;
export type FindingVerdict = (typeof FINDING_VERDICTS)[number];

/** One thing that was looked at: a sentence for the operator, which names the remedy where there is something to do. */
export type Finding = { check: string; verdict: FindingVerdict; says: string };

export const ok = (check: string, says: string): Finding => ({ check, verdict: 'ok', says });
export const warn = (check: string, says: string): Finding => ({ check, verdict: 'warn', says });
export const fail = (check: string, says: string): Finding => ({ check, verdict: 'fail', says });

/** Runs a look; one that throws is a fault of its own, in the words of `explain`. */
export async function lookInto(
  check: string,
  examine: () => Promise<Finding>,
  explain: (failure: unknown) => string = messageOf,
): Promise<Finding> {
  try {
    return await examine();
  } catch (failure) {
    return fail(check, explain(failure));
  }
}
