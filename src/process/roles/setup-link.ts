import { ConfigError, readConfig } from '../../config.ts';
import type { Dependencies } from '../../dependencies.ts';
import { makeSetupCode } from '../../identity/accounts/setup.ts';
import { linkTo } from '../../identity/members/links.ts';
import { atRunning } from './members.ts';
import { withDatabase } from './database/with-database.ts';
import { print } from './serving/role.ts';

/** The link that makes the first administrator, for the start that finds no user and no link that is still good. */
export async function firstSetupLink(deps: Pick<Dependencies, 'db' | 'clock' | 'config'>): Promise<string | undefined> {
  const code = await makeSetupCode(deps, { isRenewed: false });
  return code === undefined ? undefined : linkTo(deps.config, 'setup', code);
}

/** `posthorn admin setup-link`: a new link in the place of one that was lost. Refused as soon as there is a user. */
export async function printSetupLink(): Promise<void> {
  const config = atRunning(readConfig());
  const code = await withDatabase(config, (db) => makeSetupCode({ db, clock: () => new Date() }, { isRenewed: true }));
  if (code === undefined) throw new ConfigError('There is an administrator already, who can invite others');
  print(linkTo(config, 'setup', code));
}
