import { expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

/** A story about who may do what: a leaked key. */
let scene: DashboardScene;
let dashboard: Dashboard;
onEachDashboard((entered) => ({ scene, dashboard } = entered));

test('a key has leaked: its owner revokes it, and its next call is refused', async () => {
  const { page } = dashboard;
  await dashboard.open('/api-keys');
  await page.getByRole('button', { name: 'Make a key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Till 7');
  await dialog.getByRole('button', { name: 'Make a key' }).click();
  const key = (await dialog.getByLabel('Key', { exact: true }).innerText()).trim();
  await dialog.getByRole('button', { name: 'I have kept it' }).click();
  const call = async (): Promise<number> =>
    (await scene.posthorn.request('GET', '/v1/channels', undefined, { key })).status;
  expect(await call()).toBe(200);

  await page.getByRole('row', { name: /Till 7/ }).click();
  const panel = page.getByRole('complementary', { name: 'Details' });
  await panel.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await panel.getByText('Revoked').waitFor();
  expect(await call()).toBe(401);
});
