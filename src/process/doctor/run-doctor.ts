import { examine } from './examine.ts';
import type { FindingVerdict } from './finding.ts';
import { print } from '../roles/serving/role.ts';
import { toTable } from '../roles/printing.ts';

/**
 * `posthorn doctor`: checks the deployment described by the settings and prints a line per check. Changes nothing. Returns the exit
 * code: 1 if a check fails; a warning does not count as a failure.
 */
export async function runDoctor({ json }: { json: boolean }): Promise<number> {
  const findings = await examine();
  const count = (verdict: FindingVerdict): number => findings.filter((each) => each.verdict === verdict).length;
  if (json) print(JSON.stringify(findings, undefined, 2));
  else {
    print(toTable(findings.map(({ verdict, check, says }) => [verdict, check, says])));
    print(`\n${many(count('fail'), 'fault')}, ${many(count('warn'), 'warning')}, ${count('ok')} in order`);
  }
  return count('fail') > 0 ? 1 : 0;
}

const many = (count: number, what: string): string => `${count} ${count === 1 ? what : `${what}s`}`;
