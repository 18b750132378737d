import type { DatabaseReader } from '../../platform/db/client.ts';
import type { Workflow } from './schema.ts';
import { countSteps, type StoredWorkflow } from './store.ts';

/** Numbers that a process keeps: about 1 MB. */
const MOST_KEPT = 10_000;

/**
 * Gives workflows the number of their steps, for lists that leave the steps out. A list is asked for every few seconds, and counting reads
 * up to 256 KiB for each row: a version never changes, so a process counts its steps once.
 */
export function createStepCounts() {
  const kept = new Map<string, number>();
  return async (
    reader: Pick<DatabaseReader, '$queryRawUnsafe'>,
    found: readonly StoredWorkflow[],
  ): Promise<Workflow[]> => {
    const unknown = found.filter((each) => !kept.has(keyOf(each.workflow.id, each.version)));
    const counted = new Map<string, number>();
    if (unknown.length > 0) {
      if (kept.size + unknown.length > MOST_KEPT) kept.clear();
      const ids = unknown.map(({ workflow }) => workflow.id);
      for (const { id, version, count } of await countSteps(reader, ids)) {
        kept.set(keyOf(id, version), count);
        // Another version may be in force since the list was read.
        counted.set(id, count);
      }
    }
    return found.map(({ workflow, version }) => {
      const stepCount = counted.get(workflow.id) ?? kept.get(keyOf(workflow.id, version));
      return stepCount === undefined ? workflow : { ...workflow, stepCount };
    });
  };
}

const keyOf = (id: string, version: number): string => `${id} ${version}`;
