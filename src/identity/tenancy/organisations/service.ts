import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { Audit } from '../audit/service.ts';
import { type Caller, type TenantCaller, doneBy, type TellChange } from '../../../api/caller.ts';
import type { Members } from '../../people/members/service.ts';
import { isAtLeast } from '../../../kernel/words/rights.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { changedParts } from '../../../kernel/words/audit-actions.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import {
  type CreateOrganisation,
  type ListOrganisations,
  type Organisation,
  organisationChange,
  type UpdateOrganisation,
} from './schema.ts';
import * as store from './store.ts';

export type Organisations = {
  /** Returns the caller's own organisation. Throws NOT_FOUND for any other id. */
  get(caller: TenantCaller, id: string): Promise<Organisation>;
  update(caller: TenantCaller, id: string, body: UpdateOrganisation): Promise<Organisation>;
  /**
   * Creates another organisation, owned by the caller. Throws FORBIDDEN unless the user is an admin or owner of some
   * organisation, so that people who were merely invited cannot create one, and CONFLICT if the user is already a
   * member of the maximum number.
   */
  create(caller: Caller, body: CreateOrganisation): Promise<Organisation>;
  /** Lists the organisations that the caller is a member of, newest first. */
  list(caller: Caller, query: ListOrganisations): Promise<Page<Organisation>>;
};

/** Maximum organisations per user. Every request of a session reads the user's roles in all of them. */
const MOST_OF_A_PERSON = 100;

type Collaborators = {
  members: Pick<Members, 'rolesOf' | 'makeOwner'>;
  tell: TellChange<DatabaseTransaction>;
  audit: Pick<Audit, 'record'>;
};

export function createOrganisations(
  { db, tenants, newId, clock }: Pick<Dependencies, 'db' | 'tenants' | 'newId' | 'clock'>,
  { members, tell, audit }: Collaborators,
): Organisations {
  const found = async (
    caller: TenantCaller,
    id: string,
    look: () => Promise<Organisation | undefined>,
  ): Promise<Organisation> => {
    // Other ids never reach the database.
    const organisation = caller.organisationId === id ? await look() : undefined;
    if (organisation === undefined) throw new ApiError('NOT_FOUND', 'There is no such organisation');
    return organisation;
  };

  return {
    get: (caller, id) =>
      found(caller, id, () => tenants.within(caller, (transaction) => store.findOrganisation(transaction, id))),

    update: (caller, id, body) =>
      tenants.within(caller, async (transaction) => {
        const stored = await found(caller, id, () => store.lockOrganisation(transaction, id));
        const change = organisationChange.of(stored, body);
        if (Object.keys(change).length === 0) return stored;
        const updated = await store.updateOrganisation(transaction, id, change, clock());
        const parts = changedParts(stored, updated, Object.keys(change));
        await audit.record(transaction, caller, { action: 'organisation.updated', target: { id }, ...parts });
        return updated;
      }),

    create: (caller, { name }) =>
      db.$transaction(async (transaction) => {
        await store.lockPeople(transaction, [caller.principal.id]);
        const roles = [...(await members.rolesOf(transaction, caller.principal.id)).values()];
        if (!roles.some((role) => isAtLeast(role, 'admin')))
          throw new ApiError('FORBIDDEN', 'You need at least the role admin in an organisation');
        if (roles.length >= MOST_OF_A_PERSON)
          throw new ApiError(
            'CONFLICT',
            `You are already a member of ${MOST_OF_A_PERSON} organisations, which is the maximum`,
          );
        const made = await store.insertOrganisation(transaction, { id: newId('organisation'), name, now: clock() });
        await members.makeOwner(transaction, made.id, caller.principal.id);
        const change = { by: doneBy(caller), organisationId: made.id, target: made.id, after: { name } };
        await tell(transaction, { action: 'organisation.created', ...change });
        return made;
      }),

    async list({ principal }, query) {
      const scope: ListScope = { list: 'organisations', environmentId: principal.id, filters: {} };
      const page = pageRequest(scope, query);
      return toPage(scope, page.limit, await store.findOrganisationsOf(db, principal.id, page), (row) => row);
    },
  };
}
