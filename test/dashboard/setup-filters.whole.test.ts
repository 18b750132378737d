import { expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('setup filters in a browser', () => {
  /** Filters of the lists beside those of the traffic: credentials, connections, secrets, inspectors. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const grid = (name: string) => dashboard.page.getByRole('grid', { name });
  const filters = () => dashboard.page.getByRole('search');
  const searchOf = (): Record<string, string> => Object.fromEntries(new URL(dashboard.page.url()).searchParams);

  /** Writes filters into the field for all of them, and waits until the address has one. */
  async function ask(query: string, name: string, value: string): Promise<void> {
    const field = filters().getByRole('combobox', { name: 'Filter' });
    await field.fill(query);
    await dashboard.page.keyboard.press('Escape');
    await field.press('Enter');
    await dashboard.page.waitForURL((url) => url.searchParams.get(name) === value);
  }
  const take = (filter: string) => dashboard.page.getByRole('button', { name: `Remove filter: ${filter}` }).click();

  // Keys that were revoked years ago stood among those that are in use, and nothing told them apart but a word in each row.
  test('active keys and credentials are told from revoked ones by a filter, which stays while one is opened', async () => {
    const { page } = dashboard;
    for (const [list, heading, path] of [
      ['api-keys', 'API keys', '/v1/api-keys'],
      ['machine-credentials', 'Machine credentials', '/v1/machine-credentials'],
    ] as const) {
      const [used, old] = [`${list} in use`, `${list} of last year`];
      await scene.make(path, { name: used, scopes: ['channels:read'] });
      const oldId = await scene.make(path, { name: old, scopes: ['channels:read'] });
      const { status } = await scene.posthorn.request('DELETE', `${path}/${oldId}`, undefined, scene.key);
      expect(status).toBeLessThan(300);
      await dashboard.open(`/${list}`);
      await grid(heading).getByRole('link', { name: old }).waitFor();
      await ask('status:active', 'status', 'active');
      await grid(heading).getByRole('link', { name: old }).waitFor({ state: 'detached' });
      await grid(heading).getByRole('link', { name: used }).click();
      await page.getByRole('complementary').getByRole('heading', { name: used }).waitFor();
      expect(searchOf()).toMatchObject({ status: 'active' });
      await take('Status is Active');
      await ask('status:revoked', 'status', 'revoked');
      await grid(heading).getByRole('link', { name: old }).waitFor();
      expect(await grid(heading).getByRole('link', { name: used }).count()).toBe(0);
      await take('Status is Revoked');
      await ask('status:expired', 'status', 'expired');
      await page.getByRole('heading', { name: `No ${heading} match`.replace('No M', 'No m') }).waitFor();
    }
  });
});
