import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('operators in a browser', () => {
  /** Stories of people who operate the service. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });

  test('a deployment is marked, and what has failed since is one click away', async () => {
    const { page } = dashboard;
    receiver.answerWith([(response) => void response.writeHead(500).end('no')]);
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await scene.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } });
    const publish = (): Promise<string> =>
      scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    const failed = async (): Promise<number> => {
      const path = '/v1/deliveries?status=failed';
      return (await scene.posthorn.request<{ data: unknown[] }>('GET', path, undefined, scene.key)).body.data.length;
    };
    await publish();
    await waitFor('the first failure', async () => (await failed()) === 1);

    await dashboard.open('/overview');
    const dialog = page.getByRole('dialog', { name: /^Mark deployment/ });
    const mark = page.getByRole('button', { name: 'Mark deployment' });
    await mark.click();
    await dialog.getByLabel('Name').fill('Deploy 4.2');
    await dialog.getByRole('button', { name: 'Mark deployment' }).click();
    await dialog.waitFor({ state: 'detached' });
    await publish();
    await waitFor('the second failure', async () => (await failed()) === 2);

    await dashboard.open('/deliveries?status=failed');
    const rows = page.getByRole('grid', { name: 'Deliveries' }).getByRole('row', { name: /order\.created/ });
    await waitFor('both failures', async () => (await rows.count()) === 2);
    await page.getByRole('button', { name: 'Time range: Any time' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Since Deploy 4.2' }).click();
    await page.getByRole('button', { name: 'Time range: Since Deploy 4.2' }).waitFor();
    await waitFor('the second failure alone', async () => (await rows.count()) === 1);
    await page.keyboard.press('Escape');
    expect(await dashboard.violations()).toEqual([]);

    // One that nobody marked in time is marked later, in the zone of the reader.
    const at = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19);
    await dashboard.open('/overview');
    await mark.click();
    await dialog.getByLabel('Name').fill('Deploy 4.1');
    await dialog.getByLabel('Deployed at (UTC)').fill(at);
    await dialog.getByRole('button', { name: 'Mark deployment' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await scene.posthorn.request('GET', '/v1/markers', undefined, scene.key);
    expect(body).toMatchObject({ data: [{ name: 'Deploy 4.2' }, { name: 'Deploy 4.1', at: `${at}.000Z` }] });
  });

  test('a filter is tried on the newest messages, with the values that it looks at beside them', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'filtered' });
    const subscription = await scene.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url });
    for (const total of [40, 250.5])
      await scene.make(`/v1/channels/${channelId}/messages`, {
        eventType: 'order.paid',
        payload: { order: { total } },
      });
    await dashboard.open(`/subscriptions/${subscription}?tab=settings`);
    const write = async (filter: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Filter', exact: true }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(filter);
    };
    await write('payload.order.total > 300');
    await page.getByText('0 of the last 2 messages match').waitFor();
    await page.getByText('order.total 250.5').waitFor();
    await write('payload.order.total > 100');
    await page.getByText('1 of the last 2 messages match').waitFor();
    // A name that no message has is not right, and the one that is meant is at hand.
    await write('payload.order.totl > 100');
    await page.getByText('Unknown field totl').waitFor();
    await page.getByRole('button', { name: 'total', exact: true }).click();
    await page.getByText('1 of the last 2 messages match').waitFor();
    // A filter that is half written has one reason, said once, and no id of a request.
    await write('payload.order.total >');
    const reason = page.getByText(/line 1/);
    await reason.waitFor();
    expect((await reason.innerText()).match(/line 1/gi)).toHaveLength(1);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a payload of 256 KiB is laid out as far as it is seen, and copied whole', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'large' });
    const lines = Array.from({ length: 2_600 }, (_, index) => ({
      sku: `A${index}`,
      name: 'A thing whose name is long, so that few members fill it up',
      total: 12.5,
    }));
    const payload = { lines };
    expect(JSON.stringify(payload).length).toBeGreaterThan(240_000);
    const id = await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload });
    await dashboard.open(`/messages/${id}`);
    await dashboard.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const shown = page.getByRole('group', { name: 'Payload', exact: true });
    for (const [from, to] of [
      ['Tree', 'Pretty'],
      ['Pretty', 'Raw'],
    ]) {
      await shown
        .getByRole('combobox')
        .filter({ hasText: from ?? '' })
        .click();
      await page.getByRole('option', { name: to ?? '' }).click();
      await shown.getByText('A0', { exact: false }).first().waitFor();
      // An element for each name and value, 15,600 of them, froze the page for seconds.
      expect(await shown.locator('*').count()).toBeLessThan(1_000);
      await shown.getByRole('button', { name: 'Copy payload' }).click();
      // `as`: the types of Node have no clipboard, and the page has one.
      const copied = await page.evaluate(() =>
        (navigator as unknown as { clipboard: { readText(): Promise<string> } }).clipboard.readText(),
      );
      expect(copied).toBe(JSON.stringify(payload));
      await shown.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
    }
  });

  test('the state of the service, and the ways of signing in, are shown to those who operate it', async () => {
    const { page } = dashboard;
    await dashboard.open('/service');
    await page.getByRole('heading', { name: 'System status', level: 1 }).waitFor();
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText('All systems normal').waitFor();
    await page.getByRole('table', { name: 'Workers' }).getByText('Online').waitFor();
    await page.getByRole('table', { name: 'Checks' }).getByRole('cell', { name: 'Row-level security' }).waitFor();
    await page.getByRole('table', { name: 'Largest tables' }).getByText('deliveries', { exact: true }).waitFor();
    expect(await dashboard.violations()).toEqual([]);

    // The page gave no verdict: its reader added up the tables.
    await page.route('**/v1/service', async (route) => {
      const response = await route.fetch();
      const reasons = [
        { code: 'no_worker', verdict: 'down', message: 'No worker is running' },
        { code: 'temporal_unreachable', verdict: 'degraded', message: 'Temporal does not answer' },
      ];
      const body: unknown = await response.json();
      await route.fulfill({ response, json: { ...(body as object), verdict: 'down', reasons } });
    });
    await page.reload();
    await health.getByText('Down').waitFor();
    const told = page.getByRole('list', { name: 'Reasons' }).getByRole('listitem');
    await told.first().getByText('No worker is running').waitFor();
    expect(await told.allInnerTexts()).toEqual([expect.stringContaining('Down'), expect.stringContaining('Degraded')]);
    expect(await dashboard.violations()).toEqual([]);

    await dashboard.open('/sign-in-settings');
    await page.getByText('Valid for localhost only').waitFor();
    await page.getByText('12 h').waitFor();
  });
});
