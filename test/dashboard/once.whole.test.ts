import { expect, test } from '@jest/globals';
import type { Locator, Route } from 'playwright-core';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('once in a browser', () => {
  /** A form or button that is pressed again while its request is under way. Each press had an idempotency key of its own. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const count = async (path: string): Promise<number> => {
    const { body } = await scene.posthorn.request<{ data: unknown[] }>('GET', path, undefined, scene.key);
    return body.data.length;
  };

  /** Holds back each request that makes something, until `free`. `sent` are their paths. */
  async function holdBack(): Promise<{ sent: string[]; free: () => void }> {
    const sent: string[] = [];
    let free = (): void => undefined;
    const isFree = new Promise<void>((resolve) => (free = resolve));
    await dashboard.page.route('**/v1/**', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (route.request().method() !== 'POST' || pathname.endsWith('/dry-run')) return route.continue();
      sent.push(pathname);
      await isFree;
      return route.continue();
    });
    return { sent, free };
  }

  /** Presses it four times: a double click, and Enter twice in the field that has the focus, or at the button itself. */
  async function pressOften(button: Locator, field = button): Promise<void> {
    await button.dblclick();
    await field.focus();
    await dashboard.page.keyboard.press('Enter');
    await dashboard.page.keyboard.press('Enter');
  }

  const headed = (name: string | RegExp): Promise<void> =>
    dashboard.page.getByRole('heading', { name, level: 1 }).waitFor();

  test('a channel that is asked for four times is made once, and the button keeps the focus meanwhile', async () => {
    const { page } = dashboard;
    await dashboard.open('/channels/new');
    const before = await count('/v1/channels');
    const { sent, free } = await holdBack();
    await page.getByLabel('Name').fill('orders');
    const button = page.getByRole('dialog').getByRole('button', { name: 'Create channel' });
    await pressOften(button, page.getByLabel('Name'));
    await button.focus();
    expect(await button.evaluate((shown) => shown.ownerDocument.activeElement === shown)).toBe(true);
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expect(await dashboard.violations()).toEqual([]);
    free();
    await headed('orders');
    expect(sent).toEqual(['/v1/channels']);
    expect(await count('/v1/channels')).toBe(before + 1);
  });

  test('a message that is published four times is published once', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open(`/messages/new?channel=${channelId}`);
    const drawer = page.getByRole('dialog', { name: /^Publish message/ });
    const type = drawer.getByRole('combobox', { name: 'Event type' });
    await type.fill('order.created');
    // Who would receive it is asked meanwhile, by a POST too.
    await drawer.getByText('The channel has no subscriptions.', { exact: false }).waitFor();
    const { sent, free } = await holdBack();
    await pressOften(drawer.getByRole('button', { name: 'Publish message' }), type);
    free();
    await headed(/^order\.created/);
    expect(sent).toEqual([`/v1/channels/${channelId}/messages`]);
    expect(await count(`/v1/channels/${channelId}/messages`)).toBe(1);
  });

  test('a subscription that is asked for four times is made once, and its test is sent once', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    const drawer = page.getByRole('dialog', { name: /^Create subscription/ });
    await drawer.getByLabel('Endpoint URL').fill('https://example.com/hook');
    await drawer.getByLabel('Name', { exact: true }).fill('Till');
    const making = await holdBack();
    await pressOften(
      drawer.getByRole('button', { name: 'Create subscription' }),
      drawer.getByLabel('Name', { exact: true }),
    );
    making.free();
    await headed('Till');
    expect(making.sent).toEqual(['/v1/subscriptions']);
    expect(await count('/v1/subscriptions')).toBe(1);

    const id = /sub_\w+/.exec(page.url())?.[0] ?? '';
    await page.unrouteAll();
    const testing = await holdBack();
    await pressOften(page.getByRole('button', { name: 'Send test event' }));
    testing.free();
    await page.waitForURL(/\/messages\/msg_\w+$/);
    expect(testing.sent).toEqual([`/v1/subscriptions/${id}/test`]);
  });

  test('a key that is asked for four times is made once, and a second one can be made afterwards', async () => {
    const { page } = dashboard;
    await dashboard.open('/api-keys');
    const before = await count('/v1/api-keys');
    const make = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Create API key' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill(name);
      const { sent, free } = await holdBack();
      await pressOften(dialog.getByRole('button', { name: 'Create API key' }), dialog.getByLabel('Name'));
      free();
      await dialog.getByRole('region', { name: 'Key', exact: true }).waitFor();
      expect(sent).toEqual(['/v1/api-keys']);
      await page.unrouteAll();
      // Nobody can read it again.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      expect(await dialog.getByRole('region', { name: 'Key', exact: true }).isVisible()).toBe(true);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await make('Till 7');
    await make('Till 8');
    expect(await count('/v1/api-keys')).toBe(before + 2);
  });

  test('the second half of a double click presses nothing of what the answer has brought', async () => {
    const { page } = dashboard;
    await dashboard.open('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Till 7');
    await dialog.getByRole('button', { name: 'Create API key' }).click();
    const kept = dialog.getByRole('button', { name: 'Done' });
    await kept.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await dialog.getByRole('region', { name: 'Key', exact: true }).waitFor();
    await kept.click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('a form that could not be sent is sent at the next press', async () => {
    const { page } = dashboard;
    const before = await count('/v1/channels');
    await dashboard.open('/channels/new');
    const lose = (route: Route): Promise<void> =>
      route.request().method() === 'POST' ? route.abort() : route.continue();
    await page.route('**/v1/**', lose);
    await page.getByLabel('Name').fill('orders');
    const button = page.getByRole('dialog').getByRole('button', { name: 'Create channel' });
    await button.dblclick();
    await page.getByRole('alert').waitFor();
    expect(await button.getAttribute('aria-disabled')).toBeNull();
    await page.unroute('**/v1/**', lose);
    await page.getByLabel('Name').press('Enter');
    await headed('orders');
    expect(await count('/v1/channels')).toBe(before + 1);
  });
});
