import { ConfigError, readConfig } from '../../platform/config/config.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { makeSetupCode } from '../../identity/people/accounts/one-time-codes.ts';
import { linkTo } from '../../identity/people/members/mailing.ts';
import { atRunning } from './serving/running-state.ts';
import { withDatabase } from './with-database.ts';
import { print } from './serving/role.ts';

/**
 * Returns a new link that creates the first administrator; earlier ones stay valid for their hour. Returns undefined once there is a
 * user.
 */
export async function openSetup(deps: Pick<Dependencies, 'db' | 'clock' | 'config'>): Promise<string | undefined> {
  const code = await makeSetupCode(deps, { isRenewed: false });
  return code === undefined ? undefined : linkTo(deps.config, 'setup', code);
}

/** `posthorn admin setup-link`: prints a new link, which invalidates all earlier ones. Fails once there is a user. */
export async function printSetupLink(): Promise<void> {
  const config = atRunning(readConfig());
  const code = await withDatabase(config, (db) => makeSetupCode({ db, clock: () => new Date() }, { isRenewed: true }));
  if (code === undefined) throw new ConfigError('There is already an administrator, who can invite others');
  print(linkTo(config, 'setup', code));
}
