import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('subscription form in a browser', () => {
  /** The rarer fields of a subscription. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  let channelId: string;

  // The figures are counted by a worker.
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });
  beforeEach(async () => {
    channelId = await scene.make('/v1/channels', { name: 'orders' });
  });

  const read = async <T>(path: string): Promise<T> => {
    const { body } = await scene.posthorn.request<T & object>('GET', path, undefined, scene.key);
    return body;
  };

  test('a receiver moves here with its secret, its headers and its limits, and each can be taken away again', async () => {
    const { page } = dashboard;
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await page.getByLabel('URL').fill('https://example.com/hook');
    await page.getByLabel('Name').fill('Till');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Time for an answer, ms').fill('5000');
    await page.getByLabel('Tries a second, at most').fill('20');
    await page.getByLabel('Requests at a time, at most').fill('3');
    await page.getByLabel('Owner').fill('customer-7');
    await page.getByLabel('Headers').fill('X-Shop: Berlin\nAuthorization: Bearer a:b\n');
    await page.getByLabel('Own signing secret').fill('whsec_short');
    await page.getByRole('button', { name: 'Make a subscription' }).click();
    await page
      .locator('.problem')
      .getByText(/whsec_/)
      .waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByLabel('Own signing secret').fill(secret);
    await page.getByRole('button', { name: 'Make a subscription' }).click();
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
    const id = /sub_\w+/.exec(page.url())?.[0] ?? '';
    const path = `/v1/subscriptions/${id}`;
    expect(await read(path)).toMatchObject({
      timeoutMs: 5_000,
      rateLimit: 20,
      maxConcurrency: 3,
      owner: 'customer-7',
      headers: { 'X-Shop': 'Berlin', Authorization: 'Bearer a:b' },
    });
    expect(await read(`${path}/secret`)).toMatchObject({ secret, older: [] });

    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('More', { exact: true }).click();
    expect(await page.getByLabel('Own signing secret').count()).toBe(0);
    await page.getByLabel('Tries a second, at most').fill('');
    await page.getByLabel('Owner').fill('');
    await page.getByLabel('Headers').fill('X-Shop: Bonn');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // Only what differs is sent.
    expect(Object.keys((await sent).postDataJSON() as object)).not.toContain('timeoutMs');
    await waitFor('the change is stored', async () => {
      const { headers } = await read<{ headers: Record<string, string> }>(path);
      return headers['X-Shop'] === 'Bonn';
    });
    const changed = await read<object>(path);
    expect(Object.keys(changed)).not.toEqual(expect.arrayContaining(['rateLimit']));
    expect(Object.keys(changed)).not.toEqual(expect.arrayContaining(['owner']));
    expect(changed).toMatchObject({ timeoutMs: 5_000, maxConcurrency: 3, headers: { 'X-Shop': 'Bonn' } });
  });

  // A hint of three lines made the input above it smaller and higher than its neighbours.
  test('inputs that stand in one row have one top and one height, however long their labels and hints are', async () => {
    const { page } = dashboard;
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await page.getByText('More', { exact: true }).click();
    const limits = [
      'Time for an answer, ms',
      'Longest Retry-After, ms',
      'Tries a second, at most',
      'Requests at a time, at most',
    ];
    for (const [width, perRow] of [
      [1_440, 4],
      [390, 2],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      const boxes = await Promise.all(limits.map((label) => page.getByLabel(label).boundingBox()));
      expect(new Set(boxes.map((box) => box?.height)).size).toBe(1);
      for (let at = 0; at < boxes.length; at += perRow)
        expect(new Set(boxes.slice(at, at + perRow).map((box) => box?.y)).size).toBe(1);
    }
  });

  test('a filter is written against real messages, and of the next ones only those that match are delivered', async () => {
    const { page } = dashboard;
    for (const total of [50, 150, 250])
      await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: { total } });
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Name').fill('Large orders');
    await page.getByLabel('Filter', { exact: true }).fill('payload.total > 100');
    await page.getByText('2 of 3 match.').waitFor();
    await page.getByText('payload.total: 250').waitFor();
    await page.getByRole('button', { name: 'Make a subscription' }).click();
    await page.getByRole('heading', { name: 'Large orders', level: 1 }).waitFor();
    const publish = async (total: string, state: string): Promise<void> => {
      await dashboard.open(`/messages/new?channel=${channelId}`);
      const drawer = page.getByRole('dialog', { name: /^Publish message/ });
      await drawer.getByRole('combobox', { name: 'Event type' }).fill('order.created');
      await drawer.getByRole('textbox', { name: 'Payload', exact: true }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(`{"total": ${total}}`);
      await drawer.getByRole('button', { name: 'Publish message' }).click();
      await page.getByRole('heading', { name: `order.created ${state}`, level: 1 }).waitFor();
    };
    await publish('100', 'No subscribers');
    const verdicts = page.getByRole('list', { name: 'Not delivered to' });
    await verdicts.getByText("Filter doesn't match").waitFor();
    await publish('100.50', '1 of 1 delivered');
    expect(receiver.requests.map(({ body }) => body)).toEqual([expect.stringContaining('"total": 100.50')]);
  });

  test('the tries of a policy are drawn while it is written, with the time after which it gives up', async () => {
    const { page } = dashboard;
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await page.getByLabel('Retries').fill('0');
    await page.getByRole('img', { name: 'One try, and no other.' }).waitFor();
    await page.getByLabel('First delay, ms').fill('10800000');
    await page.getByLabel('Longest delay, ms').fill('10800000');
    await page.getByLabel('Retries').fill('9');
    const drawing = page.getByRole('img', { name: '10 tries, and gives up after about 1 d 3 h.' });
    await drawing.waitFor();
    await page.locator('figcaption').getByText('10 tries, and gives up after about 1 d 3 h.').waitFor();
    const tries = await drawing
      .locator('circle')
      .evaluateAll((all) => all.map((each) => Number(each.getAttribute('cx'))));
    expect(tries).toHaveLength(10);
    expect(tries).toEqual(tries.toSorted((one, other) => one - other));
    // The line is logarithmic: three hours of 27 take most of it.
    expect(tries.map(Math.round)).toMatchObject([12, 496, ...Array<unknown>(7).fill(expect.any(Number)), 588]);
    expect(await drawing.locator('text').allTextContents()).toEqual(['1 s', '1 min', '1 h', '1 d']);
  });

  test('a new subscription is made without a circuit breaker, and gets what the channel has stored since a time', async () => {
    const { page } = dashboard;
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: { number: 1 } });
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await page.getByLabel('URL').fill('https://example.com/hook');
    await page.getByLabel('Name').fill('Till');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Stop for a while when all tries fail').uncheck();
    await page
      .getByLabel(/^Also send messages stored since/)
      .fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16));
    await page.getByRole('button', { name: 'Make a subscription' }).click();
    await page.getByText('Stored messages since then are on their way').waitFor();
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
    const path = `/v1/subscriptions/${/sub_\w+/.exec(page.url())?.[0]}`;
    expect(await read(path)).toMatchObject({ circuitBreaker: false });
    await waitFor('the message is delivered to it', async () => {
      const { data } = await read<{ data: object[] }>(`/v1/deliveries?subscriptionId=${path.split('/').at(-1)}`);
      return data.length === 1;
    });
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('More', { exact: true }).click();
    expect(await page.getByLabel(/^Also send messages stored since/).count()).toBe(0);
    await page.getByLabel('Stop for a while when all tries fail').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await read(path)).toMatchObject({ circuitBreaker: true });
  });

  // An emptied name was left out of what is sent, and the page said that it is saved.
  test('a name that is emptied is refused at its field, and stays as it was', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/subscriptions', {
      channelId,
      name: 'Till',
      webhookUrl: 'https://example.com/hook',
    });
    await dashboard.open(`/subscriptions/${id}?tab=settings`);
    await page.getByLabel('Name', { exact: true }).fill(' ');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.field', { hasText: 'Name' }).locator('.problem').waitFor();
    expect(await page.getByText('Saved', { exact: true }).count()).toBe(0);
    expect(await read(`/v1/subscriptions/${id}`)).toMatchObject({ name: 'Till' });
  });

  test('stored values that a newer rule refuses are named on the page of a subscription', async () => {
    const { page } = dashboard;
    const made = { channelId, name: 'Till', webhookUrl: 'https://example.com/hook', headers: { 'X-Shop': 'Berlin' } };
    const id = await scene.make('/v1/subscriptions', made);
    await dashboard.open(`/subscriptions/${id}`);
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
    const warning = page.getByText('What does not work as it may seem to');
    expect(await warning.count()).toBe(0);
    await scene.posthorn.deps.pool.query('UPDATE subscriptions SET headers = $2 WHERE id = $1', [
      id,
      { 'X-Shop': 'Berlin', Host: 'elsewhere.example.com' },
    ]);
    await warning.waitFor();
    await page.getByText('headers["Host"]').waitFor();
  });

  // The page said that the receiver was gone, or that somebody had disabled it, whatever the service knew, and not since when.
  test('a subscription that gets nothing says since when, why, and who has paused it', async () => {
    const { page } = dashboard;
    const webhookUrl = 'https://example.com/hook';
    const id = await scene.make('/v1/subscriptions', { channelId, name: 'Till', webhookUrl });
    const { db } = scene.posthorn.deps;
    const says = async (text: RegExp): Promise<void> => {
      await dashboard.open(`/subscriptions/${id}`);
      await page.locator('.sentence').filter({ hasText: text }).waitFor();
    };
    const { status } = await scene.posthorn.request('POST', `/v1/subscriptions/${id}/pause`, undefined, scene.key);
    expect(status).toBe(200);
    await says(/Messages wait until it is resumed\. None is lost\. \(since .* UTC, by API key key_/);
    const since = new Date(Date.now() - 6 * 86_400_000);
    const disabled = { status: 'disabled', failingSince: since, statusChangedAt: new Date() };
    await db.subscription.update({ where: { id }, data: disabled });
    await says(/Its receiver has taken nothing for five days, .*\(since .* UTC\)/);
    await db.subscription.update({ where: { id }, data: { failingSince: disabled.statusChangedAt } });
    await says(/Its receiver has answered 410 Gone, .*\(since .* UTC\)/);
    await db.subscription.update({ where: { id }, data: { failingSince: null } });
    await says(/after a 410 Gone or five days of failures\. .*\(since .* UTC\)/);
  });
});
