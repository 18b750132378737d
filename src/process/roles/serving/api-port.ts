import { type Config, ConfigError } from '../../../platform/config/config.ts';
import { choosePort, findFreePort, isPortFree, type Reach } from '../../../../local/ports.ts';
import { print } from './role.ts';

/** Names the remedy, for a PORT that was asked for. */
export const portTaken = (port: number): string =>
  `PORT: ${port} is taken by another program; stop that one, or set another port`;

const reachOf = (listenHost: string | undefined): Reach =>
  listenHost === undefined ? 'everywhere' : { address: listenHost };

/** A port that was asked for is taken or fails; the default one gives way to another program. */
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

/** Several processes listen on one port, and a later one on the same: any free port is chosen before the first of them begins. */
export const onAnyPort = async (config: Config): Promise<Config> =>
  config.port === 0 ? onPort(config, await findFreePort(reachOf(config.listenHost))) : config;
