import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { systemChannelOf } from '../support/make/system-channel.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('chosen channels in a browser', () => {
  /** Forms of new things that belong to a channel. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const FORMS = ['/messages/new', '/subscriptions/new', '/inbound/new'];
  const channel = (): Locator => dashboard.page.getByLabel('Channel', { exact: true });
  const opened = async (path: string): Promise<string> => {
    await dashboard.open(path);
    await channel().waitFor();
    return channel().inputValue();
  };

  // Old: a form for a subscription began with the service's own channel where an app had no other.
  test('no form begins with the channel of the service, and a subscription is for it where its person has chosen it', async () => {
    const { page } = dashboard;
    const system = await systemChannelOf(scene.posthorn, scene.key);
    expect(await opened('/subscriptions/new')).toBe('');
    expect(await channel().locator('option').allInnerTexts()).toEqual(['Choose a channel', 'posthorn.system']);
    expect(await opened(`/subscriptions/new?channel=${system}`)).toBe(system);
    // Nobody else publishes to it.
    for (const path of ['/messages/new', '/inbound/new']) {
      await dashboard.open(`${path}?channel=${system}`);
      await page.getByRole('main').getByRole('link', { name: 'Make a channel' }).waitFor();
      expect([path, await channel().count()]).toEqual([path, 0]);
    }
  });

  // The first of the list was chosen, and a message went to the wrong channel with one click.
  test('a form begins with the only channel, and with none of several until its person has chosen', async () => {
    const { page } = dashboard;
    const orders = await scene.make('/v1/channels', { name: 'orders' });
    for (const path of FORMS) expect([path, await opened(path)]).toEqual([path, orders]);
    const system = await systemChannelOf(scene.posthorn, scene.key);
    for (const path of ['/messages/new', '/inbound/new'])
      expect([path, await opened(`${path}?channel=${system}`)]).toEqual([path, orders]);

    const refunds = await scene.make('/v1/channels', { name: 'refunds' });
    for (const path of FORMS) {
      expect([path, await opened(path)]).toEqual([path, '']);
      expect(await channel().locator('option:checked').innerText()).toBe('Choose a channel');
      expect(await opened(`${path}?channel=${orders}`)).toBe(orders);
    }

    await opened('/messages/new');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await page.getByLabel('Type', { exact: true }).fill('refund.asked');
    await page.getByRole('button', { name: 'Publish a message' }).click();
    expect(await channel().evaluate((element) => element.matches(':invalid:focus'))).toBe(true);
    expect(await dashboard.violations()).toEqual([]);
    await channel().selectOption('refunds');
    await page.getByRole('button', { name: 'Publish a message' }).click();
    await page.getByRole('heading', { name: /^msg_/, level: 1 }).waitFor();
    expect(sent).toEqual([`/v1/channels/${refunds}/messages`]);
  });

  test('a list of one channel leads to the form of that channel', async () => {
    const { page } = dashboard;
    const [orders] = [
      await scene.make('/v1/channels', { name: 'orders' }),
      await scene.make('/v1/channels', { name: 'refunds' }),
    ];
    await dashboard.open(`/messages?channel=${orders}`);
    await page.getByRole('main').getByRole('link', { name: 'Publish a message' }).first().click();
    await page.getByLabel('Payload', { exact: true }).waitFor();
    expect(await channel().inputValue()).toBe(orders);
    await dashboard.open(`/subscriptions?channel=${orders}`);
    await page.getByRole('main').getByRole('link', { name: 'Make a subscription' }).first().click();
    await page.getByLabel('URL', { exact: true }).waitFor();
    expect(await channel().inputValue()).toBe(orders);
  });
});
