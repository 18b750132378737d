import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
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
import type { Role } from '../../../kernel/words/rights.ts';
import { hashSecret, newSessionSecret } from '../sessions/cookie.ts';
import type { SignedIn } from '../sessions/schema.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import { lockAsAdmin, requireRole, takesRole, lackingRole } from './access.ts';
import {
  deleteInvitation,
  findInvitationOf,
  findInvitations,
  findInvitedRole,
  findOpenInvitation,
  findOpenInvitationsTo,
  insertInvitation,
  type OpenInvitation,
  useInvitation,
  findRole,
  insertMember,
  lockOrganisations,
  lockPeople,
} from './store.ts';
import { linkTo, type SendLink } from './mailing.ts';
import type {
  AcceptBody,
  CreateInvitation,
  Invitation,
  ListInvitations,
  InvitationPreview,
  PreviewInvitation,
  NewInvitation,
} from './schema.ts';

/** Long enough to last over a weekend. */
const LIFE_MS = 72 * 3_600_000;

export type Invitations = {
  create(caller: Caller, organisationId: string, body: CreateInvitation): Promise<NewInvitation>;
  list(caller: Caller, organisationId: string, query: ListInvitations): Promise<Page<Invitation>>;
  revoke(caller: Caller, organisationId: string, id: string): Promise<void>;
  /** Returns an invitation by its code. Throws FORBIDDEN if it was used or revoked, has expired or never existed. */
  preview(body: PreviewInvitation): Promise<InvitationPreview>;
  /** Makes the invited person, who must have the code, a member and signs them in. */
  accept(body: AcceptBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /**
   * Returns the open invitations of an address. Locks their organisations, and those given, until the transaction ends.
   * Call it before locking the user (`lockPeople`).
   */
  lockOpen(
    transaction: DatabaseTransaction,
    email: string | undefined,
    organisationIds: readonly string[],
  ): Promise<OpenInvitation[]>;
  /** Accepts such invitations for a user whose address has been verified. */
  acceptAll(
    transaction: DatabaseTransaction,
    userId: string,
    open: readonly OpenInvitation[],
    visit: Visit,
  ): Promise<void>;
  /** For the command line, which can give any role. */
  createAsOperator(organisationId: string, body: CreateInvitation): Promise<{ link: string }>;
};

type Needed = {
  accounts: Accounts;
  sessions: Sessions;
  factorsOfPeople: FactorsOfPeople;
  tell: TellChange<DatabaseTransaction>;
  sendLink: SendLink;
};

export function createInvitations(
  { db, tenants, clock, newId, config }: Pick<Dependencies, 'db' | 'tenants' | 'clock' | 'newId' | 'config'>,
  { accounts, sessions, factorsOfPeople, tell, sendLink }: Needed,
): Invitations {
  /** Without `actor`, an operator invites, who may replace any earlier invitation. */
  const insert = async (
    transaction: DatabaseTransaction,
    { by, actor }: { by: Doer; actor?: Role },
    organisationId: string,
    { email, role }: CreateInvitation,
  ): Promise<Omit<NewInvitation, 'isMailed'>> => {
    if (actor !== undefined) refuseRole(actor, role);
    const account = await accounts.findByEmail(transaction, email);
    if (account !== undefined && (await findRole(transaction, organisationId, account.id)) !== undefined)
      throw new ApiError('CONFLICT', 'The user is already a member');
    const createdAt = clock();
    const earlier = await findInvitationOf(transaction, { organisationId, email }, createdAt);
    if (earlier !== undefined) {
      // Its link ends, so this counts as revoking it.
      if (actor !== undefined) refuseRole(actor, earlier.role);
      await tell(transaction, { action: 'invitation.revoked', by, organisationId, target: earlier.id });
    }
    const code = newSessionSecret();
    const expiresAt = new Date(createdAt.getTime() + LIFE_MS);
    const draft = { id: newId('invitation'), organisationId, email, role, invitedBy: by.id, createdAt, expiresAt };
    const made = await insertInvitation(transaction, { ...draft, hash: hashSecret(code) });
    const after = { role, email };
    await tell(transaction, { action: 'invitation.created', by, organisationId, target: made.id, after });
    return { ...made, link: linkTo(config, 'invitation', code) };
  };

  /** Returns this browser's session, if it belongs to the invited user. */
  const findOwnSession = async (userId: string, visit: Visit): Promise<string | undefined> => {
    const nowhere = { organisationId: undefined, appId: undefined, kind: undefined };
    const principal = (await sessions.recognise(visit.cookie, nowhere))?.caller.principal;
    return principal?.kind === 'person' && principal.id === userId ? principal.sessionId : undefined;
  };

  /** Throws FORBIDDEN if another request was faster. */
  const useUp = async (
    transaction: DatabaseTransaction,
    { hash, organisationId }: { hash: Buffer; organisationId: string },
  ): Promise<void> => {
    await lockOrganisations(transaction, [organisationId]);
    if (!(await useInvitation(transaction, hash, clock()))) throw invalidLink();
  };

  /** Makes the user of a used-up invitation a member. */
  const join = async (
    transaction: DatabaseTransaction,
    userId: string,
    visit: Visit,
    { organisationId, role }: { organisationId: string; role: Role },
  ): Promise<void> => {
    await lockPeople(transaction, [userId]);
    if ((await findRole(transaction, organisationId, userId)) === undefined)
      await insertMember(transaction, organisationId, userId, role);
    // A link created by an owner of the user's other organisations would open this one too.
    await accounts.dropResetCodes(transaction, userId);
    const change = { by: doneFrom(userId, visit), organisationId, target: userId, after: { role } };
    await tell(transaction, { action: 'invitation.accepted', ...change });
  };

  return {
    async lockOpen(transaction, email, organisationIds) {
      const find = () => (email === undefined ? [] : findOpenInvitationsTo(transaction, email, clock()));
      const seen = new Set((await find()).map((each) => each.organisationId));
      await lockOrganisations(transaction, [...seen, ...organisationIds]);
      // Query again: an invitation may have been used or revoked while waiting for a lock.
      return (await find()).filter((each) => seen.has(each.organisationId));
    },

    async acceptAll(transaction, userId, open, visit) {
      for (const invitation of open) {
        await useUp(transaction, invitation);
        await join(transaction, userId, visit, invitation);
      }
    },

    async create(caller, organisationId, body) {
      const made = await db.$transaction(async (transaction) => {
        const actor = await lockAsAdmin(transaction, caller, organisationId);
        return insert(transaction, { by: doneBy(caller), actor }, organisationId, body);
      });
      // After the transaction, because an email cannot be rolled back.
      const subject = 'You are invited to Posthorn';
      return { ...made, isMailed: await sendLink(made.email, { subject, link: made.link, until: made.expiresAt }) };
    },

    createAsOperator: (organisationId, body) =>
      db.$transaction((transaction) => insert(transaction, { by: COMMAND_LINE }, organisationId, body)),

    async list(caller, organisationId, query) {
      await requireRole(db, caller, organisationId, 'admin');
      const scope: ListScope = { list: 'invitations', environmentId: organisationId, filters: {} };
      const page = pageRequest(scope, query);
      const rows = await tenants.list({ organisationId }, (transaction) =>
        findInvitations(transaction, organisationId, page, clock()),
      );
      return toPage(scope, page.limit, rows, (row) => row);
    },

    revoke: (caller, organisationId, id) =>
      db.$transaction(async (transaction) => {
        const actor = await lockAsAdmin(transaction, caller, organisationId);
        const role = isId('invitation', id) ? await findInvitedRole(transaction, organisationId, id) : undefined;
        if (role === undefined) throw new ApiError('NOT_FOUND', 'The organisation has no such invitation');
        refuseRole(actor, role);
        await deleteInvitation(transaction, organisationId, id);
        await tell(transaction, { action: 'invitation.revoked', by: doneBy(caller), organisationId, target: id });
      }),

    async preview({ code }) {
      const found = await findOpenInvitation(db, hashSecret(code), clock());
      if (found === undefined) throw invalidLink();
      const { organisation, email, role, expiresAt } = found;
      const hasAccount = (await accounts.findByEmail(db, email)) !== undefined;
      return { organisation, email, role, expiresAt, hasAccount };
    },

    async accept({ code, name, password }, visit) {
      const hash = hashSecret(code);
      const found = await findOpenInvitation(db, hash, clock());
      if (found === undefined) throw invalidLink();
      const { email, role, organisation } = found;
      const account = await accounts.findByEmail(db, email);
      if (account === undefined) await accounts.refuseOwnWay(db, undefined);
      const sessionId = account === undefined ? undefined : await findOwnSession(account.id, visit);
      if (password === undefined && sessionId === undefined) throw invalidField('password', 'is required');
      if (account === undefined && name === undefined) throw invalidField('name', 'is required');
      const identified =
        account === undefined || sessionId !== undefined
          ? undefined
          : await accounts.identify({ email, password: password ?? '' }, visit);
      const passwordHash =
        account === undefined ? await accounts.hashNew(password ?? '', [email, name ?? '']) : undefined;
      return db.$transaction(async (transaction) => {
        // Before an account is created, so that the second of two concurrent requests learns that the invitation was
        // used.
        await useUp(transaction, { hash, organisationId: organisation.id });
        if (identified !== undefined) {
          await accounts.settle(transaction, identified);
          if ((await factorsOfPeople.meansOf(transaction, identified.account.id)).length > 0) throw notEnough();
        }
        const person =
          account ??
          (await accounts.create(transaction, { email, name: name ?? '', passwordHash: passwordHash ?? '' }, visit));
        await join(transaction, person.id, visit, { organisationId: organisation.id, role });
        // Accepting is not an authentication, so the session keeps its time of authentication.
        if (sessionId !== undefined) return sessions.renew(transaction, sessionId, { isProven: false });
        return accounts.begin(transaction, person.id, visit, identified && { trier: identified.trier });
      });
    },
  };
}

/** Nobody can give, or withdraw, a role that they could not give to a member. */
function refuseRole(actor: Role, wanted: Role): void {
  const lacking = lackingRole({ actor, target: 'viewer', wanted, isSelf: false });
  if (lacking !== undefined) throw takesRole(lacking);
}

/** The link stays valid: the user signs in with both factors and accepts with that session. */
function notEnough(): ApiError {
  const reason = 'is not enough, because the account has a second factor. Sign in first, then accept the invitation';
  return new ApiError('FORBIDDEN', `password: ${reason}`, { details: { field: 'password', reason } });
}

const invalidLink = (): ApiError =>
  new ApiError('FORBIDDEN', 'The invitation has been used or revoked, or has expired');
