import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';

describeWithBrowser('connections and secrets in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered));

  const panel = (): Locator => dashboard.page.getByRole('complementary', { name: 'Connection' });
  const connections = (): Locator => dashboard.page.getByRole('table', { name: 'Your connections' });
  const filter = (): Locator => dashboard.page.getByRole('combobox', { name: 'Filter' });
  const write = async (text: string): Promise<void> => {
    await filter().fill(text);
    await dashboard.page.keyboard.press('Escape');
    await filter().press('Enter');
  };

  test('a service is found in the catalogue, connected, tested and corrected, and its key is never shown', async () => {
    const { page } = dashboard;
    receiver.answerWith([
      (response, { headers }) => void response.writeHead(headers['x-key'] === 'key number 7' ? 200 : 401).end(),
    ]);
    await dashboard.open('/connectors');
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Email', exact: true }).click();
    await page.getByRole('link', { name: /^Mailgun/ }).waitFor();
    expect(await page.getByRole('link', { name: /^Slack/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByLabel('Search connectors').fill('key in a header');
    await page.getByRole('link', { name: /^HTTP/ }).first().click();
    await page.getByRole('heading', { name: 'HTTP', level: 1 }).waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await page.getByRole('button', { name: 'Connect' }).click();
    const dialog = page.getByRole('dialog', { name: /^(?:Connect|Edit) / });
    await dialog.getByLabel('Name').fill('Till service');
    const fill = async (value: string): Promise<void> => {
      await dialog.getByLabel('baseUrl').fill(receiver.url.replace(/\/$/, ''));
      await dialog.getByLabel('header').fill('X-Key');
      await dialog.getByLabel('value').fill(value);
    };
    await fill('wrong');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await panel()
      .getByRole('heading', { name: /^Till service/ })
      .waitFor();
    await panel().getByRole('button', { name: 'Test connection' }).click();
    await panel()
      .getByRole('status')
      .getByText(/^Failed: .*401/)
      .waitFor();
    await connections()
      .getByRole('row', { name: /Failing Till service/ })
      .waitFor();
    await panel().getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await fill('key number 7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await panel().getByRole('button', { name: 'Test connection' }).click();
    await panel()
      .getByRole('status')
      .getByText(/^Passed/)
      .waitFor();
    await connections()
      .getByRole('row', { name: /Ready Till service/ })
      .waitFor();
    expect(await page.content()).not.toContain('key number 7');
  });

  // The outcome of a test was gone with the page, and nobody could tell which workflows a removal would break.
  test('a connection shows its last check and the workflows that use it, and is deleted', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/connections', {
      connectorId: 'http',
      name: 'CRM',
      credentials: { baseUrl: receiver.url.slice(0, -1), value: 'Bearer word' },
    });
    const ask = { action: 'connector', connectorId: 'http', operation: 'get', connectionId: id, params: { path: '/' } };
    const steps = [{ id: 'ask', type: 'action', config: ask }];
    const workflowId = await scene.make('/v1/workflows', { name: 'Tell the CRM', steps });
    await dashboard.open(`/connections?open=${id}`);
    const row = connections().getByRole('row', { name: /CRM/ });
    await panel().getByRole('link', { name: 'Tell the CRM' }).waitFor();
    receiver.answerWith([401, 200]);
    await panel().getByRole('button', { name: 'Test connection' }).click();
    await panel().getByText('The last check failed.').waitFor();
    await row.getByText('Failing').waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await panel().getByRole('button', { name: 'Test connection' }).click();
    await panel().getByText('The last check failed.').waitFor({ state: 'detached' });
    await row.getByText('Passed').waitFor();
    await panel().getByRole('link', { name: 'Tell the CRM' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/workflows/${workflowId}`));

    await dashboard.open(`/connections?open=${id}`);
    await panel().getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete connection' }).click();
    await row.waitFor({ state: 'detached' });
  });

  test('connections are filtered by their connector and status', async () => {
    const { page } = dashboard;
    await scene.make('/v1/connections', { connectorId: 'slack', name: 'Our Slack', credentials: { token: 'xoxb-1' } });
    await scene.make('/v1/connections', {
      connectorId: 'http',
      name: 'Our CRM',
      credentials: { baseUrl: 'https://crm.example.com', value: 'Bearer 1' },
    });
    const named = (name: string): Locator => connections().getByRole('link', { name });
    await dashboard.open('/connections?connector=slack');
    await named('Our Slack').waitFor();
    expect(await named('Our CRM').count()).toBe(0);
    await write('status:unauthorized');
    await page.getByRole('heading', { name: 'No connections match' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await named('Our CRM').waitFor();
    await dashboard.open('/connections?connector=Not%20One');
    await named('Our CRM').waitFor();
    await page.getByText('Ignored invalid filters:').waitFor();
  });

  test('a secret is created, named where it is used, and its value is never shown', async () => {
    const { page } = dashboard;
    await dashboard.open('/secrets');
    await page.getByRole('button', { name: 'Create secret' }).first().click();
    const dialog = page.getByRole('dialog', { name: /^Create secret/ });
    await dialog.getByLabel('Name').fill('crm token');
    await dialog.getByLabel('Value').fill('secret number 9');
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    await dialog
      .getByText(/capital letter/)
      .first()
      .waitFor();
    await dialog.getByLabel('Name').fill('CRM_TOKEN');
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    const row = page.getByRole('row', { name: /CRM_TOKEN/ });
    await row.getByText('Not used').waitFor();
    await scene.make('/v1/workflows', {
      name: 'Sync customers',
      steps: [
        {
          id: 'post',
          type: 'action',
          config: {
            action: 'http',
            url: 'https://crm.example.com',
            headers: { 'X-Tenant': '{{ secrets.CRM_TOKEN }}' },
          },
        },
      ],
    });
    await page.reload();
    await row.getByText('Sync customers').waitFor();
    await row.click();
    const details = page.getByRole('complementary', { name: 'Secret' });
    await details.getByText('{{ secrets.CRM_TOKEN }}').waitFor();
    await details.getByRole('link', { name: 'Sync customers' }).waitFor();
    expect(await page.content()).not.toContain('secret number 9');
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });

    await details.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const asked = page.getByRole('dialog', { name: /^Delete CRM_TOKEN\?/ });
    await asked.getByText('Used by Sync customers.').waitFor();
    await asked.getByRole('button', { name: 'Delete secret' }).click();
    await waitFor('the secret is gone', async () => (await row.count()) === 0);
  });

  test('secrets and inspectors are filtered by a part of their names', async () => {
    const { page } = dashboard;
    for (const name of ['CRM_TOKEN', 'SHOP_KEY']) await scene.make('/v1/secrets', { name, value: 'a token' });
    for (const name of ['First look', 'Till']) await scene.make('/v1/inspectors', { name });
    for (const [list, part, found, other] of [
      ['secrets', 'crm', 'CRM_TOKEN', 'SHOP_KEY'],
      ['inspect', 'LOOK', 'First look', 'Till'],
    ] as const) {
      const named = (name: string): Locator => page.getByRole('gridcell', { name, exact: true });
      await dashboard.open(`/${list}`);
      await named(other).waitFor();
      await write(`name:${part}`);
      await named(other).waitFor({ state: 'detached' });
      await named(found).waitFor();
      await dashboard.open(`/${list}?name=nobody`);
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await named(other).waitFor();
    }
  });
});
