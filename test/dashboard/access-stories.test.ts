import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { OWNER } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('access stories in a browser', () => {
  /** Stories about what programs may do: keys that are created, rotated, leaked and revoked. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const panel = (): Locator => dashboard.page.getByRole('complementary', { name: 'API key' });
  const statusWith = async (key: string): Promise<number> =>
    (await scene.posthorn.request('GET', '/v1/channels', undefined, { key })).status;
  /** The key in the dialog that shows it once. */
  const shownKey = async (): Promise<string> => {
    const dialog = dashboard.page.getByRole('dialog', { name: 'Copy your key now' });
    const key = (await dialog.getByRole('region', { name: 'Key', exact: true }).innerText()).trim();
    await dialog.getByRole('region', { name: 'cURL' }).getByText(`Bearer ${key}`).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    return key;
  };
  const fact = (of: Locator, name: string): Locator =>
    of.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd[1]');

  test('a key has leaked: its owner revokes it, and its next call is refused', async () => {
    const { page } = dashboard;
    await dashboard.open('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const dialog = page.getByRole('dialog', { name: /^Create API key/ });
    await dialog.getByLabel('Name').fill('Till 7');
    await dialog.getByRole('checkbox', { name: 'deliveries:read' }).check();
    await dialog.getByRole('button', { name: 'Create API key' }).click();
    const key = await shownKey();
    expect(await statusWith(key)).toBe(200);

    await page.getByRole('row', { name: /Till 7/ }).click();
    await panel().getByText('deliveries:read').waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await panel().getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await page
      .getByRole('dialog', { name: /^Revoke Till 7\?/ })
      .getByRole('button', { name: 'Revoke key' })
      .click();
    await panel().getByText('Revoked').waitFor();
    expect(await statusWith(key)).toBe(401);
  });

  test('a key is rotated: the old one works for as long as the dialog was told to let it', async () => {
    const { page } = dashboard;
    const { body } = await scene.posthorn.request(
      'POST',
      '/v1/api-keys',
      { name: 'Till 8', scopes: ['channels:read'] },
      scene.key,
    );
    const first = body as { id: string; key: string };
    const rotate = async (choice: string): Promise<string> => {
      await panel().getByRole('button', { name: 'Rotate key…' }).click();
      const dialog = page.getByRole('dialog', { name: /^Rotate Till 8\?/ });
      await dialog.getByRole('combobox').click();
      await page.getByRole('option', { name: choice }).click();
      await dialog.getByRole('button', { name: 'Rotate key' }).click();
      return shownKey();
    };
    await dashboard.open(`/api-keys?open=${first.id}`);
    const second = await rotate('1 hour');
    await panel().getByText('Old key valid until').waitFor();
    expect(await Promise.all([first.key, second].map(statusWith))).toEqual([200, 200]);
    const third = await rotate('Stop immediately');
    await panel().getByText('Old key valid until').waitFor({ state: 'detached' });
    expect(await Promise.all([first.key, second, third].map(statusWith))).toEqual([401, 401, 200]);
  });

  // Two IDs stood there without a word, and nobody could see from where a leaked key was used.
  test('the panel of a key says which key it is and from where it was last used, and a client has its secrets', async () => {
    const { page } = dashboard;
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
    await fact(panel(), 'Last used from').getByText(address, { exact: true }).waitFor();
    await fact(panel(), 'Key')
      .getByText(`${key.slice(0, 12)}…${key.slice(-4)}`)
      .waitFor();

    const { body: client } = await scene.posthorn.request(
      'POST',
      '/v1/machine-credentials',
      { name: 'Till 10', scopes: ['channels:read'] },
      scene.key,
    );
    const { id: clientId, clientSecret } = client as { id: string; clientSecret: string };
    await page.getByRole('tab', { name: 'Machine credentials' }).click();
    await page.getByRole('row', { name: /Till 10/ }).click();
    const details = page.getByRole('complementary', { name: 'Machine credential' });
    await fact(details, 'Client ID').getByText(clientId, { exact: true }).waitFor();
    await details.getByText(`…${clientSecret.slice(-4)}`).waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
  });

  // The list said "5 s ago" and the panel beside it "Never", and every key was shown how to list channels.
  test('the panel of a key has an example that its scopes allow, and tells of its first use when the list does', async () => {
    const scopes = ['channels:read', 'messages:write'];
    const { body } = await scene.posthorn.request('POST', '/v1/api-keys', { name: 'Till 13', scopes }, scene.key);
    const { id, key } = body as { id: string; key: string };
    await dashboard.open(`/api-keys?open=${id}`);
    await fact(panel(), 'Last used').getByText('Never', { exact: true }).waitFor();
    await panel()
      .getByRole('region', { name: 'cURL' })
      .getByText(/\/v1\/channels\/\w+\/messages/)
      .waitFor();
    expect(await statusWith(key)).toBe(200);
    await fact(panel(), 'Last used')
      .getByText(/ago|now/)
      .waitFor();
  });

  // The question came only behind a form that was filled.
  test('a form that asks for a proof of identity says so before it is filled, and keeps what was written', async () => {
    const { page } = dashboard;
    await scene.posthorn.deps.pool.query("UPDATE sessions SET authenticated_at = now() - interval '1 hour'");
    await dashboard.open('/api-keys');
    const open = (): Promise<void> => page.getByRole('button', { name: 'Create API key' }).first().click();
    await open();
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
    await shownKey();
    // The proof holds for ten minutes.
    await open();
    await form.getByLabel('Name').waitFor();
    expect(await told.count()).toBe(0);
  });

  // Keys that were revoked years ago stood among those that are in use, and nothing told them apart but a word in each row.
  test('active keys and credentials are told from revoked ones by a filter, which stays while one is opened', async () => {
    const { page } = dashboard;
    for (const [list, name, path, details] of [
      ['api-keys', 'API keys', '/v1/api-keys', 'API key'],
      ['machine-credentials', 'Machine credentials', '/v1/machine-credentials', 'Machine credential'],
    ] as const) {
      const [used, old] = [`${list} in use`, `${list} of last year`];
      await scene.make(path, { name: used, scopes: ['channels:read'] });
      const oldId = await scene.make(path, { name: old, scopes: ['channels:read'] });
      const { status } = await scene.posthorn.request('DELETE', `${path}/${oldId}`, undefined, scene.key);
      expect(status).toBeLessThan(300);
      const named = (each: string): Locator => page.getByRole('grid', { name }).getByRole('link', { name: each });
      await dashboard.open(`/${list}`);
      await named(old).waitFor();
      await page.getByRole('button', { name: 'View: All' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Active' }).click();
      await page.keyboard.press('Escape');
      await named(old).waitFor({ state: 'detached' });
      await named(used).click();
      await page.getByRole('complementary', { name: details }).getByRole('heading', { name: used }).waitFor();
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ status: 'active' });
      await dashboard.open(`/${list}?status=expired`);
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await named(old).waitFor();
    }
  });
});
