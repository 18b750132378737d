import { homedir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../local/ports.ts';
import { startChild, type TopologyChild } from './child.ts';

/** The proxy's configuration, of docker-compose.yml. */
export const CADDYFILE = join(import.meta.dirname, '../../deploy/compose/Caddyfile');

/** Caddy before these APIs, by the Caddyfile of docker-compose.yml. */
export const startProxy = async (
  caddy: string,
  { port, apis, folder }: { port: number; apis: readonly number[]; folder: string },
): Promise<TopologyChild> =>
  startChild(
    'Caddy',
    [caddy, 'run', '--config', CADDYFILE, '--adapter', 'caddyfile'],
    {
      variables: {
        SITE_ADDRESS: `:${port}`,
        // Several topologies run on one machine.
        HEALTH_PORT: String(await findFreePort()),
        UPSTREAM: `to ${apis.map((api) => `127.0.0.1:${api}`).join(' ')}`,
        HOME: homedir(),
      },
      logPath: join(folder, 'caddy.log'),
    },
    () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
  );
