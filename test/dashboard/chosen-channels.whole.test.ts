import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
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

  const FORMS = ['/messages/new', '/subscriptions/new', '/inbound/new?provider=github'];
  const drawer = (): Locator =>
    dashboard.page.getByRole('dialog', { name: /^(?:Publish message|Create subscription)/ });
  /** The name of the channel that the form begins with. */
  const opened = async (path: string): Promise<string> => {
    await dashboard.open(path);
    const form = path.startsWith('/inbound') ? dashboard.page.getByRole('main') : drawer();
    const choice = form.getByRole('combobox', { name: 'Channel' });
    await choice.waitFor();
    return (await choice.innerText()).trim();
  };
  const NONE = 'Choose a channel';

  // Regression: a form for a subscription began with the service's own channel where an app had no other.
  test('no form begins with the channel of the service, and a subscription is for it where its person has chosen it', async () => {
    const { page } = dashboard;
    const system = await systemChannelOf(scene.posthorn, scene.key);
    expect(await opened('/subscriptions/new')).toBe(NONE);
    await drawer().getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['posthorn.system']);
    await page.keyboard.press('Escape');
    expect(await opened(`/subscriptions/new?channel=${system}`)).toBe('posthorn.system');
    // Nobody else publishes to it.
    await dashboard.open(`/inbound/new?channel=${system}`);
    await page.getByRole('main').getByRole('link', { name: 'Create channel' }).waitFor();
    expect(await page.getByRole('main').getByRole('combobox').count()).toBe(0);
    await dashboard.open(`/messages/new?channel=${system}`);
    await drawer().getByRole('link', { name: 'Create channel' }).waitFor();
    expect(await drawer().getByRole('combobox').count()).toBe(0);
  });

  // The first of the list was chosen, and a message went to the wrong channel with one click.
  test('a form begins with the only channel, and with none of several until its person has chosen', async () => {
    const { page } = dashboard;
    const orders = await scene.make('/v1/channels', { name: 'orders' });
    for (const path of FORMS) expect([path, await opened(path)]).toEqual([path, 'orders']);
    const system = await systemChannelOf(scene.posthorn, scene.key);
    for (const path of ['/messages/new?', '/inbound/new?provider=github&'])
      expect([path, await opened(`${path}channel=${system}`)]).toEqual([path, 'orders']);

    const refunds = await scene.make('/v1/channels', { name: 'refunds' });
    for (const path of FORMS) {
      expect([path, await opened(path)]).toEqual([path, NONE]);
      expect(await opened(`${path}${path.includes('?') ? '&' : '?'}channel=${orders}`)).toBe('orders');
    }

    await opened('/messages/new');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await drawer().getByRole('combobox', { name: 'Event type' }).fill('refund.asked');
    const go = drawer().getByRole('button', { name: 'Publish message' });
    await go.click();
    const choice = drawer().getByRole('combobox', { name: 'Channel' });
    await waitFor('the fault of the channel', async () => (await choice.getAttribute('aria-invalid')) === 'true');
    expect(await dashboard.violations()).toEqual([]);
    await choice.click();
    await page.getByRole('option', { name: 'refunds' }).click();
    await go.click();
    await page.getByRole('heading', { name: /^refund\.asked/, level: 1 }).waitFor();
    expect(sent.filter((path) => path.endsWith('/messages'))).toEqual([`/v1/channels/${refunds}/messages`]);
  });

  test('a list of one channel leads to the form of that channel', async () => {
    const { page } = dashboard;
    const [orders] = [
      await scene.make('/v1/channels', { name: 'orders' }),
      await scene.make('/v1/channels', { name: 'refunds' }),
    ];
    await dashboard.open(`/messages?channel=${orders}`);
    await page.getByRole('link', { name: 'Publish message' }).first().click();
    const choice = drawer().getByRole('combobox', { name: 'Channel' });
    await choice.getByText('orders').waitFor();
    await dashboard.open(`/subscriptions?channel=${orders}`);
    await page.getByRole('link', { name: 'Create subscription' }).first().click();
    await choice.getByText('orders').waitFor();
  });
});
