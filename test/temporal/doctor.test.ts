import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  checkNamespace,
  checkSearchAttributes,
  checkTaskQueue,
  examineTemporal,
} from '../../src/process/doctor/temporal.ts';
import { connectToTemporal, installRuntime, type TemporalConnection } from '../../src/platform/temporal/connection.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';

let posthorn: TestPosthorn;
let temporal: TemporalConnection;
const address = currentRun().temporalAddress;
const settings = { address, namespace: 'default' };
beforeAll(async () => {
  installRuntime(createLog('silent'));
  posthorn = await startPosthorn();
  temporal = await connectToTemporal(settings);
});
afterAll(async () => {
  await temporal?.close();
  await posthorn.stop();
});

test('a Temporal with a worker passes the check', async () => {
  const examined = { client: temporal.client, settings };
  const findings = [
    ...(await examineTemporal(settings)).slice(0, 1),
    await checkNamespace(examined),
    await checkSearchAttributes(examined),
    await waitFor('the worker to poll', async () => {
      const finding = await checkTaskQueue(examined, posthorn.taskQueue);
      return finding.verdict === 'ok' && finding;
    }),
  ];
  expect(findings.map(({ check, verdict }) => [check, verdict])).toEqual([
    ['temporal', 'ok'],
    ['namespace', 'ok'],
    ['searchAttributes', 'ok'],
    ['taskQueue', 'ok'],
  ]);
});

test('a Temporal that is down fails the check, and later checks are skipped', async () => {
  const away = `127.0.0.1:${await findFreePort()}`;
  expect(await examineTemporal({ address: away, namespace: 'default' })).toEqual([
    { check: 'temporal', verdict: 'fail', says: expect.stringContaining(`nothing listens at ${away}`) },
  ]);
});

test('a missing namespace fails the check, and nothing in it is checked', async () => {
  const findings = await examineTemporal({ address, namespace: 'nowhere' });
  expect(findings).toMatchObject([
    { check: 'temporal', verdict: 'ok' },
    { check: 'namespace', verdict: 'fail', says: expect.stringContaining('has no namespace nowhere') },
  ]);
});

test('a namespace without our search attributes causes a warning with their names', async () => {
  const namespace = `doctor-${randomBytes(4).toString('hex')}`;
  const seconds = 86_400 as unknown as never;
  await temporal.client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds } });
  const examined = { client: temporal.client, settings: { address, namespace } };
  const finding = await waitFor('the server to know the namespace', async () => {
    const found = await checkSearchAttributes(examined);
    return found.verdict !== 'fail' && found;
  });
  expect(finding).toMatchObject({ verdict: 'warn', says: expect.stringContaining('lacks PosthornEnvironment') });
  expect(await checkNamespace(examined)).toMatchObject({
    says: `the namespace ${namespace} keeps histories for 1 day`,
  });
});

test('a task queue that no worker polls fails the check', async () => {
  const examined = { client: temporal.client, settings };
  expect(await checkTaskQueue(examined, `nobody-${randomBytes(4).toString('hex')}`)).toMatchObject({
    verdict: 'fail',
    says: expect.stringMatching(/^no worker polls the task queue nobody-.+; start `posthorn worker`$/),
  });
});
