import { ConfigError, readConfig } from '../../config.ts';
import type { Dependencies } from '../../dependencies.ts';
import { makeSetupCode } from '../../identity/accounts/setup.ts';
import { hasAccounts } from '../../identity/accounts/store.ts';
import { linkTo } from '../../identity/members/links.ts';
import { atRunning } from './serving/running-state.ts';
import { withDatabase } from './database/with-database.ts';
import { print } from './serving/role.ts';

/**
 * While there is no administrator: a link that makes the first one, unless an earlier link is still good. Undefined when there is an
 * administrator.
 */
export async function openSetup(
  deps: Pick<Dependencies, 'db' | 'clock' | 'config'>,
): Promise<{ link?: string } | undefined> {
  const code = await makeSetupCode(deps, { isRenewed: false });
  if (code !== undefined) return { link: linkTo(deps.config, 'setup', code) };
  return (await hasAccounts(deps.db)) ? undefined : {};
}

/** `posthorn admin setup-link`: a new link in the place of one that was lost. Refused as soon as there is a user. */
export async function printSetupLink(): Promise<void> {
  const config = atRunning(readConfig());
  const code = await withDatabase(config, (db) => makeSetupCode({ db, clock: () => new Date() }, { isRenewed: true }));
  if (code === undefined) throw new ConfigError('There is an administrator already, who can invite others');
  print(linkTo(config, 'setup', code));
}
