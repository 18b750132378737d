import { expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('connection page in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered));

  // The outcome of a test was gone with the page, and nobody could tell which workflows a removal would break.
  test('a connection shows its last test in its list and at its page, and the workflows that use it', async () => {
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
    const panel = page.getByRole('complementary', { name: 'Connection' });
    const fact = (name: string) => panel.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]');
    const users = panel.getByRole('region', { name: 'Used by' });
    await fact('Last checked').getByText('Never', { exact: true }).waitFor();
    await users.getByRole('link', { name: 'Tell the CRM' }).waitFor();
    receiver.answerWith([401, 200]);
    await panel.getByRole('button', { name: 'Test connection' }).click();
    await panel.getByText('The last check failed.').waitFor();
    await panel.getByText('HTTP answered 401').first().waitFor();
    const row = page.getByRole('row', { name: /CRM/ });
    await row.getByText('Failing').waitFor();
    await row.getByText('Failed').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await panel.getByRole('button', { name: 'Test connection' }).click();
    await fact('Result').getByText('HTTP takes the credentials').waitFor();
    await row.getByText('Passed').waitFor();
    await users.getByRole('link', { name: 'Tell the CRM' }).click();
    await page.getByRole('heading', { name: 'Tell the CRM', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`/workflows/${workflowId}$`));
  });
});
