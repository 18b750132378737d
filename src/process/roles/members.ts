import { ConfigError, readConfig } from '../../platform/config/config.ts';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { createAccounts } from '../../identity/people/accounts/service.ts';
import { createFactorsOfPeople } from '../../identity/people/factors/service.ts';
import { createMembers, type Members } from '../../identity/people/members/service.ts';
import { createInvitationBody } from '../../identity/people/members/schema.ts';
import { findOrganisations } from '../../identity/people/members/store.ts';
import type { Role } from '../../kernel/words/rights.ts';
import { createSessions } from '../../identity/people/sessions/service.ts';
import { createLog } from '../../platform/log.ts';
import { createNewId } from '../../platform/new-id.ts';
import { createTellChange } from '../assembly/audit-people.ts';
import { withDatabase } from './with-database.ts';
import { print, say } from './serving/role.ts';
import { atRunning } from './serving/running-state.ts';
import { toTable, visible } from './printing.ts';

type Which = { organisation?: string };

/** `posthorn members list`: all members of an organisation. */
export async function listMembers({ organisation, json }: Which & { json: boolean }): Promise<void> {
  await withMembers(async (members, db) => {
    const { id, name } = await organisationOf(db, organisation);
    const all = await members.operator.list(id);
    if (json) return print(JSON.stringify(all, undefined, 2));
    const rows = all.map(({ userId, role, email, name: person }) => [userId, role, email, visible(person)]);
    return print(
      [`Organisation ${visible(name)} (${id})`, toTable([['USER', 'ROLE', 'EMAIL', 'NAME'], ...rows])].join('\n'),
    );
  });
}

/** `posthorn members invite`: prints only the link to stdout, so that a script can use it, and to stderr what it is for. */
export async function inviteMember(email: string, { organisation, role }: Which & { role: Role }): Promise<void> {
  const body = createInvitationBody.safeParse({ email, role });
  if (!body.success) throw new ConfigError(`${visible(email)} is not an e-mail address of printable ASCII characters`);
  await withMembers(async (members, db) => {
    const { id, name } = await organisationOf(db, organisation);
    say(`Invitation to the organisation ${visible(name)} (${id}):`);
    print((await members.invitations.createAsOperator(id, body.data)).link);
  });
}

/** `posthorn members remove`: the member's rights end with their next request. */
export async function removeMember(email: string, { organisation }: Which): Promise<void> {
  await withMembers(async (members, db) => {
    const { id, name } = await organisationOf(db, organisation);
    await members.operator.remove(id, email.toLowerCase());
    print(`Removed ${visible(email)} from the organisation ${visible(name)} (${id})`);
  });
}

/** `posthorn admin reset-password`: prints a link that works once, for 30 minutes. */
export async function printResetLink(email: string, how: { isWithoutFactors: boolean }): Promise<void> {
  await withMembers(async (members) => print((await members.operator.createResetLink(email.toLowerCase(), how)).link));
}

/** `posthorn admin unlink-identity`: for a user who has a new account at the identity provider. Ends their sessions. */
export async function forgetIdentity(email: string): Promise<void> {
  await withMembers(async (members) => {
    await members.operator.forgetIdentity(email.toLowerCase());
    print(`Unlinked ${visible(email)} from the identity provider and ended all sessions`);
  });
}

function withMembers(work: (members: Members, db: DatabaseTransaction) => Promise<void>): Promise<void> {
  const config = atRunning(readConfig());
  return withDatabase(config, async (db, tenants) => {
    const log = createLog('error');
    const deps = { db, tenants, config, log, clock: () => new Date(), newId: createNewId(Date.now) };
    const tell = createTellChange(deps);
    const sessions = createSessions(deps, tell);
    const factorsOfPeople = createFactorsOfPeople(tell);
    const accounts = createAccounts(deps, { sessions, factorsOfPeople, tell });
    await work(createMembers(deps, { accounts, sessions, factorsOfPeople, tell }), db);
  });
}

/** Returns the organisation with that id, or the only one. */
async function organisationOf(db: DatabaseTransaction, id: string | undefined): Promise<{ id: string; name: string }> {
  const [found, another] = await findOrganisations(db, id);
  if (found === undefined)
    throw new ConfigError(
      `There is no organisation${id === undefined ? ' yet; start the service once' : ` ${visible(id)}`}`,
    );
  if (another !== undefined)
    throw new ConfigError(
      `There are several organisations, such as ${visible(found.name)} (${found.id}) and ${visible(another.name)} (${another.id}); choose one with --organisation`,
    );
  return found;
}
