import { print } from './serving/role.ts';
import { withIdentity } from './with-database.ts';

/** `posthorn audit export`: every entry of every organisation, in the format of the API's export. */
export const exportAudit = (): Promise<void> =>
  withIdentity(async ({ audit }) => {
    for await (const line of audit.operator.export()) print(line.trimEnd());
  });

/** `posthorn audit verify`: checks every hash chain. Returns the exit code, 1 if one is broken. */
export const verifyAudit = (): Promise<number> =>
  withIdentity(async ({ audit }) => {
    const reports = await audit.operator.verify();
    for (const { organisationId, entries, breach } of reports)
      print(
        breach === undefined
          ? `${organisationId}: ${entries} entries, none missing and none changed`
          : `${organisationId}: ${breach}; the ${entries} entries before it are unchanged`,
      );
    if (reports.length === 0) print('The audit log is empty');
    return reports.some(({ breach }) => breach !== undefined) ? 1 : 0;
  });
