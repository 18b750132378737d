import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { readConfig } from '../../src/config.ts';
import { startMetricsServer } from '../../src/observe/metrics-server.ts';
import {
  checkCollector,
  checkDashboardUrl,
  checkMail,
  checkSingleSignOn,
} from '../../src/process/doctor/neighbours.ts';
import { checkMetricsPort, checkRedis } from '../../src/process/doctor/surroundings.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { describeWithRedis, startRedis } from '../support/service/redis.ts';
import { startForgingProvider } from '../support/world/forging-provider.ts';
import { type MailServer, startMailServer } from '../support/world/mail-server.ts';

// Old: the doctor looked at none of these. A mail server that was away showed only when an invitation did not arrive, and a provider
// only when somebody could not sign in.

/** A site that answers every path with that status. */
let site: { url: string; port: number; close(): void };
let mail: MailServer;
let nobody: string;
let nobodyPort: number;
beforeAll(async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = request.url === '/missing' ? 404 : 200;
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `as`: a server on a port has such an address.
  const { port } = server.address() as AddressInfo;
  site = { url: `http://127.0.0.1:${port}`, port, close: () => server.close() };
  mail = await startMailServer();
  nobodyPort = await findFreePort();
  nobody = `127.0.0.1:${nobodyPort}`;
});
afterAll(async () => {
  site.close();
  await mail.close();
});

const fault = (says: RegExp) => ({ verdict: 'fail', says: expect.stringMatching(says) });
const warning = (says: RegExp) => ({ verdict: 'warn', says: expect.stringMatching(says) });
const inOrder = { verdict: 'ok' };

test('a mail server that lets the service in is in order, and each other one says what to correct', async () => {
  const ours = `${mail.url}?requireTLS=false`;
  const at = (url: string) => checkMail({ url });
  expect(await at(ours)).toMatchObject(inOrder);
  expect(await at(ours.replace('secret', 'other'))).toMatchObject(fault(/refuses the user name or the password/));
  expect(await at(mail.url)).toMatchObject(fault(/offers no TLS; let it offer STARTTLS/));
  expect(await at(ours.replace('smtp:', 'smtps:'))).toMatchObject(fault(/speaks no TLS at once/));
  expect(await at(`smtp://posthorn:secret@${nobody}`)).toMatchObject(
    fault(/^SMTP_URL: no mail can be sent by 127\.0\.0\.1:\d+: nothing listens there/),
  );
  expect(mail.mails).toEqual([]);
});

test('an identity provider is in order once it answers as its own issuer', async () => {
  const provider = await startForgingProvider();
  const look = (variables: Record<string, string>) => {
    const { singleSignOn } = readConfig({ ...provider.variables, ...variables });
    if (singleSignOn === undefined) throw new Error('no provider in the settings');
    return checkSingleSignOn(singleSignOn);
  };
  try {
    expect(await look({})).toMatchObject(inOrder);
    expect(await look({ OIDC_ISSUER: site.url })).toMatchObject(fault(/has no OpenID configuration of that issuer/));
    expect(await look({ OIDC_ISSUER: `http://${nobody}` })).toMatchObject(fault(/does not answer, so nobody signs in/));
  } finally {
    await provider.close();
  }
});

test('a collector and a dashboard elsewhere that do not answer are warned about', async () => {
  expect(await checkCollector({ endpoint: site.url })).toMatchObject(inOrder);
  expect(await checkCollector({ endpoint: `http://${nobody}` })).toMatchObject(warning(/so traces are lost/));
  expect(await checkDashboardUrl(site.url)).toMatchObject(inOrder);
  expect(await checkDashboardUrl(`${site.url}/missing`)).toMatchObject(warning(/^DASHBOARD_URL: 404 is the answer/));
  expect(await checkDashboardUrl(`http://${nobody}`)).toMatchObject(warning(/^DASHBOARD_URL: nothing answers at/));
});

test('the port of the metrics is free or ours, and is not that of the API', async () => {
  const at = (metricsPort: number) => checkMetricsPort({ port: 3000, metricsPort, listenHost: '127.0.0.1' });
  expect(await at(site.port)).toMatchObject(fault(/^METRICS_PORT: another program listens on \d+/));
  expect(await at(3000)).toMatchObject(fault(/^METRICS_PORT is 3000, and so is PORT/));
  expect(await at(nobodyPort)).toMatchObject(inOrder);
  const port = await findFreePort();
  const metrics = await startMetricsServer({
    port,
    host: '127.0.0.1',
    page: async () => 'posthorn_due_deliveries 0\n',
    ready: async () => ({ isReady: true, reasons: {} }),
    onFailure: () => undefined,
  });
  try {
    expect(await at(port)).toMatchObject({ ...inOrder, says: `METRICS_PORT: Posthorn listens on ${port}` });
  } finally {
    await metrics.stop();
  }
});

test('the command looks at all of them that the settings name', async () => {
  const { output } = await runPosthorn(['doctor', '--json'], {
    PORT: '0',
    METRICS_PORT: String(nobodyPort),
    SMTP_URL: `smtp://posthorn:secret@${nobody}`,
    MAIL_FROM: 'posthorn@example.com',
    OIDC_ISSUER: `http://${nobody}`,
    OIDC_CLIENT_ID: 'posthorn',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${nobody}`,
    PUBLIC_BASE_URL: 'https://api.posthorn.invalid',
    DASHBOARD_URL: 'https://dashboard.posthorn.invalid',
  });
  const findings = JSON.parse(output) as { check: string; verdict: string }[];
  const verdictOf = (check: string) => findings.find((each) => each.check === check)?.verdict;
  expect(['metricsPort', 'mail', 'singleSignOn', 'collector', 'dashboardUrl'].map(verdictOf)).toEqual([
    'ok',
    'fail',
    'fail',
    'warn',
    'warn',
  ]);
  expect(output).not.toContain('secret');
}, 300_000);

describeWithRedis('a Redis without TLS', () => {
  test('that is asked by rediss:// is told apart from one that is away', async () => {
    const redis = await startRedis();
    try {
      expect(await checkRedis(redis.url.replace('redis:', 'rediss:'))).toMatchObject(
        fault(/does not answer; look at firewalls on the way, and without TLS begin the URL with redis:\/\/$/),
      );
    } finally {
      await redis.kill();
    }
  });
});
