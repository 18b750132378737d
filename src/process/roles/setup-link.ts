import { type Config, ConfigError, readConfig } from '../../config.ts';
import type { Dependencies } from '../../dependencies.ts';
import { makeSetupCode } from '../../identity/accounts/setup.ts';
import { withDatabase } from './keys.ts';
import { print } from './role.ts';
import { readRunningState } from './running-state.ts';

/** The link that makes the first administrator, for the start that finds no user and no link that is still good. */
export async function firstSetupLink(deps: Pick<Dependencies, 'db' | 'clock' | 'config'>): Promise<string | undefined> {
  const code = await makeSetupCode(deps, { isRenewed: false });
  return code === undefined ? undefined : linkOf(deps.config, code);
}

/** `posthorn admin setup-link`: a new link in the place of one that was lost. Refused as soon as there is a user. */
export async function printSetupLink(): Promise<void> {
  const config = readConfig();
  const code = await withDatabase(config, (db) => makeSetupCode({ db, clock: () => new Date() }, { isRenewed: true }));
  if (code === undefined) throw new ConfigError('There is an administrator already, who can invite others');
  // A `start` without a chosen port may have another one than the settings say.
  const running = config.databaseUrl === undefined ? readRunningState(config.dataFolder)?.apiUrl : undefined;
  print(linkOf({ ...config, ...(running !== undefined && { publicBaseUrl: running }) }, code));
}

/** The code stands in the fragment, which browsers send to nobody: no log and no Referer has it. */
const linkOf = ({ publicBaseUrl }: Config, code: string): string => `${publicBaseUrl}/dashboard/setup#code=${code}`;
