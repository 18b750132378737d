import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commit, readFaultSettings } from '../settings.ts';
import { createChance } from '../faults.ts';
import type { OwnTopology } from '../own-topology.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { type Outcome, setStage } from './stage.ts';

/**
 * Plays a scenario on a stage of its own and reconciles its logs. Throws with every breach, the seed, the commit and the folder of the
 * logs; prints its figures otherwise.
 */
export async function play(own: OwnTopology, { number, title, act }: Scenario): Promise<void> {
  const { seed, isLong } = readFaultSettings();
  const name = `${number}: ${title}`;
  process.stderr.write(`${name}\n`);
  const folder = mkdtempSync(join(tmpdir(), `posthorn-${number.toLowerCase()}-`));
  const stage = await setStage({ ...own, folder });
  try {
    await act(stage, createChance(seed, isLong));
    tell(name, await stage.finish());
  } finally {
    await stage.abandon();
  }
}

/** Throws the breaches of an outcome, or prints its figures. */
export function tell(name: string, { breaches, figures, folder }: Outcome): void {
  const { seed, reportPath } = readFaultSettings();
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  if (reportPath !== undefined)
    appendFileSync(reportPath, `${JSON.stringify({ name, seed, commit: commit(), breaches, figures })}\n`);
  if (breaches.length === 0) return;
  const [shown, others] = [breaches.slice(0, MOST_SHOWN), breaches.length - MOST_SHOWN];
  throw new Error(
    [
      `${name}: ${breaches.length} breaches with the seed ${seed} at the commit ${commit()}`,
      ...shown,
      ...(others > 0 ? [`and ${others} more`] : []),
      `the logs are in ${folder}: npm run faults -- --check ${folder}`,
    ].join('\n'),
  );
}

// Enough to see the kind of fault; the folder has all of them.
const MOST_SHOWN = 12;
