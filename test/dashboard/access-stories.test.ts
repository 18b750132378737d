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

test('a key is rotated: the one before works for as long as the dialog was told to let it', async () => {
  const { page } = dashboard;
  const statusWith = async (key: string): Promise<number> =>
    (await scene.posthorn.request('GET', '/v1/channels', undefined, { key })).status;
  const { body } = await scene.posthorn.request(
    'POST',
    '/v1/api-keys',
    { name: 'Till 8', scopes: ['channels:read'] },
    scene.key,
  );
  const first = body as { id: string; key: string };
  const rotate = async (choice: string): Promise<string> => {
    const dialog = page.getByRole('dialog');
    await page.getByRole('complementary').getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByLabel('The old one goes on working for').selectOption(choice);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const key = (await dialog.getByLabel('Key', { exact: true }).innerText()).trim();
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    return key;
  };
  await dashboard.open(`/api-keys?open=${first.id}`);
  const second = await rotate('1 hour');
  await page.getByText('The key before works until').waitFor();
  expect(await Promise.all([first.key, second].map(statusWith))).toEqual([200, 200]);
  const third = await rotate('no time: it ends at once');
  await page.getByText('The key before works until').waitFor({ state: 'detached' });
  expect(await Promise.all([first.key, second, third].map(statusWith))).toEqual([401, 401, 200]);
});
