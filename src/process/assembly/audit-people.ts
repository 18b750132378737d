import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { createRecordAudit, type AuditActor as AuditedDoer } from '../../identity/tenancy/audit/record.ts';
import type { TellChange } from '../../api/caller.ts';
import { isId } from '../../kernel/values/ids.ts';

/**
 * Writes each change of users and their rights to the audit log of its organisation. A change that concerns only a user, such as
 * signing in, is written to the log of every organisation that the user is a member of.
 */
export function createTellChange(deps: Pick<Dependencies, 'newId' | 'clock' | 'log'>): TellChange<DatabaseTransaction> {
  const record = createRecordAudit(deps);
  return async (transaction, { action, by, organisationId, target, before, after }) => {
    const actor: AuditedDoer['actor'] = isId('user', by.id) ? { kind: 'person', id: by.id } : { kind: 'commandLine' };
    const person = isId('user', target) ? target : by.id;
    const organisations = organisationId === undefined ? await organisationsOf(transaction, person) : [organisationId];
    const from = by.from === undefined ? {} : { from: by.from };
    const told = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    for (const id of organisations)
      await record(transaction, { organisationId: id, actor, ...from }, { action, target: { id: target }, ...told });
    deps.log.info({ action, by: by.id, organisationId, target, ...told }, 'changed access rights');
  };
}

/** In a fixed order, so that two transactions that write to the same logs cannot deadlock. */
async function organisationsOf(transaction: DatabaseTransaction, userId: string): Promise<string[]> {
  const rows = await transaction.member.findMany({ where: { userId }, orderBy: { organisationId: 'asc' } });
  return rows.map(({ organisationId }) => organisationId);
}
