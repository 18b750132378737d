import { createHash } from 'node:crypto';
import type { AuditEntry as AuditRow } from '../../../platform/db/generated/client.ts';

/** A link of a chain: the position of an entry and its hash. */
type ChainLink = { position: number; hash: Uint8Array };

/** A chain as it was found: the number of its good entries, and the first breach. */
export type ChainState = { entries: number; breach?: string };

/** The link before the first entry. */
const BEGINNING: ChainLink = { position: 0, hash: new Uint8Array(0) };

/** Hash of an entry: SHA-256 of the 32 bytes of the hash before it (none for the first) and of the entry's text in UTF-8. */
const hashOf = (before: Uint8Array, entry: string): Buffer =>
  createHash('sha256').update(before).update(entry, 'utf8').digest();

/** Why a row does not continue the chain; undefined when it does. */
function breachOf(row: AuditRow, { position, hash }: ChainLink): string | undefined {
  if (row.position !== position + 1) return `the entry at position ${position + 1} is missing`;
  if (!hashOf(hash, row.entry).equals(row.hash)) return `the entry at position ${row.position} is not what was hashed`;
  const entry: unknown = JSON.parse(row.entry);
  if (!repeats(row, entry)) return `the columns of the entry at position ${row.position} differ from its text`;
  return undefined;
}

/**
 * Goes along one chain while it may grow. An entry and the chain's end are written in one transaction, so an end that is read later is
 * never before an entry that was seen.
 */
export async function walkChain({
  rowsBehind,
  head,
}: {
  /** Rows in their order, behind that position. */
  rowsBehind: (position: number) => AsyncIterable<AuditRow>;
  /** The chain's end, as it is noted now; null where there is none. */
  head: () => Promise<ChainLink | null>;
}): Promise<ChainState> {
  let last = BEGINNING;
  for (let end = (await head()) ?? BEGINNING; ; ) {
    for await (const row of rowsBehind(last.position)) {
      const breach = breachOf(row, last);
      if (breach !== undefined) return { entries: last.position, breach };
      last = row;
    }
    const entries = last.position;
    if (entries < end.position) return { entries, breach: `the entries behind position ${entries} are missing` };
    if (entries === end.position) {
      if (Buffer.from(end.hash).equals(last.hash)) return { entries };
      return { entries, breach: `the entry at position ${entries} is not the chain's end` };
    }
    end = (await head()) ?? BEGINNING;
    if (end.position < entries)
      return { entries: end.position, breach: `the entry at position ${end.position + 1} is behind the chain's end` };
  }
}

/** Whether the columns for lists say what the hashed text says. */
function repeats(row: AuditRow, entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  const { id, organisationId, environmentId, actor, action, target } = entry as {
    [name in 'id' | 'organisationId' | 'environmentId' | 'action']?: string;
  } & { actor?: { id?: string }; target?: { id?: string } };
  return (
    id === row.id &&
    organisationId === row.organisationId &&
    (environmentId ?? null) === row.environmentId &&
    (actor?.id ?? null) === row.actorId &&
    action === row.action &&
    target?.id === row.targetId
  );
}
