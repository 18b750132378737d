import { expect, test } from '@jest/globals';
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
    await page.getByRole('row', { name: /Verified.*POST/ }).click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    await panel.getByText('A secret of the subscription has signed exactly this body.').waitFor();
    await panel.getByText('12.50').waitFor();
    await panel.getByText('webhook-signature', { exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Forced answer' }).click();
    await page.getByLabel('Status').fill('99');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.problem').getByText('200').waitFor();
    await page.getByLabel('Status').fill('503');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Answers 503, at once').waitFor();
    await scene.make(`/v1/channels/${await channelOf()}/messages`, { eventType: 'order.paid', payload: {} });
    // The new request waits behind a button: nothing moves under the reader.
    await page.getByRole('button', { name: /^\d+ new$/ }).click();
    await page
      .getByRole('row', { name: /Verified.*503/ })
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Forget requests' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget requests' }).click();
    await page.getByText('The requests are forgotten').waitFor();
    await page.getByText('Nothing has arrived').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No inspector yet').waitFor();
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
    await page.getByRole('row', { name: /Not signed.*POST/ }).click();
    const panel = page.getByRole('complementary', { name: 'Details' });
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
