import type { DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createAudit } from '../audit/service.ts';
import type { TenantCaller } from '../caller.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { changedParts } from '../../kernel/changed-parts.ts';
import { type Organisation, organisationChange, type UpdateOrganisation } from './schema.ts';
import * as store from './store.ts';

export type Organisations = {
  /** The caller's own organisation; NOT_FOUND for any other id. */
  get(caller: TenantCaller, id: string): Promise<Organisation>;
  update(caller: TenantCaller, id: string, body: UpdateOrganisation): Promise<Organisation>;
  /** In the transaction that makes its first member, for which no caller of it can ask yet. */
  createWithin(transaction: DatabaseTransaction, name: string): Promise<Organisation>;
  /** These, newest first: the ones that a person is a member of. */
  findMany(ids: readonly string[]): Promise<Organisation[]>;
};

export function createOrganisations({ db, newId, clock }: Pick<Dependencies, 'db' | 'newId' | 'clock'>): Organisations {
  const audit = createAudit({ db, newId, clock });
  const found = async (
    caller: TenantCaller,
    id: string,
    look: () => Promise<Organisation | undefined>,
  ): Promise<Organisation> => {
    // Another id, whatever it is, never reaches the database.
    const organisation = caller.organisationId === id ? await look() : undefined;
    if (organisation === undefined) throw new ApiError('NOT_FOUND', 'No such organisation');
    return organisation;
  };

  return {
    get: (caller, id) => found(caller, id, () => store.findOrganisation(db, id)),

    update: (caller, id, body) =>
      db.$transaction(async (transaction) => {
        const stored = await found(caller, id, () => store.lockOrganisation(transaction, id));
        const change = organisationChange.of(stored, body);
        if (Object.keys(change).length === 0) return stored;
        const updated = await store.updateOrganisation(transaction, id, change, clock());
        const parts = changedParts(stored, updated, Object.keys(change));
        await audit.record(transaction, caller, { action: 'organisation.updated', target: { id }, ...parts });
        return updated;
      }),

    createWithin: (transaction, name) =>
      store.insertOrganisation(transaction, { id: newId('organisation'), name, now: clock() }),

    findMany: (ids) => store.findOrganisations(db, ids),
  };
}
