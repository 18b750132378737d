import { createHash } from 'node:crypto';
import type { AuditEntry as AuditRow } from '../../db/generated/client.ts';

/** The hash before the first entry. */
export const BEGINNING: Uint8Array = new Uint8Array(0);

/** Hash of an entry: SHA-256 of the 32 bytes of the hash before it (none for the first) and of the entry's text in UTF-8. */
export const hashOf = (before: Uint8Array, entry: string): Buffer =>
  createHash('sha256').update(before).update(entry, 'utf8').digest();

/** Why a row does not continue the chain; undefined when it does. */
export function breachOf(
  row: AuditRow,
  { position, hash }: { position: number; hash: Uint8Array },
): string | undefined {
  if (row.position !== position + 1) return `the entry at position ${position + 1} is missing`;
  if (!hashOf(hash, row.entry).equals(row.hash)) return `the entry at position ${row.position} is not what was hashed`;
  const entry: unknown = JSON.parse(row.entry);
  if (!repeats(row, entry)) return `the columns of the entry at position ${row.position} differ from its text`;
  return undefined;
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
