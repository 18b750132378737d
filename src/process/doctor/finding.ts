import { messageOf } from '../../kernel/errors.ts';

/** `skip`: not checked, because an earlier check failed. */
const FINDING_VERDICTS = ['ok', 'warn', 'fail', 'skip'] as const;
export type FindingVerdict = (typeof FINDING_VERDICTS)[number];

/** The result of one check: a sentence for the operator that names the remedy if there is something to do. */
export type Finding = { check: string; verdict: FindingVerdict; says: string };

export const ok = (check: string, says: string): Finding => ({ check, verdict: 'ok', says });
export const warn = (check: string, says: string): Finding => ({ check, verdict: 'warn', says });
export const fail = (check: string, says: string): Finding => ({ check, verdict: 'fail', says });

/** Runs a check; if it throws, the check fails with the text of `explain`. */
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
