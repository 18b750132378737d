import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { SingleSignOnSettings } from '../../../platform/config/single-sign-on.ts';
import type { Accounts } from '../accounts/service.ts';
import { doneFrom, type TellChange, type Visit } from '../../../api/caller.ts';
import type { FactorsOfPeople } from '../factors/of-person.ts';
import type { Members } from '../members/service.ts';
import type { ProvenPerson } from './claims.ts';
import { rolesByGroups } from './group-roles.ts';
import type { SignOnProblem } from './schema.ts';
import { findUserOf, hasIdentity, insertIdentity, lockIdentities, lockPeople } from './store.ts';

/** Somebody whom the provider has proven, and whom this service does not let in. */
export class SignOnRefused extends Error {
  readonly problem: SignOnProblem;
  constructor(problem: SignOnProblem) {
    super(`Single sign-on: ${problem}`);
    this.problem = problem;
  }
}

/** The account of a person, with the roles that the provider and its invitations give. Throws Refused. */
export type Enter = (transaction: DatabaseTransaction, person: ProvenPerson, visit: Visit) => Promise<string>;

export function createEnter(
  { clock }: Pick<Dependencies, 'clock'>,
  needed: {
    accounts: Accounts;
    members: Members;
    factorsOfPeople: FactorsOfPeople;
    tell: TellChange<DatabaseTransaction>;
    settings: SingleSignOnSettings;
  },
): Enter {
  const { accounts, members, factorsOfPeople, tell, settings } = needed;

  const link = async (transaction: DatabaseTransaction, { issuer, subject }: ProvenPerson, userId: string) => {
    await insertIdentity(transaction, { issuer, subject, userId, createdAt: clock() });
    return userId;
  };

  /**
   * The account of one who comes for the first time. By the address alone, so the provider must have checked it. An account that is
   * somebody at this provider already is not another's: an address that was given on does not open it.
   */
  const firstTime = async (
    transaction: DatabaseTransaction,
    person: ProvenPerson,
    { isWanted, visit }: { isWanted: boolean; visit: Visit },
  ) => {
    const { email, name, issuer } = person;
    if (email === undefined) throw new SignOnRefused('address_not_verified');
    const account = await accounts.findByEmail(transaction, email);
    if (account !== undefined) {
      if (await hasIdentity(transaction, account.id, issuer)) throw new SignOnRefused('linked_otherwise');
      // The provider is the first to have checked the address: whoever made the account before may be somebody else.
      await accounts.endPassword(transaction, account.id);
      await factorsOfPeople.removeAll(transaction, { userId: account.id, by: doneFrom(account.id, visit) });
      return link(transaction, person, account.id);
    }
    // Anybody would close the setup otherwise, and leave the service without an owner.
    if (!(await accounts.isSetUp(transaction))) throw new SignOnRefused('not_set_up');
    if (!isWanted) throw new SignOnRefused('not_invited');
    return link(transaction, person, (await accounts.create(transaction, { email, name }, visit)).id);
  };

  /** The account that is this person at the provider. Undefined also where that ended while the lock was waited for. */
  const lockKnown = async (transaction: DatabaseTransaction, person: ProvenPerson): Promise<string | undefined> => {
    const userId = await findUserOf(transaction, person);
    if (userId === undefined) return undefined;
    await lockPeople(transaction, [userId]);
    return findUserOf(transaction, person);
  };

  return async (transaction, person, visit) => {
    // Two may come for the first time at once: the second then finds the account of the first.
    await lockIdentities(transaction);
    const roles = rolesByGroups(person.groups, settings.groupRoles, await accounts.findFirstOrganisation(transaction));
    const isWanted = [...roles.values()].some((role) => role !== undefined);
    const open = await members.invitations.lockOpen(transaction, person.email, [...roles.keys()]);
    const known = await lockKnown(transaction, person);
    const userId = known ?? (await firstTime(transaction, person, { isWanted: isWanted || open.length > 0, visit }));
    await members.invitations.acceptAll(transaction, userId, open, visit);
    await members.followGroups(transaction, userId, roles, visit);
    // Told last: it stands in the logs of the organisations that the person is now a member of.
    if (known === undefined)
      await tell(transaction, {
        action: 'identity.linked',
        by: doneFrom(userId, visit),
        target: userId,
        after: { issuer: person.issuer },
      });
    return userId;
  };
}
