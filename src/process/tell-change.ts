import type { DatabaseTransaction } from '../db/client.ts';
import type { Dependencies } from '../dependencies.ts';
import { createAudit } from '../identity/audit/service.ts';
import type { Doer } from '../identity/audit/record.ts';
import type { TellChange } from '../identity/changes.ts';
import { isId } from '../kernel/ids.ts';

/**
 * Writes each change of people and their rights to the audit log of its organisation. A change of a person alone, such as signing in,
 * stands in the log of every organisation that the person is a member of.
 */
export function createTellChange(
  deps: Pick<Dependencies, 'db' | 'newId' | 'clock' | 'log'>,
): TellChange<DatabaseTransaction> {
  const audit = createAudit(deps);
  return async (transaction, { action, by, organisationId, target, details }) => {
    const actor: Doer['actor'] = isId('user', by) ? { kind: 'person', id: by } : { kind: 'commandLine' };
    const person = isId('user', target) ? target : by;
    const organisations = organisationId === undefined ? await organisationsOf(transaction, person) : [organisationId];
    const after = details === undefined ? {} : { after: details };
    for (const id of organisations)
      await audit.record(transaction, { organisationId: id, actor }, { action, target: { id: target }, ...after });
    deps.log.info({ action, by, organisationId, target, ...details }, 'changed who may do what');
  };
}

/** In one order, so that two transactions that write to the same logs never wait for each other. */
async function organisationsOf(transaction: DatabaseTransaction, userId: string): Promise<string[]> {
  const rows = await transaction.member.findMany({ where: { userId }, orderBy: { organisationId: 'asc' } });
  return rows.map(({ organisationId }) => organisationId);
}
