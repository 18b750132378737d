import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('inspect in a browser', () => {
  /** Stories of people who look at what arrives, at an address of the service itself. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered), { withWorker: true });

  test('a first message is delivered to no receiver of one’s own, seen, and answered with an error', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open('/overview');
    await page.getByRole('button', { name: 'No endpoint yet? Use an inspector' }).click();
    await page.getByLabel('URL').waitFor();
    const target = await page.getByLabel('URL').inputValue();
    expect(target).toMatch(/^http:\/\/localhost:\d+\/inspect\/ins_/);
    await page.getByRole('button', { name: 'Make a subscription' }).click();
    await page.getByRole('heading', { name: /^localhost/, level: 1 }).waitFor();

    await dashboard.open('/messages/new');
    const drawer = page.getByRole('dialog', { name: /^Publish message/ });
    await drawer.getByRole('combobox', { name: 'Event type' }).fill('order.created');
    await drawer.getByRole('textbox', { name: 'Payload', exact: true }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"total": 12.50}');
    await drawer.getByRole('button', { name: 'Publish message' }).click();
    await page.getByRole('heading', { name: /1 of 1 delivered/, level: 1 }).waitFor();

    await dashboard.open('/inspect');
    await page.getByRole('link', { name: 'First look' }).click();
    await page.getByRole('row', { name: /Valid.*POST/ }).click();
    const panel = page.getByRole('complementary', { name: 'Request' });
    await panel.getByText('A secret of the subscription has signed exactly this body.').waitFor();
    await panel.getByText('12.50').first().waitFor();
    await panel.getByText('webhook-signature', { exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Response: 200' }).click();
    const status = page.getByLabel('Status code');
    await status.fill('99');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await waitFor('the fault of the status', async () => (await status.getAttribute('aria-invalid')) === 'true');
    await status.fill('503');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Response: 503' }).waitFor();
    await scene.make(`/v1/channels/${await channelOf()}/messages`, { eventType: 'order.paid', payload: {} });
    // The new request waits behind a button: nothing moves under the reader.
    await page.getByRole('button', { name: /^\d+ new$/ }).click();
    await page
      .getByRole('row', { name: /Valid.*503/ })
      .first()
      .waitFor();

    const choose = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Clear requests…');
    await page.getByRole('dialog').getByRole('button', { name: 'Clear requests' }).click();
    await page.getByText('Requests cleared').first().waitFor();
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await choose('Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete inspector' }).click();
    await page.getByRole('heading', { name: 'No inspectors yet' }).waitFor();
  });

  test('hostile bytes in path, headers and body are shown as text', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/inspectors', { name: '<img src=x onerror=alert(1)>' });
    await fetch(`${scene.posthorn.url}/inspect/${id}/%3Cscript%3E?a=<b>`, {
      method: 'POST',
      headers: { 'x-note': '<img src=x onerror=alert(2)>' },
      body: '<img src=x onerror=alert(3)>',
    });
    await dashboard.open(`/inspect/${id}`);
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>', level: 1 }).waitFor();
    await page.getByRole('row', { name: /Unsigned.*POST/ }).click();
    const panel = page.getByRole('complementary', { name: 'Request' });
    await panel.getByText('<img src=x onerror=alert(2)>').waitFor();
    await panel.getByText('<img src=x onerror=alert(3)>').waitFor();
    expect(await dashboard.violations()).toEqual([]);
  });

  async function channelOf(): Promise<string> {
    const { body } = await scene.posthorn.request<{ data: { id: string }[] }>(
      'GET',
      '/v1/channels',
      undefined,
      scene.key,
    );
    return body.data[0]?.id ?? '';
  }
});
