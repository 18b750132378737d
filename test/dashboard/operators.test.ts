import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Receiver } from '../support/world/receiver.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

/** Stories of people who operate the service. */
let scene: DashboardScene;
let dashboard: Dashboard;
let receiver: Receiver;
beforeAll(async () => {
  scene = await setDashboardScene();
});
afterAll(() => scene.end());
beforeEach(async () => {
  ({ dashboard, receiver } = await scene.enter());
});
afterEach(() => scene.leave());

test('a deployment is marked, and what has failed since is one click away', async () => {
  const { page } = dashboard;
  receiver.answerWith([(response) => void response.writeHead(500).end('no')]);
  const channelId = await scene.make('/v1/channels', { name: 'orders' });
  await scene.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } });
  const publish = (): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
  const failed = async (): Promise<number> => {
    const path = '/v1/deliveries?status=failed';
    return (await scene.posthorn.request<{ data: unknown[] }>('GET', path, undefined, scene.key)).body.data.length;
  };
  await publish();
  await waitFor('the first failure', async () => (await failed()) === 1);

  await dashboard.open('/overview');
  await page.getByRole('button', { name: 'Mark now' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Deploy 4.2');
  await page.getByRole('dialog').getByRole('button', { name: 'Mark now' }).click();
  const moments = page.getByRole('region', { name: 'Marked moments' });
  await moments.getByText('Deploy 4.2', { exact: true }).first().waitFor();
  await publish();
  await waitFor('the second failure', async () => (await failed()) === 2);

  await moments.getByRole('link', { name: 'failed since', exact: true }).click();
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  await page.getByRole('row', { name: /Failed/ }).waitFor();
  expect(await page.getByRole('row', { name: /Failed/ }).count()).toBe(1);
  expect(await page.getByLabel('In the last').locator('option:checked').textContent()).toBe('since Deploy 4.2');
  expect(await dashboard.violations()).toEqual([]);

  await dashboard.open('/overview');
  await moments.getByRole('button', { name: 'Delete Deploy 4.2' }).click();
  await moments.getByText(/^None\./).waitFor();
});

test('the state of the service, and the ways of signing in, are shown to those who operate it', async () => {
  const { page } = dashboard;
  await dashboard.open('/service');
  await page.getByRole('heading', { name: 'Service', level: 1 }).waitFor();
  await page.getByText('Alive').first().waitFor();
  await page.getByRole('cell', { name: 'rowSecurity' }).waitFor();
  await page.getByRole('cell', { name: 'deliveries', exact: true }).waitFor();
  expect(await dashboard.violations()).toEqual([]);
  await dashboard.open('/sign-in-settings');
  await page.getByText('They belong to localhost').waitFor();
  await page.getByText('12 h').waitFor();
});
