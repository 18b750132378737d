import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { AuditEntry as AuditRow, Prisma } from '../../../platform/db/generated/client.ts';
import type { TenantCaller } from '../../../api/caller.ts';
import { idsWithin } from '../../../kernel/values/instant.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import { type AuditEntry, auditEntryAnswer, type AuditFilter } from './schema.ts';

/** A caller in an environment sees its entries; one above the environments sees those of the organisation. */
const visibleTo = (caller: TenantCaller): Prisma.AuditEntryWhereInput => ({
  organisationId: caller.organisationId,
  ...(caller.level === 'environment' && { environmentId: caller.environmentId }),
});

function matching(caller: TenantCaller, { since, until, ...filter }: AuditFilter): Prisma.AuditEntryWhereInput {
  const { from, before } = idsWithin('auditEntry', { since, until });
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return {
    AND: [
      visibleTo(caller),
      given,
      ...(from === undefined ? [] : [{ id: { gte: from } }]),
      ...(before === undefined ? [] : [{ id: { lt: before } }]),
    ],
  };
}

/** Returns an entry if it is visible to the caller. */
export async function findEntry(
  db: DatabaseTransaction,
  caller: TenantCaller,
  id: string,
): Promise<AuditEntry | undefined> {
  const row = await db.auditEntry.findFirst({ where: { AND: [visibleTo(caller), { id }] } });
  return row === null ? undefined : toEntry(row);
}

/** Returns the entries of a page, newest first, and one more if there is one. */
export async function findEntries(
  db: DatabaseTransaction,
  caller: TenantCaller,
  filter: AuditFilter,
  { limit, after, hasChanges }: PageRequest & { hasChanges: boolean },
): Promise<AuditEntry[]> {
  const rows = await db.auditEntry.findMany({
    omit: { entry: !hasChanges },
    where: { AND: [matching(caller, filter), ...(after === undefined ? [] : [{ id: { lt: after } }])] },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  if (hasChanges) return rows.map(toEntry);
  const heads = await findHeads(db, rows);
  return rows.flatMap((row) => {
    const entry = heads.get(row.id);
    return entry === undefined ? [] : toEntry({ ...row, entry });
  });
}

/**
 * The fields that precede `before` and `after` have at most 3,000 characters, mostly the `User-Agent`, of which 300 are
 * stored. For the beginning of a long text, PostgreSQL does not decompress all of it.
 */
const HEADS = String.raw`
  SELECT id, coalesce(substring(left(entry, 4096) FROM '^(.*?),"(?:before|after)":\{') || '}', entry) AS entry
  FROM audit_entries WHERE id = ANY ($1::text[])`;

/** Returns the texts of these entries without the changed fields, by their ids. */
async function findHeads(db: DatabaseTransaction, rows: readonly { id: string }[]): Promise<Map<string, string>> {
  const ids = rows.map(({ id }) => id);
  const heads = await db.$queryRawUnsafe<{ id: string; entry: string }[]>(HEADS, ids);
  return new Map(heads.map(({ id, entry }) => [id, entry]));
}

/** Returns up to `count` rows after that position, in the order of the chain. */
export const findRowsBehind = (
  db: DatabaseTransaction,
  where: { caller: TenantCaller; filter: AuditFilter } | { organisationId: string },
  { position, count }: { position: number; count: number },
): Promise<AuditRow[]> =>
  db.auditEntry.findMany({
    where: {
      AND: [
        'caller' in where ? matching(where.caller, where.filter) : { organisationId: where.organisationId },
        { position: { gt: position } },
      ],
    },
    orderBy: { position: 'asc' },
    take: count,
  });

export const findHead = (db: DatabaseTransaction, organisationId: string) =>
  db.auditHead.findUnique({ where: { organisationId } });

/** Returns the ids of all organisations, whatever is left of their logs. */
export const findOrganisationIds = async (db: DatabaseTransaction): Promise<string[]> =>
  (await db.organisation.findMany({ select: { id: true }, orderBy: { id: 'asc' } })).map(({ id }) => id);

const toEntry = ({ entry, position, hash }: Pick<AuditRow, 'entry' | 'position' | 'hash'>): AuditEntry =>
  auditEntryAnswer.decode({
    // `as`: written by record.ts.
    ...(JSON.parse(entry) as Omit<ReturnType<typeof auditEntryAnswer.encode>, 'position' | 'hash'>),
    position,
    hash: Buffer.from(hash).toString('hex'),
  });
