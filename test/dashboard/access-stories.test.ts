import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
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

  const create = (): Locator => dashboard.page.getByRole('button', { name: 'Create API key' }).first();
  const panel = (): Locator => dashboard.page.getByRole('complementary');
  /** What is shown once, under its title. */
  const shown = (title: string): Locator => dashboard.page.getByRole('dialog').getByRole('region', { name: title });
  const textOf = async (region: Locator): Promise<string> => (await region.innerText()).trim();

  test('a key has leaked: its owner revokes it, and its next call is refused', async () => {
    const { page } = dashboard;
    await dashboard.open('/api-keys');
    await create().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Till 7');
    await dialog.getByRole('button', { name: 'Create API key' }).click();
    const key = await textOf(shown('Key'));
    // Escape alone would lose it.
    await page.keyboard.press('Escape');
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const call = async (): Promise<number> =>
      (await scene.posthorn.request('GET', '/v1/channels', undefined, { key })).status;
    expect(await call()).toBe(200);

    await page.getByRole('row', { name: /Till 7/ }).click();
    await panel().getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await panel().getByText('Revoked').waitFor();
    expect(await call()).toBe(401);
  });

  test('a key is rotated: the old one works for as long as the dialog was told to let it', async () => {
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
      await panel().getByRole('button', { name: 'Rotate key…' }).click();
      await dialog.getByRole('combobox', { name: 'Keep the old key valid for' }).click();
      await page.getByRole('option', { name: choice, exact: true }).click();
      await dialog.getByRole('button', { name: 'Rotate key' }).click();
      const key = await textOf(shown('Key'));
      await dialog.getByRole('button', { name: 'Done' }).click();
      return key;
    };
    await dashboard.open(`/api-keys?open=${first.id}`);
    const second = await rotate('1 hour');
    await page.getByText('Old key valid until').waitFor();
    expect(await Promise.all([first.key, second].map(statusWith))).toEqual([200, 200]);
    const third = await rotate('Stop immediately');
    await page.getByText('Old key valid until').waitFor({ state: 'detached' });
    expect(await Promise.all([first.key, second, third].map(statusWith))).toEqual([401, 401, 200]);
  });

  // Two ids stood there without a word, and nobody could see from where a leaked key was used.
  test('a credential says which one it is and from where it was last used', async () => {
    const { body } = await scene.posthorn.request(
      'POST',
      '/v1/api-keys',
      { name: 'Till 9', scopes: ['channels:read', 'credentials:write'] },
      scene.key,
    );
    const { id, key } = body as { id: string; key: string };
    const address = await waitFor('the use to be noted', async () => {
      const { body: found } = await scene.posthorn.request('GET', `/v1/api-keys/${id}`, undefined, { key });
      const { lastUsedAddress } = found as { lastUsedAddress?: string };
      return lastUsedAddress;
    });
    await dashboard.open(`/api-keys?open=${id}`);
    const fact = (name: string): Locator =>
      panel()
        .locator('dt', { hasText: new RegExp(`^${name}$`) })
        .locator('xpath=following-sibling::dd[1]');
    await fact('Last used from').getByText(address, { exact: true }).waitFor();
    await fact('Key')
      .getByText(`${key.slice(0, 12)}…${key.slice(-4)}`)
      .waitFor();
    const { body: client } = await scene.posthorn.request(
      'POST',
      '/v1/machine-credentials',
      { name: 'Till 10', scopes: ['channels:read'] },
      scene.key,
    );
    const { id: clientId, clientSecret } = client as { id: string; clientSecret: string };
    await dashboard.open(`/machine-credentials?open=${clientId}`);
    await fact('Client ID').getByText(clientId, { exact: true }).waitFor();
    await panel()
      .getByText(`…${clientSecret.slice(-4)}`)
      .waitFor();
    expect(await dashboard.violations()).toEqual([]);
  });

  // The question came only behind a form that was filled.
  test('a form that asks for a proof says so before it is filled, and keeps what was written', async () => {
    const { page } = dashboard;
    await scene.posthorn.deps.pool.query("UPDATE sessions SET authenticated_at = now() - interval '1 hour'");
    await dashboard.open('/api-keys');
    await create().click();
    const form = page.getByRole('dialog', { name: /^Create API key/ });
    const told = form.getByText("You'll be asked to confirm your identity.");
    await told.waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await form.getByLabel('Name').fill('Till 11');
    await form.getByRole('button', { name: 'Create API key' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm your identity' });
    await proof.getByRole('button', { name: 'Cancel' }).click();
    await proof.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name').inputValue()).toBe('Till 11');
    await form.getByRole('button', { name: 'Create API key' }).click();
    await proof.getByLabel('Password').fill(OWNER.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await shown('Key').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    // The proof holds for ten minutes.
    await create().click();
    await form.getByLabel('Name').waitFor();
    expect(await told.count()).toBe(0);
  });
});
