import { type Config, ConfigError } from '../../../platform/config/config.ts';
import { choosePort, findFreePort, isPortFree, type Reach } from '../../../../local/ports.ts';
import { print } from './role.ts';

/** For a PORT that is set explicitly: names the remedy. */
export const portTaken = (port: number): string =>
  `PORT: ${port} is in use by another program; stop that program, or set another port`;

const reachOf = (listenHost: string | undefined): Reach =>
  listenHost === undefined ? 'everywhere' : { address: listenHost };

/** Fails if an explicitly set port is in use; the default port gives way to another program. */
export async function chooseApiPort({ port, isPortChosen, listenHost }: Config): Promise<number> {
  if (port === 0) return port;
  if (!isPortChosen) return choosePort('the API', port, print, reachOf(listenHost));
  if (await isPortFree(port, reachOf(listenHost))) return port;
  throw new ConfigError(portTaken(port));
}

export function onPort(config: Config, port: number): Config {
  const isDefaultUrl = config.publicBaseUrl === `http://localhost:${config.port}`;
  return { ...config, port, ...(isDefaultUrl && { publicBaseUrl: `http://localhost:${port}` }) };
}

/**
 * Several processes listen on one port, and a restarted one must get the same, so a free port is chosen before the first of them
 * starts.
 */
export const onAnyPort = async (config: Config): Promise<Config> =>
  config.port === 0 ? onPort(config, await findFreePort(reachOf(config.listenHost))) : config;
