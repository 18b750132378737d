import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { compose } from '../deploy/compose-file.ts';
import { startChild } from './child.ts';
import { findCaddy } from './programs.ts';
import { CADDYFILE } from './proxy.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-proxy-health-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const addressOfCheck =
  (compose.services['proxy']?.healthcheck?.test ?? []).find((word) => word.startsWith('http')) ?? '';

// Old: the check asked port 3000. With a host name Caddy listens on 443 and 80 alone, and `docker compose up --wait` failed.
test.each([':3000', 'posthorn.example.com'])('the health check is answered with SITE_ADDRESS=%s', async (site) => {
  const caddy = findCaddy(() => undefined);
  const text = execFileSync(caddy, ['adapt', '--config', CADDYFILE, '--adapter', 'caddyfile'], {
    env: childEnvironment({ SITE_ADDRESS: site }),
    encoding: 'utf8',
  });
  // The same configuration with ports of this machine, and with certificates that nobody is asked for.
  const [check, http, https] = [
    await findFreePort(),
    await findFreePort('everywhere'),
    await findFreePort('everywhere'),
  ];
  const ownPort = new URL(addressOfCheck).port;
  expect(text).toContain(`"127.0.0.1:${ownPort}"`);
  // `as`: what Caddy writes.
  const adapted = JSON.parse(
    text
      .replace(`"127.0.0.1:${ownPort}"`, `"127.0.0.1:${check}"`)
      .replace('":443"', `":${https}"`)
      .replace('":3000"', `":${http}"`),
  ) as { apps: { http: object } };
  const config = {
    ...adapted,
    apps: {
      http: { ...adapted.apps.http, http_port: http, https_port: https },
      tls: { automation: { policies: [{ issuers: [{ module: 'internal' }] }] } },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  };
  const path = join(folder, 'caddy.json');
  writeFileSync(path, JSON.stringify(config));
  const ask = (): Promise<number> =>
    fetch(addressOfCheck.replace(ownPort, String(check))).then(
      ({ status }) => status,
      () => 0,
    );
  const proxy = await startChild(
    'Caddy',
    [caddy, 'run', '--config', path],
    { variables: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }, logPath: join(folder, 'caddy.log') },
    async () => (await ask()) === 200,
  );
  await proxy.end('SIGTERM');
  expect(await ask()).toBe(0);
});
