import { print } from './serving/role.ts';
import { withIdentity } from './with-database.ts';

/** `posthorn audit export`: every entry of every organisation, as the API exports them. */
export const exportAudit = (): Promise<void> =>
  withIdentity(async ({ audit }) => {
    for await (const line of audit.operator.export()) print(line.trimEnd());
  });

/** `posthorn audit verify`: goes along every chain. Returns the exit code, 1 when one is broken. */
export const verifyAudit = (): Promise<number> =>
  withIdentity(async ({ audit }) => {
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
