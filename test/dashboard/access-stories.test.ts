import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { OWNER } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('access stories in a browser', () => {
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

  // Two ids stood there without a word, and nobody could see from where a leaked key was used.
  test('the page of a key says which key it is, from where it was last used, and what its buttons end', async () => {
    const { page } = dashboard;
    const { body } = await scene.posthorn.request(
      'POST',
      '/v1/api-keys',
      { name: 'Till 9', scopes: ['channels:read', 'credentials:write'] },
      scene.key,
    );
    const { id, key } = body as { id: string; key: string };
    const shown = await waitFor('the use to be noted', async () => {
      const { body: found } = await scene.posthorn.request('GET', `/v1/api-keys/${id}`, undefined, { key });
      const { lastUsedAddress } = found as { lastUsedAddress?: string };
      return lastUsedAddress;
    });
    await dashboard.open(`/api-keys?open=${id}`);
    const panel = page.getByRole('complementary', { name: 'Details' });
    const fact = (name: string) => panel.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]');
    await fact('Last used from').getByText(shown, { exact: true }).waitFor();
    await fact('Key')
      .getByText(`${key.slice(0, 12)}…${key.slice(-4)}`)
      .waitFor();
    await fact('Key').getByText('The beginning and the end of the key').waitFor();
    await fact('Id').getByText('and is no secret.').waitFor();
    await panel.getByText('Revoke ends the key for good.').waitFor();
    await panel.getByText('Rotate makes a new key with the same scopes.').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Key', exact: true }).count()).toBe(1);

    const { body: client } = await scene.posthorn.request(
      'POST',
      '/v1/machine-credentials',
      { name: 'Till 10', scopes: ['channels:read'] },
      scene.key,
    );
    const { id: clientId, clientSecret } = client as { id: string; clientSecret: string };
    await dashboard.open(`/machine-credentials?open=${clientId}`);
    await fact('Client id').getByText(clientId, { exact: true }).waitFor();
    await fact('Secrets that are taken')
      .getByText(`…${clientSecret.slice(-4)}`)
      .waitFor();
    await panel.getByText('Revoke ends the client for good').waitFor();
    expect(await dashboard.violations()).toEqual([]);
  });

  // The question came only behind a form that was filled.
  test('a form that asks who one is says so before it is filled, and keeps what was written', async () => {
    const { page } = dashboard;
    await scene.posthorn.deps.pool.query("UPDATE sessions SET authenticated_at = now() - interval '1 hour'");
    await dashboard.open('/api-keys');
    const open = (): Promise<void> => page.getByRole('button', { name: 'Make a key' }).first().click();
    await open();
    const form = page.getByRole('dialog', { name: 'Make a key' });
    const told = form.getByText('You are asked once more who you are');
    await told.waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await form.getByLabel('Name').fill('Till 11');
    await form.getByRole('button', { name: 'Make a key' }).click();
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await proof.getByRole('button', { name: 'Cancel' }).click();
    await proof.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name').inputValue()).toBe('Till 11');
    await form.getByRole('button', { name: 'Make a key' }).click();
    await proof.getByLabel('Password').fill(OWNER.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').getByLabel('Key', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    // The proof holds for ten minutes.
    await open();
    await form.getByLabel('Name').waitFor();
    expect(await told.count()).toBe(0);
  });
});
