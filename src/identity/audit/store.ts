import type { DatabaseTransaction } from '../../db/client.ts';
import type { AuditEntry as AuditRow, Prisma } from '../../db/generated/client.ts';
import type { TenantCaller } from '../../caller/caller.ts';
import { idsWithin } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
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

/** The page's entries, newest first, and one more when there is one. */
export async function findEntries(
  db: DatabaseTransaction,
  caller: TenantCaller,
  filter: AuditFilter,
  { limit, after }: PageRequest,
): Promise<AuditEntry[]> {
  const rows = await db.auditEntry.findMany({
    where: { AND: [matching(caller, filter), ...(after === undefined ? [] : [{ id: { lt: after } }])] },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(toEntry);
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

const toEntry = ({ entry, position, hash }: AuditRow): AuditEntry =>
  auditEntryAnswer.decode({
    // `as`: record.ts has written it.
    ...(JSON.parse(entry) as Omit<ReturnType<typeof auditEntryAnswer.encode>, 'position' | 'hash'>),
    position,
    hash: Buffer.from(hash).toString('hex'),
  });
