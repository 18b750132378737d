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

  test('connections are found by their connector and by their state', async () => {
    const { page } = dashboard;
    await scene.make('/v1/connections', { connectorId: 'slack', name: 'Our Slack', credentials: { token: 'xoxb-1' } });
    // A few connections need no filters.
    for (const name of ['Our CRM', 'Our ERP', 'Our till', 'Our depot', 'Our shop'])
      await scene.make('/v1/connections', {
        connectorId: 'http',
        name,
        credentials: { baseUrl: 'https://crm.example.com', value: 'Bearer 1' },
      });
    await dashboard.open('/connections?connector=Not%20One');
    await page.getByText('Ignored invalid filters: Connector Not One').waitFor();
    await page.getByRole('link', { name: 'Our CRM' }).waitFor();
    await ask('connector:slack', 'connector', 'slack');
    await page.getByRole('link', { name: 'Our CRM' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Our Slack' }).waitFor();
    await page.getByRole('heading', { name: 'Your connections' }).click();
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'No connections match' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Our CRM' }).waitFor();
  });

  test('secrets and inspectors are found by a part of their names', async () => {
    const { page } = dashboard;
    for (const name of ['CRM_TOKEN', 'SHOP_KEY']) await scene.make('/v1/secrets', { name, value: 'a token' });
    for (const name of ['First look', 'Till']) await scene.make('/v1/inspectors', { name });
    for (const [list, part, found, other] of [
      ['secrets', 'crm', 'CRM_TOKEN', 'SHOP_KEY'],
      ['inspect', 'LOOK', 'First look', 'Till'],
    ] as const) {
      await dashboard.open(`/${list}`);
      await page.getByRole('gridcell', { name: other, exact: true }).waitFor();
      await ask(`name:${part}`, 'name', part);
      await page.getByRole('gridcell', { name: other, exact: true }).waitFor({ state: 'detached' });
      await page.getByRole('gridcell', { name: found, exact: true }).waitFor();
      await take(`Name is ${part}`);
      await ask('name:nobody', 'name', 'nobody');
      await page.getByRole('heading', { name: /^No (?:secrets|inspectors) match$/ }).waitFor();
    }
  });

  test('requests at an inspector are found by the verdict on their signature', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/inspectors', { name: 'Verdicts' });
    const send = (headers: Record<string, string>) =>
      fetch(`${scene.posthorn.url}/inspect/${id}`, { method: 'POST', body: 'x', headers });
    await send({});
    await send({ 'webhook-signature': 'v1,odd' });
    await dashboard.open(`/inspect/${id}`);
    await page.getByRole('row', { name: /Unsigned/ }).waitFor();
    await page.getByRole('heading', { name: 'Verdicts', level: 1 }).click();
    await page.keyboard.press('e');
    await page.getByRole('row', { name: /Unsigned/ }).waitFor({ state: 'detached' });
    await page.getByRole('row').nth(1).click();
    await page.getByRole('complementary', { name: 'Request' }).waitFor();
    expect(searchOf()).toMatchObject({ verdict: 'failed' });
    await take('Signature is Invalid');
    await ask('verdict:unsigned', 'verdict', 'unsigned');
    await page.getByRole('row', { name: /Unsigned/ }).waitFor();
    await take('Signature is Unsigned');
    await ask('verdict:verified', 'verdict', 'verified');
    await page.getByRole('heading', { name: 'No requests match' }).waitFor();
  });
});
