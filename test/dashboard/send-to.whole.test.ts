import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';

describeWithBrowser('a message sent to one subscription, in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });

  const button = (): Locator => dashboard.page.getByRole('button', { name: 'Send to subscription…' });
  const dialog = (): Locator => dashboard.page.getByRole('dialog', { name: /^Send to a subscription/ });
  const send = (): Locator => dialog().getByRole('button', { name: 'Send message' });
  const rowOf = (name: string, status: string): Locator =>
    dashboard.page
      .getByRole('table', { name: 'Deliveries' })
      .getByRole('row', { name: new RegExp(`${status} ${name}`) });

  /** A message that nobody has received, and a subscription that was created after it, which its filter would leave out. */
  async function missed(fields: object = {}) {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const message = { eventType: 'order.created', payload: { total: 12 } };
    const messageId = await scene.make(`/v1/channels/${channelId}/messages`, message);
    const late = { channelId, name: 'billing', webhookUrl: receiver.url, filter: 'payload.total > 100', ...fields };
    const subscriptionId = await scene.make('/v1/subscriptions', late);
    return { channelId, messageId, subscriptionId };
  }

  /** Chooses a subscription by keyboard. */
  async function choose(name: string): Promise<void> {
    const { page } = dashboard;
    await dialog()
      .getByRole('combobox', { name: /^Subscription/ })
      .press('Enter');
    await page.getByRole('option', { name }).waitFor();
    await page.getByRole('option', { name }).click();
  }

  test('goes to a subscription that has missed it, whatever its filter says, and the delivery is shown with its state', async () => {
    const { page } = dashboard;
    const { messageId, subscriptionId } = await missed();
    await dashboard.open(`/messages/${messageId}`);
    await button().press('Enter');
    await send().press('Enter');
    await dialog().getByText('Choose a subscription of the channel').waitFor();
    await choose('billing');
    await dialog().getByText('Never delivered to this subscription').waitFor();
    expect(await dashboard.violations()).toEqual([]);

    await dialog().getByRole('button', { name: 'Equivalent request' }).press('Enter');
    await dialog().getByText(`/v1/messages/${messageId}/replay`, { exact: false }).first().waitFor();
    expect(await dialog().innerText()).toContain(`{"subscriptionId":"${subscriptionId}"}`);
    expect(receiver.requests).toEqual([]);

    await send().press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('Message sent to billing').first().waitFor();
    await waitFor('the focus is back', () => button().evaluate((each) => each.matches(':focus')));
    await rowOf('billing', 'Delivered').waitFor();
    expect(receiver.countOf(messageId)).toBe(1);
  });

  test('the question says what has become of the message there, and that a paused subscription puts it on hold', async () => {
    const { page } = dashboard;
    const { channelId, messageId, subscriptionId } = await missed({ filter: null });
    await scene.make(`/v1/messages/${messageId}/replay`, { subscriptionId });
    await waitFor('the first arrival', () => receiver.countOf(messageId) === 1);
    const paused = { channelId, name: 'archive', webhookUrl: receiver.url, status: 'paused' };
    await scene.make('/v1/subscriptions', paused);
    await dashboard.open(`/messages/${messageId}`);
    await rowOf('billing', 'Delivered').waitFor();

    await button().click();
    await choose('billing');
    await dialog().getByText('Already delivered. The endpoint receives it again with the same ID:').waitFor();
    await dialog().getByRole('link', { name: /^dlv_/ }).waitFor();
    await choose('archive');
    await dialog().getByText('Never delivered to this subscription').waitFor();
    await dialog().getByText('The delivery will be on hold: subscription paused').waitFor();
    await send().press('Enter');
    await rowOf('archive', 'On hold').waitFor();

    await button().click();
    await choose('archive');
    await dialog().getByText('It is being delivered already.', { exact: false }).waitFor();
    expect(await send().getAttribute('aria-disabled')).toBe('true');
    await choose('billing');
    await dialog().getByText('Already delivered.', { exact: false }).waitFor();
    expect(await send().getAttribute('aria-disabled')).not.toBe('true');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(receiver.countOf(messageId)).toBe(1);
  });

  test('one of many subscriptions is found by its name, and one of another channel is refused at the field', async () => {
    const { page } = dashboard;
    const { messageId, subscriptionId } = await missed({ name: 'cash desk' });
    await scene.posthorn.deps.pool.query(
      `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object('id', posthorn_id('sub'), 'name', 'newer ' || n))).*
     FROM subscriptions s CROSS JOIN generate_series(1, 101) n WHERE s.id = $1`,
      [subscriptionId],
    );
    const elsewhere = await scene.make('/v1/channels', { name: 'refunds' });
    await scene.make('/v1/subscriptions', { channelId: elsewhere, name: 'of refunds', webhookUrl: receiver.url });
    await dashboard.open(`/messages/${messageId}`);
    await button().click();
    const find = async (name: string): Promise<void> => {
      await dialog()
        .getByRole('combobox', { name: /^Subscription/ })
        .press('Enter');
      await page.getByPlaceholder('Search by name or ID').fill(name);
      await page.getByRole('option', { name }).click();
      await dialog().getByText('Never delivered to this subscription').waitFor();
    };
    await find('of refunds');
    await send().press('Enter');
    await dialog().getByText("names no subscription of the message's channel").waitFor();
    await find('cash desk');
    await dialog().getByText("names no subscription of the message's channel").waitFor({ state: 'detached' });
    await send().press('Enter');
    await rowOf('cash desk', 'Delivered').waitFor();
  });

  test('a channel without subscriptions leads to creating one, and what cannot be sent is not offered', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const path = `/v1/channels/${channelId}/messages`;
    const message = { eventType: 'order.created', payload: { total: 12 } };
    const messageId = await scene.make(path, message);
    const waiting = await scene.make(path, { ...message, delay: 3_600_000 });
    await dashboard.open(`/messages/${messageId}`);
    await button().click();
    await dialog().getByText('The channel has no subscriptions.').waitFor();
    await dialog().getByRole('link', { name: 'Create subscription' }).press('Enter');
    await page.waitForURL(
      (url) => url.pathname.endsWith('/subscriptions/new') && url.searchParams.get('channel') === channelId,
    );

    await scene.posthorn.request('DELETE', `/v1/messages/${messageId}`, undefined, scene.key);
    for (const id of [messageId, waiting]) {
      await dashboard.open(`/messages/${id}`);
      await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
      expect(await button().count()).toBe(0);
    }
  });
});
