import { SCOPES, type Scope } from '../../../src/kernel/words/rights.ts';
import type { KINDS, Presented } from '../check/isolation-table.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { createBrowser } from '../world/browser.ts';
import { callerByKey, callerBySession, callerByToken, type CredentialCaller } from '../world/credential-caller.ts';
import { createTokenClient } from '../world/token-client.ts';
import { signIn } from './people.ts';
import { make } from './seed.ts';
import type { Neighbourhood, Person, Tenant } from './tenants.ts';

/** A caller who requests the victim's resources. `of` is the tenant in which the credential is valid, if any. */
export type WrongCaller = { kind: keyof typeof KINDS; presented: Presented; of?: Tenant; call: CredentialCaller };

export type Callers = {
  wrong: readonly WrongCaller[];
  /** Callers without a scope, by that scope: a key and a token that have all the others. */
  without: ReadonlyMap<Scope, readonly WrongCaller[]>;
};

/** A user in an environment of a tenant. */
export const personIn = (url: string, { browser }: Pick<Person, 'browser'>, tenant: Tenant): CredentialCaller =>
  callerBySession(url, browser, { 'posthorn-app': tenant.appId, 'posthorn-environment': tenant.environment });

export async function makeWrongCallers(
  posthorn: TestPosthorn,
  { victim, otherApp, otherEnvironment, otherOrganisation, suspendedApp, join }: Neighbourhood,
): Promise<Callers> {
  const { url, deps, services } = posthorn;
  const client = createTokenClient(() => posthorn);
  const proofKey = await client.key();
  const byToken = (token: string): CredentialCaller =>
    callerByToken(url, { token, key: proofKey, base: client.base() });
  const newKey = (body: object = {}): Promise<{ id: string } & Record<string, unknown>> =>
    make(posthorn, victim.key, '/v1/api-keys', { name: 'wrong', ...body });
  /** Creates an access token; returns it with its credential. */
  const newToken = async ({ key }: Tenant, body: object = {}): Promise<{ id: string; call: CredentialCaller }> => {
    const credential = await client.register(body, key);
    return { id: credential.id, call: byToken(await client.getToken(credential)) };
  };
  const wrong: WrongCaller[] = [];

  for (const [kind, of] of [
    ['other organisation', otherOrganisation],
    ['other app', otherApp],
    ['other environment', otherEnvironment],
  ] as const) {
    wrong.push({ kind, presented: 'key', of, call: callerByKey(url, of.key) });
    wrong.push({ kind, presented: 'token', of, call: (await newToken(of)).call });
    const owner = await join(of.organisationId, 'owner');
    wrong.push({ kind, presented: 'session', of, call: personIn(url, owner, of) });
  }

  const revokedKey = await newKey();
  await posthorn.request('DELETE', `/v1/api-keys/${revokedKey.id}`, undefined, { key: victim.key });
  wrong.push({ kind: 'revoked', presented: 'key', call: callerByKey(url, String(revokedKey['key'])) });
  const revokedToken = await newToken(victim);
  await posthorn.request('DELETE', `/v1/machine-credentials/${revokedToken.id}`, undefined, { key: victim.key });
  wrong.push({ kind: 'revoked', presented: 'token', call: revokedToken.call });
  const owner = await join(victim.organisationId, 'owner');
  const signedOut = await signIn(posthorn, owner);
  const revokedSession = personIn(url, signedOut, victim);
  await signedOut.browser.request('DELETE', '/v1/session');
  wrong.push({ kind: 'revoked', presented: 'session', call: revokedSession });

  const expiredKey = await newKey();
  await deps.db.apiKey.update({ where: { id: expiredKey.id }, data: { expiresAt: new Date(0) } });
  wrong.push({ kind: 'expired', presented: 'key', call: callerByKey(url, String(expiredKey['key'])) });
  const expiredToken = await newToken(victim);
  await deps.db.machineCredential.update({ where: { id: expiredToken.id }, data: { expiresAt: new Date(0) } });
  wrong.push({ kind: 'expired', presented: 'token', call: expiredToken.call });

  const formerKey = callerByKey(url, suspendedApp.key);
  wrong.push({ kind: 'suspended app', presented: 'key', of: suspendedApp, call: formerKey });
  // Credentials of a suspended app cannot get a token, so this one gets its token before.
  await services.apps.operator.setStatus(suspendedApp.appId, 'active');
  const formerToken = await newToken(suspendedApp);
  await services.apps.operator.setStatus(suspendedApp.appId, 'suspended');
  wrong.push({ kind: 'suspended app', presented: 'token', of: suspendedApp, call: formerToken.call });
  const ownerOfSuspended = personIn(url, await join(suspendedApp.organisationId, 'owner'), suspendedApp);
  wrong.push({ kind: 'suspended app', presented: 'session', of: suspendedApp, call: ownerOfSuspended });

  const stranger = await join(otherOrganisation.organisationId, 'owner');
  const member = { kind: 'member of another organisation', presented: 'session' } as const;
  wrong.push({ ...member, of: otherOrganisation, call: personIn(url, stranger, victim) });
  const nobody = await join(otherOrganisation.organisationId, 'viewer');
  await services.members.operator.remove(otherOrganisation.organisationId, nobody.email);
  wrong.push({ kind: 'member of none', presented: 'session', call: personIn(url, nobody, victim) });

  const without = new Map<Scope, readonly WrongCaller[]>();
  for (const scope of SCOPES) {
    const scopes = SCOPES.filter((other) => other !== scope);
    const { key } = await newKey({ scopes });
    const kind = 'without scope';
    without.set(scope, [
      { kind, presented: 'key', of: victim, call: callerByKey(url, String(key)) },
      { kind, presented: 'token', of: victim, call: (await newToken(victim, { scopes })).call },
    ]);
  }

  // Last, because signing in removes expired sessions.
  const late = await signIn(posthorn, owner);
  const session = { where: { id: late.me.session.id }, data: { expiresAt: new Date(0) } };
  await deps.db.session.update(session);
  wrong.push({ kind: 'expired', presented: 'session', call: personIn(url, late, victim) });
  return { wrong, without };
}

/** A browser without a session. */
export const strangerIn = (url: string): CredentialCaller => callerBySession(url, createBrowser({ url }));
