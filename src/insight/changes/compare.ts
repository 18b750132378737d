import { type AuditAction, changedBy, type ChangeKind } from '../../kernel/words/audit-actions.ts';
import type { SeenRow } from './store.ts';
import { type Change, MOST_NAMED } from './schema.ts';

/** The rows of a look, by source and id. */
export type SeenRows = ReadonlyMap<string, SeenRow>;

export const seenIn = (rows: readonly SeenRow[]): SeenRows =>
  new Map(rows.map((row) => [`${row.source} ${row.id}`, row]));

/** Rows that are new or differ, and rows that are gone from where unfinished ones stand: a delivered one is no longer retried. */
export function differences(before: SeenRows, now: SeenRows): SeenRow[] {
  const changed = [...now].filter(([key, row]) => before.get(key)?.mark !== row.mark).map(([, row]) => row);
  const gone = [...before].filter(([key, row]) => !now.has(key) && isUnfinished(row)).map(([, row]) => row);
  return [...changed, ...gone.map((row) => ({ ...row, status: null }))];
}

const UNFINISHED = new Set(['pending', 'retrying', 'running', 'waiting', 'paused', 'open']);
const isUnfinished = ({ source, status }: SeenRow): boolean => source !== 'audit' && UNFINISHED.has(status ?? '');

/** The events that tell of these rows, one for each kind. `targets`: the resources that entries of the audit log are about. */
export function changesIn(
  rows: readonly SeenRow[],
  targets: readonly { action: string; targetId: string }[],
): Change[] {
  const byKind = new Map<ChangeKind, Map<string, string | null>>();
  const add = (kind: ChangeKind, id: string | undefined, status: string | null): void => {
    const named = byKind.get(kind) ?? new Map<string, string | null>();
    if (id !== undefined) named.set(id, named.get(id) ?? status);
    byKind.set(kind, named);
  };
  for (const { source, id, status, isSystem } of rows) {
    if (source === 'audit') continue;
    add(source, id, status);
    // The service's own events are about circuits and endings of subscriptions.
    if (isSystem) add('subscription', undefined, null);
  }
  for (const { action, targetId } of targets) {
    // `as`: the column is only ever written from this list.
    const kind = changedBy(action as AuditAction);
    if (kind !== undefined) add(kind, targetId, null);
  }
  return [...byKind].map(([kind, named]) => ({
    kind,
    changed: [...named].slice(0, MOST_NAMED).map(([id, status]) => ({ id, ...(status !== null && { status }) })),
    // A channel names its last message alone, and a full window may have more behind it.
    isComplete: kind !== 'message' && named.size > 0 && named.size < MOST_NAMED,
  }));
}
