import { createDatabase } from '../../db/client.ts';
import { readConfig } from '../../config.ts';
import { type Audit, createAudit } from '../../identity/audit/service.ts';
import { createNewId } from '../../new-id.ts';
import { explainingDatabase } from '../../readiness/database-trouble.ts';
import { findDatabase } from './keys.ts';
import { print } from './role.ts';

/** `posthorn audit export`: every entry of every organisation, as the API exports them. */
export const exportAudit = (): Promise<void> =>
  withAudit(async (audit) => {
    for await (const line of audit.operator.export()) print(line.trimEnd());
  });

/** `posthorn audit verify`: goes along every chain. Returns the exit code, 1 when one is broken. */
export const verifyAudit = (): Promise<number> =>
  withAudit(async (audit) => {
    const reports = await audit.operator.verify();
    for (const { organisationId, entries, breach } of reports)
      print(
        breach === undefined
          ? `${organisationId}: ${entries} entries, none missing and none changed`
          : `${organisationId}: ${breach}; the ${entries} before it are as they were written`,
      );
    if (reports.length === 0) print('The audit log is empty');
    return reports.some(({ breach }) => breach !== undefined) ? 1 : 0;
  });

async function withAudit<T>(work: (audit: Audit) => Promise<T>): Promise<T> {
  const databaseUrl = findDatabase(readConfig());
  return explainingDatabase(databaseUrl, async () => {
    const db = createDatabase(databaseUrl);
    try {
      return await work(createAudit({ db, clock: () => new Date(), newId: createNewId(Date.now) }));
    } finally {
      await db.$disconnect();
    }
  });
}
