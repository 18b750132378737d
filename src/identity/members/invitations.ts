import type { DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import { ApiError, invalidField } from '../../kernel/api-error.ts';
import { isId } from '../../kernel/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/page.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Caller } from '../caller.ts';
import type { TellChange } from '../changes.ts';
import type { Role } from '../roles.ts';
import type { Visit } from '../scheme.ts';
import { hashSecret, newSecret } from '../sessions/secret.ts';
import type { SignedIn } from '../sessions/schema.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import { requireRole, takesRole } from './access.ts';
import {
  deleteInvitation,
  findInvitations,
  findInvitedRole,
  findOpenInvitation,
  insertInvitation,
  useInvitation,
} from './invitations-store.ts';
import { linkTo } from './links.ts';
import type { SendLink } from './mailing.ts';
import { lackingRole } from './rules.ts';
import type { AcceptBody, CreateInvitation, Invitation, ListMembers, Look, LookBody, NewInvitation } from './schema.ts';
import { findRole, insertMember, lockMembers } from './store.ts';

/** An invitation is good over a weekend. */
const LIFE_MS = 72 * 3_600_000;

export type Invitations = {
  create(caller: Caller, organisationId: string, body: CreateInvitation): Promise<NewInvitation>;
  list(caller: Caller, organisationId: string, query: ListMembers): Promise<Page<Invitation>>;
  revoke(caller: Caller, organisationId: string, id: string): Promise<void>;
  /** An invitation by its code. Throws FORBIDDEN for one that was used or revoked, has expired or never was. */
  look(body: LookBody): Promise<Look>;
  /** Makes the one who has the code, and is the person of its address, a member who is signed in. */
  accept(body: AcceptBody, visit: Visit): Promise<WithCookies<SignedIn>>;
  /** The command line: whatever role it wants to give. */
  createAsOperator(organisationId: string, body: CreateInvitation): Promise<{ link: string }>;
};

type Needed = { accounts: Accounts; sessions: Sessions; tell: TellChange<DatabaseTransaction>; sendLink: SendLink };

export function createInvitations(
  { db, clock, newId, config }: Pick<Dependencies, 'db' | 'clock' | 'newId' | 'config'>,
  { accounts, sessions, tell, sendLink }: Needed,
): Invitations {
  const insert = async (
    transaction: DatabaseTransaction,
    by: string,
    organisationId: string,
    { email, role }: CreateInvitation,
  ): Promise<Omit<NewInvitation, 'isMailed'>> => {
    const account = await accounts.findByEmail(transaction, email);
    if (account !== undefined && (await findRole(transaction, organisationId, account.id)) !== undefined)
      throw new ApiError('CONFLICT', 'The person is a member already');
    const code = newSecret();
    const createdAt = clock();
    const expiresAt = new Date(createdAt.getTime() + LIFE_MS);
    const draft = { id: newId('invitation'), organisationId, email, role, invitedBy: by, createdAt, expiresAt };
    const made = await insertInvitation(transaction, { ...draft, hash: hashSecret(code) });
    const details = { role, email };
    await tell(transaction, { action: 'invitation.created', by, organisationId, target: made.id, details });
    return { ...made, link: linkTo(config, 'invitation', code) };
  };

  /** The person of this browser's session, where that is the one who is invited. */
  const isSignedInAs = async (userId: string, visit: Visit): Promise<boolean> => {
    const nowhere = { organisationId: undefined, appId: undefined, kind: undefined };
    return (await sessions.recognise(visit.cookie, nowhere))?.caller.principal.id === userId;
  };

  return {
    async create(caller, organisationId, body) {
      const made = await db.$transaction(async (transaction) => {
        const actor = await requireRole(transaction, caller, organisationId, 'admin');
        refuseRole(actor, body.role);
        return insert(transaction, caller.principal.id, organisationId, body);
      });
      // Behind the transaction: a mail cannot be taken back.
      const subject = 'You are invited to Posthorn';
      return { ...made, isMailed: await sendLink(made.email, { subject, link: made.link, until: made.expiresAt }) };
    },

    createAsOperator: (organisationId, body) =>
      db.$transaction((transaction) => insert(transaction, 'command line', organisationId, body)),

    async list(caller, organisationId, query) {
      await requireRole(db, caller, organisationId, 'admin');
      const scope: ListScope = { list: 'invitations', environmentId: organisationId, filters: {} };
      const page = pageRequest(scope, query);
      return toPage(scope, page.limit, await findInvitations(db, organisationId, page, clock()), (row) => row);
    },

    revoke: (caller, organisationId, id) =>
      db.$transaction(async (transaction) => {
        const actor = await requireRole(transaction, caller, organisationId, 'admin');
        const role = isId('invitation', id) ? await findInvitedRole(transaction, organisationId, id) : undefined;
        if (role === undefined) throw new ApiError('NOT_FOUND', 'No such invitation of this organisation');
        refuseRole(actor, role);
        await deleteInvitation(transaction, organisationId, id);
        const by = caller.principal.id;
        await tell(transaction, { action: 'invitation.revoked', by, organisationId, target: id });
      }),

    async look({ code }) {
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
      const isSignedIn = account !== undefined && (await isSignedInAs(account.id, visit));
      if (password === undefined && !isSignedIn) throw invalidField('password', 'is required');
      if (account === undefined && name === undefined) throw invalidField('name', 'is required');
      const identified =
        account === undefined || isSignedIn
          ? undefined
          : await accounts.identify({ email, password: password ?? '' }, visit);
      const passwordHash =
        account === undefined ? await accounts.hashNew(password ?? '', [email, name ?? '']) : undefined;
      return db.$transaction(async (transaction) => {
        await lockMembers(transaction, organisation.id);
        if (!(await useInvitation(transaction, hash, clock()))) throw invalidLink();
        const person =
          account ??
          (await accounts.create(transaction, { email, name: name ?? '', passwordHash: passwordHash ?? '' }));
        if ((await findRole(transaction, organisation.id, person.id)) === undefined)
          await insertMember(transaction, organisation.id, person.id, role);
        const change = { by: person.id, organisationId: organisation.id, target: person.id, details: { role } };
        await tell(transaction, { action: 'invitation.accepted', ...change });
        return identified === undefined
          ? accounts.begin(transaction, person.id, visit)
          : accounts.enter(transaction, identified, visit);
      });
    },
  };
}

/** Nobody gives, or takes back, a role that they could not give a member. */
function refuseRole(actor: Role, wanted: Role): void {
  const lacking = lackingRole({ actor, target: 'viewer', wanted, isSelf: false });
  if (lacking !== undefined) throw takesRole(lacking);
}

const invalidLink = (): ApiError =>
  new ApiError('FORBIDDEN', 'The invitation is not valid: it was used or revoked, or has expired');
