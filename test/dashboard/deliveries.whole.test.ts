import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { createChannel, createSubscription, deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { storeFailedDeliveries } from '../support/make/failed-deliveries.ts';
import { OWNER, setUpAnew } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { type Dashboard, openDashboard } from '../support/world/dashboard.ts';
import { createReceivers } from '../support/world/receiver.ts';

describeWithBrowser('deliveries with a worker, in a browser', () => {
  let posthorn: TestPosthorn;
  let browser: Browser;
  let dashboard: Dashboard & { close: () => Promise<void> };
  const receivers = createReceivers();
  /** A delivery whose second attempt delivered it with another header, and one that failed. */
  let delivered: string;
  let failed: string;
  /** Where both belong. Tests create others. */
  let ours: { channelId: string; subscriptionId: string };

  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { TEMPORAL_UI_URL: 'https://temporal.example.com/ui/' } });
    await setUpAnew(posthorn);
    browser = await launchBrowser();
    const receiver = await receivers.start({ answers: [503, 200, 418] });
    const { id: channelId } = await createChannel(posthorn);
    const { id: subscriptionId } = await createSubscription(posthorn, {
      channelId,
      name: 'Counter',
      webhookUrl: `${receiver.url}?token=s3cret`,
      retryPolicy: { maxRetries: 0 },
      headers: { 'X-Shop': 'Berlin', 'X-Api-Key': 'k1' },
    });
    ours = { channelId, subscriptionId };
    const idOf = async (message: { id: string }): Promise<string> => (await deliveryOf(posthorn, message.id))?.id ?? '';
    const first = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, first.id, 'failed');
    await posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { headers: { 'X-Shop': 'Bonn' } });
    delivered = await idOf(first);
    await posthorn.request('POST', `/v1/deliveries/${delivered}/retry`);
    await waitForDelivery(posthorn, first.id, 'delivered');
    const second = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, second.id, 'failed');
    failed = await idOf(second);
    await posthorn.deps.pool.query('UPDATE deliveries SET response_latency_ms = 6000 WHERE id = $1', [delivered]);
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

  const status = (): Locator => dashboard.page.getByRole('region', { name: 'Status' });
  const rowOf = (id: string): Locator =>
    dashboard.page.getByRole('row').filter({ has: dashboard.page.getByRole('button', { name: `(${id})` }) });

  test('a delivery is named after its event type and its subscription, shows its request without secrets, and compares attempts', async () => {
    const { page } = dashboard;
    await dashboard.open(`/deliveries/${delivered}`, 'live');
    await page.getByRole('heading', { name: 'order.created to Counter', level: 1 }).waitFor();
    await status().getByText('Delivered on attempt 2.').waitFor();
    expect(await page.title()).toBe('order.created → Counter · Test');
    const request = page.getByRole('group', { name: 'Request', exact: true }).first();
    await request.getByText('webhook-signature').waitFor();
    const sent = (await request.textContent()) ?? '';
    expect(sent).toContain('webhook-signaturenot kept');
    expect(sent).toMatch(/"id": ?"msg_[a-z0-9]+"/);
    expect(await page.content()).not.toContain('s3cret');
    // The Temporal workflow of the attempt, in the UI that the operator has named.
    await page.getByRole('button', { name: 'More actions' }).click();
    const temporal = page.getByRole('menuitem', { name: 'Open in Temporal' });
    expect(await temporal.getAttribute('href')).toMatch(
      /^https:\/\/temporal\.example\.com\/ui\/namespaces\/default\/workflows\/\S+$/,
    );
    await page.keyboard.press('Escape');

    // The failures alone, of attempts of which one delivered it.
    const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('button');
    expect(await attempts.count()).toBe(2);
    await page.getByRole('checkbox', { name: 'Failed only' }).check();
    await waitFor('one attempt', async () => (await attempts.count()) === 1);
    await page.getByRole('checkbox', { name: 'Failed only' }).uncheck();
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: /^Attempt 1 of 2/ }).waitFor();
    await page.keyboard.press('[');
    await page.getByRole('heading', { name: /^Attempt 2 of 2/ }).waitFor();

    await page.getByRole('button', { name: 'Compare' }).click();
    const table = page.getByRole('table', { name: 'Differences' });
    const rows = (await table.getByRole('row').allTextContents()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect(rows).toEqual(
      expect.arrayContaining([
        'PartAttempt 1Attempt 2',
        'Result faileddelivered',
        'Status code 503200',
        'Request version 12',
        'Request header X-ShopBerlinBonn',
      ]),
    );
    expect(rows.some((row) => row.includes('URL'))).toBe(false);
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
  });

  test('attempts are counted from the last retry, as the policy does, and a delivered one is sent again only once that was asked', async () => {
    const { page } = dashboard;
    const receiver = await receivers.start({ answers: [500, 500, 200] });
    const { id: channelId } = await createChannel(posthorn);
    const target = { channelId, name: 'Till', webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } };
    await createSubscription(posthorn, target);
    const { id: messageId } = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, messageId, 'failed');
    const id = (await deliveryOf(posthorn, messageId))?.id ?? '';
    await dashboard.open(`/deliveries/${id}`, 'live');
    await status().getByText('after 1 attempt', { exact: false }).waitFor();
    await status().getByRole('link', { name: 'Open dead letter' }).waitFor();
    const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('button');
    const retry = page.getByRole('button', { name: /^Retry now/ });
    await retry.click();
    await page.getByText('Retry queued').first().waitFor();
    await waitFor('the second attempt', async () => (await attempts.count()) === 2);
    await status().getByText('gave up', { exact: false }).waitFor();
    await retry.click();
    await status().getByText('Delivered on attempt 3.').waitFor();

    await retry.click();
    const dialog = page.getByRole('dialog', { name: /Deliver again\?/ });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(receiver.requests).toHaveLength(3);
    await retry.click();
    const go = dialog.getByRole('button', { name: 'Deliver again' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Till to confirm').fill('Till');
    await go.click();
    await waitFor('the fourth attempt', async () => (await attempts.count()) === 4);
    expect(receiver.requests).toHaveLength(4);
  });

  test('deliveries are filtered by name, class, status code and latency, and the filters are saved as a view', async () => {
    const { page } = dashboard;
    await dashboard.open('/deliveries', 'live');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    const write = async (text: string): Promise<void> => {
      await filter.fill(text);
      await page.keyboard.press('Escape');
      await filter.press('Enter');
    };
    const shows = async (wanted: string, other: string): Promise<void> => {
      await rowOf(wanted).waitFor();
      await rowOf(other).waitFor({ state: 'detached' });
    };
    // Subscriptions are chosen by their names: a name that was written found nothing.
    await filter.click();
    await page.getByRole('option', { name: /^Subscription/ }).click();
    await page.getByRole('option', { name: /^Counter/ }).click();
    await page.waitForURL((url) => url.searchParams.get('subscription') === ours.subscriptionId);
    await rowOf(failed).getByText('order.created').waitFor();
    await page.getByRole('button', { name: 'Remove filter: Subscription is Counter' }).click();
    await page.waitForURL((url) => url.search === '');
    await write('error:status answer:4xx');
    await page.waitForURL(/answer=4xx/);
    await shows(failed, delivered);

    const view = (name: string): Locator => page.getByRole('button', { name: `View: ${name}`, exact: true });
    const choose = async (from: string, item: string): Promise<void> => {
      await view(from).click();
      await page.getByRole('menu').getByText(item, { exact: true }).click();
    };
    await choose('Custom view', 'Save view…');
    await page.getByLabel('View name').fill('At the till');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await view('At the till').waitFor();
    await choose('At the till', 'Slow (> 5 s)');
    await page.waitForURL(/slow=5000/);
    await shows(delivered, failed);
    expect(page.url()).not.toContain('answer');
    await page.keyboard.press('Escape');
    await choose('Slow (> 5 s)', 'At the till');
    await shows(failed, delivered);
    await page.keyboard.press('Escape');
    await choose('At the till', 'Rename view…');
    await page.getByLabel('View name').fill('Teapots');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await view('Teapots').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.reload();
    await choose('Teapots', 'Delete view…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
    await view('Custom view').waitFor();
    await choose('Custom view', 'On hold');
    await page.getByRole('heading', { name: 'No deliveries match' }).waitFor();
  });

  test('all that a filter matches is counted and retried at once, and what was delivered is left alone', async () => {
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
    const { id: untouched } = await publish(posthorn, channelId);
    await waitForDelivery(posthorn, untouched, 'delivered');

    // Without a filter nobody asks for everything by one button.
    await dashboard.open('/deliveries', 'live');
    await rowOf(failed).waitFor();
    expect(await page.getByRole('button', { name: /^Retry all/ }).count()).toBe(0);
    await dashboard.open(`/deliveries?subscription=${subscriptionId}`, 'live');
    await page.getByRole('button', { name: /^Retry all/ }).click();
    const dialog = page.getByRole('dialog', { name: /Retry 2 deliveries\?/ });
    await dialog.getByText('Delivered, pending and discarded deliveries are skipped.').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    // In live the name of the app is typed: many deliveries have no name of their own.
    const go = dialog.getByRole('button', { name: 'Retry 2' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Test to confirm').fill('Test');
    await go.click();
    await page.waitForURL(/\/replays\/rty_/);
    for (const { id } of waiting) await waitForDelivery(posthorn, id, 'delivered');
    expect(await deliveryOf(posthorn, untouched)).toMatchObject({ attempts: 1 });
  });
});

describeWithBrowser('retries from the list of deliveries, in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  /** Failed deliveries of one subscription, newest first. */
  let ids: string[];
  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    ids = await storeFailedDeliveries(scene, 60);
    await dashboard.open('/deliveries?since=1h');
    await row(0).waitFor();
  });

  const panel = (): Locator => dashboard.page.getByRole('complementary', { name: 'Delivery' });
  const grid = (): Locator => dashboard.page.getByRole('grid', { name: 'Deliveries' });
  const row = (index: number): Locator => grid().locator(`[aria-rowindex="${index + 2}"]`);
  const bar = (): Locator => dashboard.page.getByRole('toolbar', { name: 'Selected rows' });
  const statusOf = async (id = ''): Promise<string> =>
    (await scene.posthorn.request<{ status: string }>('GET', `/v1/deliveries/${id}`, undefined, scene.key)).body.status;
  const areDue = (wanted: readonly string[]): Promise<unknown> =>
    waitFor('they are due again', async () =>
      (await Promise.all(wanted.map(statusOf))).every((status) => status === 'pending'),
    );

  // `message` was neither shown nor sent: the preview counted the whole environment.
  test('retrying all that match takes the message of the address, which is shown and can be taken away', async () => {
    const { page } = dashboard;
    const { rows } = await scene.posthorn.deps.pool.query<{ message: string }>(
      'SELECT message_id AS message FROM deliveries WHERE id = $1',
      [ids[5]],
    );
    const message = rows[0]?.message ?? '';
    await dashboard.open(`/deliveries?status=failed&message=${message}`);
    await page.getByRole('button', { name: /^Retry all/ }).click();
    await page.getByRole('dialog', { name: /Retry 1 delivery\?/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: `Remove filter: Message is ${message}` }).click();
    await page.waitForURL((url) => !url.searchParams.has('message'));
    await row(5).waitFor();
  });

  test('all of a time, a class of status codes and a latency are retried at once', async () => {
    const { page } = dashboard;
    const filter = page.getByRole('combobox', { name: 'Filter' });
    // A key for what is looked for most: only the failures.
    await page.keyboard.press('e');
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed,retrying');
    const counted = async (answer: string, title: RegExp): Promise<void> => {
      await filter.fill(`answer:${answer}`);
      await filter.press('Enter');
      await page.waitForURL((url) => url.searchParams.get('answer') === answer);
      await page.getByRole('button', { name: /^Retry all/ }).click();
      await page.getByRole('dialog', { name: title }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
    };
    await counted('4xx', /Retry 0 deliveries\?/);
    await page.getByRole('button', { name: 'Remove filter: Status code is 4xx' }).click();
    await page.waitForURL((url) => !url.searchParams.has('answer'));
    await counted('5xx', /Retry 60 deliveries\?/);
    await page.keyboard.press('e');
    await page.waitForURL((url) => !url.searchParams.has('status'));
  });

  // "Failures only" left out what had failed and is being retried.
  test('failing only are those that failed and those that are being retried', async () => {
    const { page } = dashboard;
    const [retried = '', , done = ''] = ids;
    const { pool } = scene.posthorn.deps;
    await pool.query(
      `UPDATE deliveries SET status = 'retrying', next_retry_at = now() + interval '1 hour' WHERE id = $1`,
      [retried],
    );
    await pool.query(`UPDATE deliveries SET status = 'delivered', response_status = 200 WHERE id = $1`, [done]);
    await dashboard.open('/deliveries?since=1h');
    await grid().getByText('Delivered').waitFor();
    await page.keyboard.press('e');
    await grid().getByText('Delivered').waitFor({ state: 'detached' });
    await grid().getByText('Retrying').waitFor();
    await grid().getByText('Failed').first().waitFor();
    await page.getByRole('button', { name: 'View: Custom view' }).waitFor();
  });

  // The question was no form, so Enter did nothing.
  test('Enter in a field of the question retries all that match', async () => {
    const { page } = dashboard;
    await dashboard.open('/deliveries?since=1h&status=failed');
    await page.getByRole('button', { name: /^Retry all/ }).click();
    const dialog = page.getByRole('dialog', { name: /Retry 60 deliveries\?/ });
    await dialog.getByLabel('Rate limit').fill('5');
    await dialog.getByLabel('Rate limit').press('Enter');
    await page.getByText('Retry started').first().waitFor();
    await page.waitForURL(/\/replays\/rty_/);
  });

  test('f leads to the filter, and r retries the delivery that is open', async () => {
    const { page } = dashboard;
    await page.keyboard.press('f');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    expect(await filter.evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.press('Escape');
    await grid().focus();
    await page.keyboard.press('Enter');
    await panel()
      .getByText(/gave up/i)
      .first()
      .waitFor();
    await page.keyboard.press('r');
    await page.getByText('Retry queued').first().waitFor();
    await areDue(ids.slice(0, 1));
  });

  // The key knew nothing but the row that is open.
  test('r retries the chosen row, or those that are selected', async () => {
    const { page } = dashboard;
    await grid().focus();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await areDue(ids.slice(1, 2));
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await bar().getByText('2 selected').waitFor();
    await page.keyboard.press('r');
    await areDue(ids.slice(2, 4));
    await bar().waitFor({ state: 'detached' });
    // Rows beside them stay as they are.
    expect(await Promise.all([ids[0], ids[4]].map(statusOf))).toEqual(['failed', 'failed']);
  });

  // The key asked nothing, and sent again what had arrived already. The button beside the rows did so as well.
  test('rows of which one was delivered are retried by r and by the button only once that was asked', async () => {
    const { page } = dashboard;
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await scene.posthorn.deps.pool.query(
      "UPDATE deliveries SET status = 'delivered', failure_reason = NULL, response_status = 200 WHERE id = $1",
      [ids[1]],
    );
    await dashboard.open('/deliveries?since=1h');
    await grid().getByText('Delivered').waitFor();
    await grid().focus();
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
    await bar().getByText('2 selected').waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: /Retry 2 deliveries\?/ });
    await dialog.getByText('1 of these were already delivered.', { exact: false }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(sent).toEqual([]);
    await bar()
      .getByRole('button', { name: /^Retry 2/ })
      .click();
    await dialog.getByRole('button', { name: 'Retry 2', exact: true }).click();
    await page.getByText('2 retries queued').first().waitFor();
    expect(sent.map((url) => new URL(url).pathname)).toEqual(ids.slice(0, 2).map((id) => `/v1/deliveries/${id}/retry`));
  });

  // A key that was held down asked for the retry once for each of its repeats. One that waits for its turn was asked for too, and refused.
  test('r that is held down retries once, and opens a delivery that waits for its turn anyway', async () => {
    const { page } = dashboard;
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await grid().focus();
    await page.keyboard.down('r');
    for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down('r');
    await page.keyboard.up('r');
    await page.getByText('Retry queued').first().waitFor();
    await row(0).getByText('Pending').waitFor();
    expect(sent).toHaveLength(1);
    await page.keyboard.press('r');
    await panel().waitFor();
    expect(sent).toHaveLength(1);
  });

  test('the outcome of a delivery counts down to its next attempt', async () => {
    const { page } = dashboard;
    const nextAt = new Date(Date.now() + 600_000);
    await scene.posthorn.deps.pool.query(
      `UPDATE deliveries SET status = 'retrying', attempts = 3, policy_attempts = 3, max_retries = 10, failure_reason = NULL, due_at = $2,
       next_retry_at = $2, response_latency_ms = 82 WHERE id = $1`,
      [ids[0], nextAt],
    );
    await page.clock.install();
    await dashboard.open(`/deliveries/${ids[0]}`);
    const outcome = page.getByRole('region', { name: 'Status' });
    await outcome.getByText('Attempt 3 of 11 returned 503 in 82 ms.').waitFor();
    await page.clock.pauseAt(nextAt.getTime() - 41_000);
    const left = async (): Promise<number> => Number(/in (\d+) s/.exec(await outcome.innerText())?.[1] ?? Number.NaN);
    // The clock stopped between two of its seconds.
    const first = await waitFor('the last minute', async () => ((await left()) <= 42 ? await left() : undefined));
    await page.clock.runFor(10_000);
    await waitFor('ten seconds less', async () => (await left()) <= first - 9 && (await left()) >= first - 11);
    // The rules of accessibility are looked at by timers.
    await page.clock.resume();
  });
});
