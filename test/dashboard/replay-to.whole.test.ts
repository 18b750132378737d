import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('replay to in a browser', () => {
  /** One message to one subscription, from the page of the message. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });

  const DIALOG = 'Replay this message to one subscription';

  /** A message that nobody has had, and a subscription that was made after it, which its filter would leave out. */
  async function missed(fields: object = {}) {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const message = { eventType: 'order.created', payload: { total: 12 } };
    const messageId = await scene.make(`/v1/channels/${channelId}/messages`, message);
    const late = { channelId, name: 'billing', webhookUrl: receiver.url, filter: 'payload.total > 100', ...fields };
    const subscriptionId = await scene.make('/v1/subscriptions', late);
    return { channelId, messageId, subscriptionId };
  }

  /** Opens the question of the page's button, by keyboard. */
  async function askFor(): Promise<Locator> {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Replay to…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: DIALOG });
    await dialog.waitFor();
    return dialog;
  }

  test('a message goes to a subscription that has missed it, and its outcome is shown with the delivery', async () => {
    const { page } = dashboard;
    const { messageId, subscriptionId } = await missed();
    await dashboard.open(`/messages/${messageId}`);
    const dialog = await askFor();
    const subscription = dialog.getByLabel('Subscription');
    await subscription.waitFor();
    await dialog.getByRole('button', { name: 'Replay it' }).press('Enter');
    await dialog.locator('.problem').getByText('Choose a subscription of the channel').waitFor();
    await subscription.selectOption('billing');
    await dialog.getByText('The subscription has never had the message.').waitFor();
    expect(await dashboard.violations()).toEqual([]);

    await dialog.getByRole('button', { name: 'curl', exact: true }).press('Enter');
    const line = dialog.getByText(`/v1/messages/${messageId}/replay`);
    await line.waitFor();
    expect(await line.innerText()).toContain(`{"subscriptionId":"${subscriptionId}"}`);
    expect(receiver.requests).toEqual([]);

    await dialog.getByRole('button', { name: 'Replay it' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('Replay asked for').waitFor();
    expect(await page.getByRole('button', { name: 'Replay to…' }).evaluate((each) => each.matches(':focus'))).toBe(
      true,
    );
    const outcome = page.getByText('Replay to billing:');
    await outcome.getByText('Delivered').waitFor();
    expect(receiver.countOf(messageId)).toBe(1);
    await outcome.getByRole('link', { name: /^dlv_/ }).press('Enter');
    await page.getByRole('heading', { name: /^dlv_/, level: 1 }).waitFor();
    await page.getByRole('link', { name: messageId }).waitFor();
  });

  test('the question says what has become of the message there, and that a paused subscription lets it wait', async () => {
    const { page } = dashboard;
    const { channelId, messageId, subscriptionId } = await missed({ filter: null });
    await scene.make(`/v1/messages/${messageId}/replay`, { subscriptionId });
    await waitFor('the first arrival', () => receiver.countOf(messageId) === 1);
    const paused = { channelId, name: 'archive', webhookUrl: receiver.url, status: 'paused' };
    await scene.make('/v1/subscriptions', paused);
    await dashboard.open(`/messages/${messageId}`);
    await page.getByRole('row', { name: /Delivered billing/ }).waitFor();

    const dialog = await askFor();
    await dialog.getByLabel('Subscription').selectOption('billing');
    await dialog.getByText('The message has arrived there already.').waitFor();
    await dialog.getByRole('link', { name: /^dlv_/ }).waitFor();
    await dialog.getByLabel('Subscription').selectOption('archive');
    await dialog.getByText('The subscription has never had the message.').waitFor();
    await dialog.getByText('The delivery will wait: the subscription is paused.').waitFor();
    await dialog.getByRole('button', { name: 'Replay it' }).press('Enter');
    await page.getByText('Replay to archive:').getByText('Held').waitFor();

    await askFor();
    await dialog.getByLabel('Subscription').selectOption('archive');
    await dialog.getByText('The message is on its way there already.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Replay it' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Subscription').selectOption('billing');
    await dialog.getByText('The message has arrived there already.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Replay it' }).isDisabled()).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
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
    const dialog = await askFor();
    const subscription = dialog.getByLabel('Subscription');
    await subscription.and(page.locator('input')).waitFor();
    const write = async (name: string): Promise<void> => {
      await subscription.press('Control+a');
      await page.keyboard.type(name);
      await page.locator(`datalist option[value="${name}"]`).waitFor({ state: 'attached' });
      await dialog.getByText('The subscription has never had the message.').waitFor();
    };
    await write('of refunds');
    await dialog.getByRole('button', { name: 'Replay it' }).press('Enter');
    await dialog.locator('.problem').getByText("names no subscription of the message's channel").waitFor();

    await write('cash desk');
    await dialog.locator('.problem').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Replay it' }).press('Enter');
    await page.getByText('Replay to cash desk:').getByText('Delivered').waitFor();
  });

  test('a channel without subscriptions leads to making one, and what cannot be sent offers no replay', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const path = `/v1/channels/${channelId}/messages`;
    const message = { eventType: 'order.created', payload: { total: 12 } };
    const messageId = await scene.make(path, message);
    const waiting = await scene.make(path, { ...message, delay: 3_600_000 });
    await dashboard.open(`/messages/${messageId}`);
    const dialog = await askFor();
    await dialog.getByText('The channel has no subscription.').waitFor();
    await dialog.getByRole('link', { name: 'Subscribe to it' }).press('Enter');
    await page.getByRole('heading', { name: 'Make a subscription', level: 1 }).waitFor();

    await scene.posthorn.request('DELETE', `/v1/messages/${messageId}`, undefined, scene.key);
    for (const id of [messageId, waiting]) {
      await dashboard.open(`/messages/${id}`);
      await page.getByRole('heading', { name: id, level: 1 }).waitFor();
      expect(await page.getByRole('button', { name: 'Replay to…' }).count()).toBe(0);
    }
  });
});
