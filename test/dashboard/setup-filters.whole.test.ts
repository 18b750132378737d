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

  /** Writes filters into the field of a list of the second version, which has one for all of them. */
  async function write(query: string): Promise<void> {
    const field = filters().getByRole('combobox', { name: 'Filter' });
    await field.fill(query);
    await dashboard.page.keyboard.press('Escape');
    await field.press('Enter');
  }

  /** Writes a query into the field of all filters, and waits until the address has it. */
  async function ask(query: string, name: string, value: string): Promise<void> {
    const field = filters().getByRole('combobox', { name: 'Query' });
    await field.fill(query);
    await field.press('Enter');
    await dashboard.page.waitForURL((url) => url.searchParams.get(name) === value);
  }

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
      await write('status:active');
      await page.waitForURL((url) => url.searchParams.get('status') === 'active');
      await grid(heading).getByRole('link', { name: old }).waitFor({ state: 'detached' });
      await grid(heading).getByRole('link', { name: used }).click();
      await page.getByRole('complementary').getByRole('heading', { name: used }).waitFor();
      expect(searchOf()).toMatchObject({ status: 'active' });
      await page.getByRole('button', { name: 'Remove filter: Status is Active' }).click();
      await write('status:revoked');
      await grid(heading).getByRole('link', { name: old }).waitFor();
      expect(await grid(heading).getByRole('link', { name: used }).count()).toBe(0);
      await page.getByRole('button', { name: 'Remove filter: Status is Revoked' }).click();
      await write('status:expired');
      await page.getByRole('heading', { name: `No ${heading} match`.replace('No M', 'No m') }).waitFor();
    }
  });

  test('connections are found by their connector and by their state', async () => {
    const { page } = dashboard;
    await scene.make('/v1/connections', { connectorId: 'slack', name: 'Our Slack', credentials: { token: 'xoxb-1' } });
    await scene.make('/v1/connections', {
      connectorId: 'http',
      name: 'Our CRM',
      credentials: { baseUrl: 'https://crm.example.com', value: 'Bearer 1' },
    });
    await dashboard.open('/connections?connector=Not%20One');
    await filters().getByText('nothing can have that value: Connector Not One').waitFor();
    await page.getByRole('link', { name: 'Our CRM' }).waitFor();
    await filters().getByLabel('Connector').locator('option', { hasText: 'Slack' }).waitFor({ state: 'attached' });
    await ask('connector:slack', 'connector', 'slack');
    await page.getByRole('link', { name: 'Our CRM' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Our Slack' }).waitFor();
    await filters().getByRole('button', { name: 'Failures only' }).click();
    await page.locator('.empty').getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Our CRM' }).waitFor();
  });

  test('secrets and inspectors are found by a part of their names', async () => {
    const { page } = dashboard;
    for (const name of ['CRM_TOKEN', 'SHOP_KEY']) await scene.make('/v1/secrets', { name, value: 'a token' });
    for (const name of ['First look', 'Till']) await scene.make('/v1/inspectors', { name });
    const cell = (name: string) => page.getByRole('gridcell', { name, exact: true });
    await dashboard.open('/secrets');
    await cell('SHOP_KEY').waitFor();
    await write('name:crm');
    await cell('SHOP_KEY').waitFor({ state: 'detached' });
    await cell('CRM_TOKEN').waitFor();
    await page.getByRole('button', { name: 'Remove filter: Name is crm' }).click();
    await write('name:nobody');
    await page.getByRole('heading', { name: 'No secrets match' }).waitFor();

    await dashboard.open('/inspect');
    await cell('Till').waitFor();
    await ask('name:LOOK', 'name', 'LOOK');
    await cell('Till').waitFor({ state: 'detached' });
    await cell('First look').waitFor();
    await ask('name:nobody', 'name', 'nobody');
    await page.locator('.empty').getByRole('heading', { name: 'None match' }).waitFor();
  });

  test('requests at an inspector are found by the verdict on their signature', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/inspectors', { name: 'Verdicts' });
    const send = (headers: Record<string, string>) =>
      fetch(`${scene.posthorn.url}/inspect/${id}`, { method: 'POST', body: 'x', headers });
    await send({});
    await send({ 'webhook-signature': 'v1,odd' });
    await dashboard.open(`/inspect/${id}`);
    await page.getByRole('row', { name: /Not signed/ }).waitFor();
    await filters().getByRole('button', { name: 'Failures only' }).click();
    await page.getByRole('row', { name: /Not signed/ }).waitFor({ state: 'detached' });
    await page.getByRole('row').nth(1).click();
    await page.getByRole('complementary', { name: 'Details' }).waitFor();
    expect(searchOf()).toMatchObject({ verdict: 'failed' });
    await filters().getByLabel('Signature').selectOption('unsigned');
    await page.getByRole('row', { name: /Not signed/ }).waitFor();
    await filters().getByLabel('Signature').selectOption('verified');
    await page.locator('.empty').getByRole('heading', { name: 'None match' }).waitFor();
  });
});
