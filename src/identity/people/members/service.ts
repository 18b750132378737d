import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import type { Accounts } from '../accounts/service.ts';
import {
  type Caller,
  COMMAND_LINE,
  type Doer,
  doneBy,
  doneFrom,
  type TellChange,
  type Visit,
} from '../../../api/caller.ts';
import type { FactorsOfPeople } from '../factors/service.ts';
import { isAtLeast, type Role } from '../../../kernel/words/rights.ts';
import type { Sessions } from '../sessions/service.ts';
import { lockAs, lockOwned, noMember, requireRole, takesRole, lackingRole, losesLastOwner } from './access.ts';
import { createInvitations, type Invitations } from './invitations.ts';
import {
  deleteInvitationsBy,
  deleteIdentities,
  deleteMember,
  hasAnyIdentity,
  findMembers,
  findRolesOf,
  insertMember,
  lockMembers,
  writeRole,
  lockPeople,
} from './store.ts';
import { linkTo, createSendLink } from './mailing.ts';
import {
  type TransferOwnership,
  type ListMembers,
  type Member,
  memberChange,
  type ResetLink,
  type UpdateMember,
} from './schema.ts';

/** A member after a change, and the cookies of the caller's own session if it got a new secret. */
type Changed = { answer: Member; cookies: string[] };

export type Members = {
  invitations: Invitations;
  list(caller: Caller, organisationId: string, query: ListMembers): Promise<Page<Member>>;
  /** Changing the role ends the sessions of the member; the caller's own session continues with a new secret. */
  update(caller: Caller, organisationId: string, userId: string, body: UpdateMember): Promise<Changed>;
  /** Removes a member. Removing yourself is leaving the organisation. Throws NOT_FOUND if the user is not a member. */
  remove(caller: Caller, organisationId: string, userId: string): Promise<void>;
  /**
   * Gives a user the roles in these organisations that follow from their groups at the identity provider, and removes
   * them from organisations for which the groups give none. Owners stay owners. The organisations must be locked
   * already (`invitations.lockOpen`).
   */
  followGroups(
    transaction: DatabaseTransaction,
    userId: string,
    roles: ReadonlyMap<string, Role | undefined>,
    visit: Visit,
  ): Promise<void>;
  /** Makes another member an owner, and the caller an admin. */
  handOver(caller: Caller, organisationId: string, body: TransferOwnership): Promise<Changed>;
  /** Creates a link that resets a member's password. */
  createResetLink(caller: Caller, organisationId: string, userId: string): Promise<ResetLink>;
  /** Removes all second factors of a member who has lost them. Requires the right to reset that member's password. */
  removeFactors(caller: Caller, organisationId: string, userId: string): Promise<void>;
  /** Returns the roles of a user by organisation id. */
  rolesOf(database: DatabaseTransaction, userId: string): Promise<ReadonlyMap<string, Role>>;
  /** Makes a user, who must be locked (`lockPeople`), the first member of a new organisation. */
  makeOwner(transaction: DatabaseTransaction, organisationId: string, userId: string): Promise<void>;
  /** For the command line, which uses the system connection. */
  operator: {
    remove(organisationId: string, email: string): Promise<void>;
    /** With `isWithoutFactors`, using the link also removes all second factors of the user. */
    createResetLink(email: string, how: { isWithoutFactors: boolean }): Promise<{ link: string }>;
    /** Unlinks an account from the identity provider and ends its sessions. */
    forgetIdentity(email: string): Promise<void>;
    list(organisationId: string): Promise<Member[]>;
  };
};

export function createMembers(
  deps: Pick<Dependencies, 'db' | 'tenants' | 'clock' | 'newId' | 'config' | 'log'>,
  needed: {
    accounts: Accounts;
    sessions: Sessions;
    factorsOfPeople: FactorsOfPeople;
    tell: TellChange<DatabaseTransaction>;
  },
): Members {
  // Changes of members affect sessions and codes, which belong to a user in every organisation, so they use the system
  // connection.
  const { db, tenants, config } = deps;
  const { accounts, sessions, factorsOfPeople, tell } = needed;
  const sendLink = createSendLink(deps);

  /**
   * Ends the sessions of a user whose role has changed. The caller's own session gets a new secret instead; returns its
   * cookies.
   */
  const renewSessions = async (transaction: DatabaseTransaction, { principal }: Caller, userId: string) => {
    if (principal.kind !== 'person' || principal.id !== userId) {
      await sessions.endAll(transaction, userId);
      return [];
    }
    await sessions.endAll(transaction, userId, principal.sessionId);
    return (await sessions.renew(transaction, principal.sessionId, { isProven: false })).cookies;
  };

  /**
   * Ends links that a user who now has fewer rights may have created or may hold: invitations would bring them back,
   * and a password reset link would open the account of another member. Who created a reset link is not stored, and it
   * is valid for half an hour, so all of them end.
   */
  const endLinksOf = async (
    transaction: DatabaseTransaction,
    organisationId: string,
    userId: string,
  ): Promise<void> => {
    await deleteInvitationsBy(transaction, organisationId, userId);
    await accounts.dropResetCodesOf(transaction, organisationId);
  };

  const setRole = async (
    transaction: DatabaseTransaction,
    caller: Caller,
    change: { organisationId: string; member: Member; role: Role },
  ): Promise<Changed> => {
    const { organisationId, member, role } = change;
    await writeRole(transaction, organisationId, member.userId, role);
    if (!isAtLeast(role, member.role)) await endLinksOf(transaction, organisationId, member.userId);
    const cookies = await renewSessions(transaction, caller, member.userId);
    const done = { by: doneBy(caller), before: { role: member.role }, after: { role } };
    await tell(transaction, { action: 'member.role_changed', organisationId, target: member.userId, ...done });
    return { answer: { ...member, role }, cookies };
  };

  const removeFrom = async (transaction: DatabaseTransaction, by: Doer, organisationId: string, { userId }: Member) => {
    await lockPeople(transaction, [userId]);
    await deleteMember(transaction, organisationId, userId);
    await endLinksOf(transaction, organisationId, userId);
    // If an owner created one, they may no longer do so.
    await accounts.dropResetCodes(transaction, userId);
    await tell(transaction, { action: 'member.removed', by, organisationId, target: userId });
  };

  const resetLink = async (
    transaction: DatabaseTransaction,
    by: Doer,
    userId: string,
    how = { isWithoutFactors: false },
  ): Promise<Omit<ResetLink, 'isMailed'>> => {
    const { code, expiresAt } = await accounts.makeResetCode(transaction, userId, how);
    await tell(transaction, { action: 'user.reset_link_created', by, target: userId });
    return { link: linkTo(config, 'password-reset', code), expiresAt };
  };

  return {
    invitations: createInvitations(deps, { ...needed, sendLink }),

    async list(caller, organisationId, { userIds, ...query }) {
      await requireRole(db, caller, organisationId, 'viewer');
      const filters = { userIds: userIds?.join(',') };
      const scope: ListScope = { list: 'members', environmentId: organisationId, filters };
      const page = pageRequest(scope, query);
      const rows = await tenants.list({ organisationId }, (transaction) =>
        findMembers(transaction, organisationId, page, userIds),
      );
      return toPage(scope, page.limit, rows, ({ member }) => member);
    },

    update: (caller, organisationId, userId, body) =>
      db.$transaction(async (transaction) => {
        const { members, self } = await lockAs(transaction, caller, organisationId);
        const member = members.get(userId);
        if (member === undefined) throw noMember();
        const { role } = memberChange.of(member, body);
        if (role === undefined) return { answer: member, cookies: [] };
        refuse(members, self, member, role);
        await lockPeople(transaction, [userId]);
        return setRole(transaction, caller, { organisationId, member, role });
      }),

    remove: (caller, organisationId, userId) =>
      db.$transaction(async (transaction) => {
        const { members, self } = await lockAs(transaction, caller, organisationId);
        const member = members.get(userId);
        if (member === undefined) throw noMember();
        refuse(members, self, member, undefined);
        await removeFrom(transaction, doneBy(caller), organisationId, member);
      }),

    async followGroups(transaction, userId, roles, visit) {
      const by = doneFrom(userId, visit);
      await lockPeople(transaction, [userId]);
      for (const [organisationId, role] of roles) {
        const members = await lockMembers(transaction, organisationId);
        const member = members.get(userId);
        if (member?.role === role || member?.role === 'owner') continue;
        if (role === undefined) {
          if (member !== undefined) await removeFrom(transaction, by, organisationId, member);
          continue;
        }
        if (member === undefined) await insertMember(transaction, organisationId, userId, role);
        else await writeRole(transaction, organisationId, userId, role);
        if (member !== undefined && !isAtLeast(role, member.role))
          await endLinksOf(transaction, organisationId, userId);
        if (member !== undefined) await sessions.endAll(transaction, userId);
        const change = { by, before: { role: member?.role ?? 'none' }, after: { role } };
        await tell(transaction, { action: 'member.role_changed', organisationId, target: userId, ...change });
      }
    },

    handOver: (caller, organisationId, { userId }) =>
      db.$transaction(async (transaction) => {
        const { members, self } = await lockAs(transaction, caller, organisationId);
        if (self.role !== 'owner') throw takesRole('owner');
        const member = members.get(userId);
        if (member === undefined) throw invalidField('userId', 'must be a member of this organisation');
        if (userId === self.userId) throw invalidField('userId', 'must be another member');
        await lockPeople(transaction, [userId, self.userId]);
        const { answer } = await setRole(transaction, caller, { organisationId, member, role: 'owner' });
        const { cookies } = await setRole(transaction, caller, { organisationId, member: self, role: 'admin' });
        return { answer, cookies };
      }),

    rolesOf: findRolesOf,
    async makeOwner(transaction, organisationId, userId) {
      await insertMember(transaction, organisationId, userId, 'owner');
      await accounts.dropResetCodes(transaction, userId);
    },

    removeFactors: (caller, organisationId, userId) =>
      db.$transaction(async (transaction) => {
        await lockOwned(transaction, caller, organisationId, userId);
        await factorsOfPeople.removeAll(transaction, { userId, by: doneBy(caller) });
      }),

    async createResetLink(caller, organisationId, userId) {
      const { email, ...made } = await db.$transaction(async (transaction) => {
        const { member } = await lockOwned(transaction, caller, organisationId, userId);
        // Nobody would notice a password in addition to the account at the provider.
        if (await hasAnyIdentity(transaction, userId))
          throw new ApiError('CONFLICT', 'The user signs in by single sign-on and has no password here');
        return { ...(await resetLink(transaction, doneBy(caller), userId)), email: member.email };
      });
      const subject = 'Your new password for Posthorn';
      return { ...made, isMailed: await sendLink(email, { subject, link: made.link, until: made.expiresAt }) };
    },

    operator: {
      list: async (organisationId) => [...(await lockedMembers(organisationId)).values()],
      remove: (organisationId, email) =>
        db.$transaction(async (transaction) => {
          const members = await lockMembers(transaction, organisationId);
          const member = [...members.values()].find((each) => each.email === email);
          if (member === undefined) throw noMember();
          refuseLastOwner(members, member, undefined);
          await removeFrom(transaction, COMMAND_LINE, organisationId, member);
        }),
      createResetLink: (email, how) =>
        db.$transaction(async (transaction) => {
          const account = await accountOf(transaction, email);
          return resetLink(transaction, COMMAND_LINE, account.id, how);
        }),
      forgetIdentity: (email) =>
        db.$transaction(async (transaction) => {
          const { id } = await accountOf(transaction, email);
          await lockPeople(transaction, [id]);
          if ((await deleteIdentities(transaction, id)) === 0)
            throw new ApiError('NOT_FOUND', `${email} has never signed in through an identity provider`);
          await sessions.endAll(transaction, id);
          await tell(transaction, { action: 'identity.forgotten', by: COMMAND_LINE, target: id });
        }),
    },
  };

  async function accountOf(transaction: DatabaseTransaction, email: string): Promise<{ id: string }> {
    const account = await accounts.findByEmail(transaction, email);
    if (account === undefined) throw new ApiError('NOT_FOUND', `There is no user with the email address ${email}`);
    return account;
  }

  function lockedMembers(organisationId: string): Promise<ReadonlyMap<string, Member>> {
    return db.$transaction((transaction) => lockMembers(transaction, organisationId));
  }
}

type All = ReadonlyMap<string, Member>;

/** Throws FORBIDDEN if the caller's role does not allow the change, and CONFLICT if it would leave no owner. */
function refuse(members: All, self: Member, member: Member, wanted: Role | undefined): void {
  const isSelf = self.userId === member.userId;
  const lacking = lackingRole({ actor: self.role, target: member.role, wanted, isSelf });
  if (lacking !== undefined) throw takesRole(lacking);
  refuseLastOwner(members, member, wanted);
}

function refuseLastOwner(members: All, { role: target }: Member, wanted: Role | undefined): void {
  const owners = [...members.values()].filter(({ role }) => role === 'owner').length;
  if (losesLastOwner({ actor: 'owner', target, wanted, isSelf: false }, owners))
    throw new ApiError('CONFLICT', 'The last owner cannot leave or change role. Make another member an owner first');
}
