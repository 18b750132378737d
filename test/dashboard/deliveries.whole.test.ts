import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { createChannel, createSubscription, deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { OWNER, setUpAnew } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { type Dashboard, openDashboard } from '../support/world/dashboard.ts';
import { createReceivers } from '../support/world/receiver.ts';

describeWithBrowser('deliveries in a browser', () => {
  let posthorn: TestPosthorn;
  let browser: Browser;
  let dashboard: Dashboard & { close: () => Promise<void> };
  const receivers = createReceivers();
  /** A delivery whose second try arrived with another header, and one that failed. */
  let arrived: string;
  let failed: string;
  /** Where both belong. Tests make others. */
  let ours: { channelId: string; subscriptionId: string };

  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { TEMPORAL_UI_URL: 'https://temporal.example.com/ui/' } });
    await setUpAnew(posthorn);
    browser = await launchBrowser();
    const receiver = await receivers.start({ answers: [503, 200, 418] });
    const { id: channelId } = await createChannel(posthorn);
    const { id: subscriptionId } = await createSubscription(posthorn, {
      channelId,
      webhookUrl: `${receiver.url}?token=s3cret`,
      retryPolicy: { maxRetries: 0 },
      headers: { 'X-Shop': 'Berlin', 'X-Api-Key': 'k1' },
    });
    ours = { channelId, subscriptionId };
    const idOf = async (message: { id: string }): Promise<string> => (await deliveryOf(posthorn, message.id))?.id ?? '';
    const first = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, first.id, 'failed');
    await posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { headers: { 'X-Shop': 'Bonn' } });
    arrived = await idOf(first);
    await posthorn.request('POST', `/v1/deliveries/${arrived}/retry`);
    await waitForDelivery(posthorn, first.id, 'delivered');
    const second = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, second.id, 'failed');
    failed = await idOf(second);
    await posthorn.deps.pool.query('UPDATE deliveries SET response_latency_ms = 6000 WHERE id = $1', [arrived]);
    dashboard = await openDashboard(posthorn, { browser });
    await dashboard.signIn(OWNER);
  });
  afterAll(async () => {
    const { faults } = dashboard;
    await dashboard.close();
    await browser.close();
    await receivers.end();
    await posthorn.stop();
    expect(faults).toEqual([]);
  });

  test('a try shows its request without secrets, and two tries show only what differs', async () => {
    const { page } = dashboard;
    await dashboard.open(`/deliveries/${arrived}`, 'live');
    const newest = page.locator('details.attempt').first();
    await newest.getByRole('tab', { name: 'Request' }).click();
    await newest.getByText('?token=***').first().waitFor();
    expect(await newest.textContent()).not.toContain('s3cret');
    // The request as it was sent, in one piece to be copied: with its body, and with *** for what is secret.
    const request = await newest.locator('pre').innerText();
    expect(request).toMatch(/^POST \S+\n/);
    expect(request).toContain('\ncontent-type: application/json\n');
    expect(request).toContain('webhook-signature: ***');
    expect(request).toMatch(/\n\n\{"id":"msg_[a-z0-9]+","type":"/);
    await newest.getByRole('tab', { name: 'Timing' }).click();
    await newest.getByText('Wait before it').waitFor();
    // The Temporal workflow that made it, in the UI that the operator has named.
    const carrier = newest.getByRole('link', { name: /↗$/ });
    const id = (await carrier.innerText()).replace(/ ↗$/, '');
    expect(await carrier.getAttribute('href')).toBe(
      `https://temporal.example.com/ui/namespaces/default/workflows/${encodeURIComponent(id)}`,
    );
    await newest.getByRole('tab', { name: 'Answer' }).click();
    await newest.getByText('Headers of the answer').waitFor();

    // The failures alone, of tries of which one has arrived.
    expect(await page.locator('ol details.attempt').count()).toBe(2);
    await page.getByRole('checkbox', { name: 'Failures only' }).check();
    await waitFor('one try', async () => (await page.locator('ol details.attempt').count()) === 1);
    await page.getByRole('checkbox', { name: 'Failures only' }).uncheck();

    await page.getByText('Compare two tries').click();
    const table = page.getByRole('table');
    const rows = (await table.getByRole('row').allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(rows).toEqual(
      expect.arrayContaining([
        'PartTry 1Try 2',
        'Outcome faileddelivered',
        'Status 503200',
        'Version of the request 12',
        'Header of the request X-ShopBerlinBonn',
        'Header of the request X-Api-Key***',
      ]),
    );
    expect(rows.some((row) => row.includes('URL'))).toBe(false);
    expect(await dashboard.violations()).toEqual([]);
  });

  test('tries are counted from the last retry as the policy does, and one that has arrived is sent again only when asked', async () => {
    const { page } = dashboard;
    const receiver = await receivers.start({ answers: [500, 500, 200] });
    const { id: channelId } = await createChannel(posthorn);
    const target = { channelId, name: 'Till', webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } };
    await createSubscription(posthorn, target);
    const { id: messageId } = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, messageId, 'failed');
    const id = (await deliveryOf(posthorn, messageId))?.id ?? '';
    await dashboard.open(`/deliveries/${id}`, 'live');
    const sentence = page.locator('.sentence');
    await sentence.getByText('Try 1 of 1: got 500').waitFor();
    await page.getByRole('img', { name: 'One try, and no other.' }).waitFor();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('heading', { name: '2 tries' }).waitFor();
    // Told once the page is read anew: until then the button does nothing twice.
    await page.getByText('Retry asked for').waitFor();
    // The page said "Try 2 of 1": tries of all rounds beside the number that one round may have.
    await sentence.getByText('Try 1 of 1: got 500').waitFor();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await sentence.getByText(/got 200/).waitFor();

    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Deliver it once more?' });
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    expect(receiver.requests).toHaveLength(3);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await dialog.getByLabel('Type Till to confirm').fill('Till');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: '4 tries' }).waitFor();
    expect(receiver.requests).toHaveLength(4);
  });

  test('deliveries are filtered by class, answer and slowness, and the filters are kept as a view', async () => {
    const { page } = dashboard;
    await dashboard.open('/deliveries', 'live');
    const filters = page.getByRole('search');
    const shows = async (wanted: string, other: string): Promise<void> => {
      await page.getByRole('link', { name: wanted }).waitFor();
      await page.getByRole('link', { name: other }).waitFor({ state: 'detached' });
    };
    // Channels and subscriptions are chosen by their names: a name that was written found nothing.
    await filters.getByLabel('Channel').selectOption(ours.channelId);
    await page.waitForURL(/channel=chn_/);
    await page.getByRole('link', { name: failed }).waitFor();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: failed }) });
    await row.getByRole('gridcell', { name: 'order.created' }).waitFor();
    await filters.getByLabel('Subscription').selectOption(ours.subscriptionId);
    await page.waitForURL(/subscription=sub_/);
    await page.getByRole('link', { name: failed }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await filters.getByLabel('Last error').selectOption('status');
    await shows(failed, arrived);
    await filters.getByLabel('Last answer').fill('4xx');
    await filters.getByLabel('Last answer').press('Enter');
    await page.waitForURL(/answer=4xx/);
    await shows(failed, arrived);

    const views = page.getByRole('group', { name: 'Views' });
    await views.getByRole('button', { name: 'Save as view' }).click();
    await page.getByLabel('Name of the view').fill('At the till');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await views.getByRole('button', { name: 'At the till', pressed: true }).waitFor();

    await views.getByRole('button', { name: 'Slow (> 5 s)' }).click();
    await page.waitForURL(/slow=5000/);
    await shows(arrived, failed);
    expect(page.url()).not.toContain('answer');
    await views.getByRole('button', { name: 'At the till' }).click();
    await shows(failed, arrived);
    await views.getByRole('button', { name: 'Rename view' }).click();
    await page.getByLabel('Name of the view').fill('Teapots');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await views.getByRole('button', { name: 'Teapots', pressed: true }).waitFor();
    expect(await dashboard.violations()).toEqual([]);

    await page.reload();
    await views.getByRole('button', { name: 'Delete view' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
    await views.getByRole('button', { name: 'Teapots' }).waitFor({ state: 'detached' });
    await views.getByRole('button', { name: 'Held' }).click();
    await page.getByText('None match').waitFor();
  });

  test('all that a filter matches is counted, retried at once and seen to its end, what has arrived left alone', async () => {
    const { page } = dashboard;
    const receiver = await receivers.start({ answers: [503] });
    const { id: channelId } = await createChannel(posthorn);
    const hours = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000 };
    const { id: subscriptionId } = await createSubscription(posthorn, {
      channelId,
      webhookUrl: receiver.url,
      retryPolicy: hours,
    });
    const waiting = [await publish(posthorn, channelId), await publish(posthorn, channelId)];
    for (const { id } of waiting) await waitForDelivery(posthorn, id, 'retrying');
    receiver.answerWith([200]);
    const { id: delivered } = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, delivered, 'delivered');

    // Without a filter nobody asks for everything by one button.
    await dashboard.open('/deliveries', 'live');
    await page.getByRole('link', { name: failed }).waitFor();
    expect(await page.getByRole('button', { name: 'Retry all that match' }).count()).toBe(0);
    await dashboard.open(`/deliveries?subscription=${subscriptionId}`, 'live');
    await page.getByRole('button', { name: 'Retry all that match' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry all that match' });
    await dialog.getByText('2 deliveries match.').waitFor();
    await dialog.getByText('Deliveries that have arrived').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    // In live the name of the app is typed: many deliveries have no name of their own.
    const go = dialog.getByRole('button', { name: 'Retry them' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Test to confirm').fill('Test');
    await go.click();

    await page.waitForURL(/replays\?.*tab=deliveries/);
    await page.getByText('2 of 2 due again').waitFor();
    await page.getByText('Made before').waitFor();
    for (const { id } of waiting) await waitForDelivery(posthorn, id, 'delivered');
    expect(await deliveryOf(posthorn, delivered)).toMatchObject({ attempts: 1 });
    await page
      .getByRole('grid')
      .getByRole('row', { name: /2 of 2/ })
      .waitFor();
    expect(await dashboard.violations()).toEqual([]);
  });
});
