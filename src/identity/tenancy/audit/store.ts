import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { AuditEntry as AuditRow, Prisma } from '../../../platform/db/generated/client.ts';
import type { TenantCaller } from '../../../api/caller.ts';
import { idsWithin } from '../../../kernel/values/instant.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import { type AuditEntry, auditEntryAnswer, type AuditFilter } from './schema.ts';

/** A caller within an environment sees its entries, one above the environments those of the organisation. */
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

/** An entry that the caller sees. */
export async function findEntry(
  db: DatabaseTransaction,
  caller: TenantCaller,
  id: string,
): Promise<AuditEntry | undefined> {
  const row = await db.auditEntry.findFirst({ where: { AND: [visibleTo(caller), { id }] } });
  return row === null ? undefined : toEntry(row);
}

/** The page's entries, newest first, and one more when there is one. */
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
 * The members before `before` and `after`, which come last, have 3,000 characters at most: mostly the `User-Agent`, of which 300 are
 * kept. PostgreSQL opens no more of a long text than its beginning.
 */
const HEADS = String.raw`
  SELECT id, coalesce(substring(left(entry, 4096) FROM '^(.*?),"(?:before|after)":\{') || '}', entry) AS entry
  FROM audit_entries WHERE id = ANY ($1::text[])`;

/** The texts of these entries without what they have changed, by their ids. */
async function findHeads(db: DatabaseTransaction, rows: readonly { id: string }[]): Promise<Map<string, string>> {
  const ids = rows.map(({ id }) => id);
  const heads = await db.$queryRawUnsafe<{ id: string; entry: string }[]>(HEADS, ids);
  return new Map(heads.map(({ id, entry }) => [id, entry]));
}

/** Up to `count` rows in the order of the chain, behind that position. */
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

/** Ids of all organisations, whatever is left of their logs. */
export const findOrganisationIds = async (db: DatabaseTransaction): Promise<string[]> =>
  (await db.organisation.findMany({ select: { id: true }, orderBy: { id: 'asc' } })).map(({ id }) => id);

const toEntry = ({ entry, position, hash }: Pick<AuditRow, 'entry' | 'position' | 'hash'>): AuditEntry =>
  auditEntryAnswer.decode({
    // `as`: record.ts has written it.
    ...(JSON.parse(entry) as Omit<ReturnType<typeof auditEntryAnswer.encode>, 'position' | 'hash'>),
    position,
    hash: Buffer.from(hash).toString('hex'),
  });
