import { beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
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

  const drawer = (): Locator => dashboard.page.getByRole('dialog', { name: /^Create subscription/ });
  const nameField = (): Locator => drawer().getByLabel('Name', { exact: true });
  const create = (): Promise<void> => drawer().getByRole('button', { name: 'Create subscription' }).click();
  /** Opens a part of the form that few subscriptions need. */
  const unfold = (name: string): Promise<void> => dashboard.page.getByRole('button', { name }).click();
  const save = (): Promise<void> => dashboard.page.getByRole('button', { name: 'Save', exact: true }).click();

  const read = async <T>(path: string): Promise<T> => {
    const { body } = await scene.posthorn.request<T & object>('GET', path, undefined, scene.key);
    return body;
  };

  test('a receiver moves here with its secret, its headers and its limits, and each can be taken away again', async () => {
    const { page } = dashboard;
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await drawer().getByLabel('Endpoint URL').fill('https://example.com/hook');
    await drawer().getByLabel('Name', { exact: true }).fill('Till');
    await unfold('Delivery settings');
    await drawer().getByLabel('Timeout', { exact: true }).fill('5');
    await drawer().getByLabel('Rate limit').fill('20');
    await drawer().getByLabel('Concurrency').fill('3');
    await unfold('Headers, secret and customer');
    await drawer().getByLabel('Customer ID').fill('customer-7');
    await drawer().getByLabel('Headers').fill('X-Shop: Berlin\nAuthorization: Bearer a:b\n');
    const own = drawer().getByLabel('Signing secret', { exact: true });
    await own.fill('whsec_short');
    await create();
    await waitFor('the secret is rejected', async () => (await own.getAttribute('aria-invalid')) === 'true');
    expect(await dashboard.violations()).toEqual([]);
    await own.fill(secret);
    await create();
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
    await unfold('Delivery settings');
    await page.getByLabel('Rate limit').fill('');
    await unfold('Headers and customer');
    expect(await page.getByLabel('Signing secret', { exact: true }).and(page.locator('input')).count()).toBe(0);
    await page.getByLabel('Customer ID').fill('');
    await page.getByLabel('Headers').fill('X-Shop: Bonn');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save();
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
    await unfold('Delivery settings');
    const limits = ['Timeout', 'Max Retry-After', 'Rate limit', 'Concurrency'];
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const boxes = await Promise.all(
        limits.map((label) => drawer().getByLabel(label, { exact: true }).locator('..').boundingBox()),
      );
      expect(new Set(boxes.map((box) => box?.height)).size).toBe(1);
      expect(boxes.map((box) => box?.y)).toEqual([boxes[0]?.y, boxes[0]?.y, boxes[2]?.y, boxes[2]?.y]);
    }
  });

  test('a filter is written against real messages, and of the next ones only those that match are delivered', async () => {
    const { page } = dashboard;
    for (const total of [50, 150, 250])
      await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: { total } });
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await drawer().getByLabel('Endpoint URL').fill(receiver.url);
    await drawer().getByLabel('Name', { exact: true }).fill('Large orders');
    await drawer().getByRole('textbox', { name: 'Filter', exact: true }).click();
    await page.keyboard.insertText('payload.total > 100');
    await page.getByText('2 of the last 3 messages match').waitFor();
    await page.getByText('total 250').waitFor();
    await create();
    await page.getByRole('heading', { name: 'Large orders', level: 1 }).waitFor();
    const publish = async (total: string, state: string): Promise<void> => {
      await dashboard.open(`/messages/new?channel=${channelId}`);
      const form = page.getByRole('dialog', { name: /^Publish message/ });
      await form.getByRole('combobox', { name: 'Event type' }).fill('order.created');
      await form.getByRole('textbox', { name: 'Payload', exact: true }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(`{"total": ${total}}`);
      await form.getByRole('button', { name: 'Publish message' }).click();
      await page.getByRole('heading', { name: `order.created ${state}`, level: 1 }).waitFor();
    };
    await publish('100', 'No subscribers');
    const verdicts = page.getByRole('list', { name: 'Not delivered to' });
    await verdicts.getByText("Filter doesn't match").waitFor();
    await publish('100.50', '1 of 1 delivered');
    expect(receiver.requests.map(({ body }) => body)).toEqual([expect.stringContaining('"total": 100.50')]);
  });

  test('where no message is there yet, a filter is tested with one that is written beside it', async () => {
    const { page } = dashboard;
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    const write = async (field: string, text: string): Promise<void> => {
      await drawer().getByRole('textbox', { name: field, exact: true }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    };
    await write('Filter', 'payload.total >');
    await drawer()
      .getByText(/ends too early/)
      .waitFor();
    await write('Filter', 'payload.total > 100');
    const verdict = (text: RegExp): Promise<void> => drawer().getByRole('status').filter({ hasText: text }).waitFor();
    await write('Payload of the message', '{"total": 100}');
    await verdict(/^No match/);
    await write('Payload of the message', '{"total": 100.5}');
    await verdict(/^Match/);
    await write('Payload of the message', '{"sum": 1}');
    await verdict(/^Error.*total/);
    // What the service refuses is told with its reason.
    await write('Payload of the message', '5');
    await verdict(/^Error.*payload/);
    await write('Payload of the message', '{"total": 200}');
    await verdict(/^Match/);
    // Emptying the filter hides the part, and loses nothing of it.
    await write('Filter', ' ');
    await drawer().getByRole('textbox', { name: 'Payload of the message' }).waitFor({ state: 'detached' });
    await write('Filter', 'payload.total > 300');
    await verdict(/^No match/);
    await drawer().getByLabel('Event types').fill('invoice.*');
    await page.keyboard.press('Enter');
    await verdict(/^Other event type/);
    expect(await dashboard.violations()).toEqual([]);
    expect((await read<{ data: unknown[] }>(`/v1/messages?channelId=${channelId}`)).data).toEqual([]);
  });

  test('an inspector stands in for an endpoint, and is never one that is set to fail', async () => {
    const { page } = dashboard;
    const setToFail = { name: 'First look', answer: { status: 503, delayMs: 0, failurePercent: 0 } };
    await scene.make('/v1/inspectors', { name: 'Load test' });
    await scene.make('/v1/inspectors', setToFail);
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await drawer().getByRole('button', { name: 'Use an inspector' }).click();
    await waitFor('the name of the inspector', async () => (await nameField().inputValue()) === 'First look');
    const url = await drawer().getByLabel('Endpoint URL').inputValue();
    const { data } = await read<{ data: { name: string; url: string; answer: { status: number } }[] }>(
      '/v1/inspectors',
    );
    expect(data.find((each) => each.url === url)).toMatchObject({ name: 'First look', answer: { status: 200 } });
    // The next form takes the same one.
    await page.reload();
    await drawer().getByRole('button', { name: 'Use an inspector' }).click();
    await waitFor('the same URL', async () => (await drawer().getByLabel('Endpoint URL').inputValue()) === url);
  });

  test('the attempts of a policy are drawn while it is written, with the time after which it gives up', async () => {
    const { page } = dashboard;
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await unfold('Retry policy');
    await drawer().getByLabel('Max retries').fill('0');
    await page.getByRole('img', { name: '1 attempt, no retries' }).waitFor();
    await drawer().getByLabel('Initial delay', { exact: true }).fill('10800');
    await drawer().getByLabel('Max delay', { exact: true }).fill('3');
    await drawer().getByLabel('Max retries').fill('9');
    const drawing = page.getByRole('img', { name: '10 attempts over about 1 d 3 h' });
    await drawing.waitFor();
    await page.locator('figcaption').getByText('10 attempts, then gives up after about 1 d 3 h.').waitFor();
    const attempts = await drawing
      .locator('[data-attempt]')
      .evaluateAll((all) => all.map((each) => Number.parseFloat(each.getAttribute('style')?.split(':')[1] ?? '')));
    expect(attempts).toHaveLength(10);
    expect(attempts).toEqual(attempts.toSorted((one, other) => one - other));
    // The line is logarithmic: three hours of 27 take most of it.
    expect(attempts.map(Math.round)).toMatchObject([0, 84, ...Array<unknown>(7).fill(expect.any(Number)), 100]);
    await drawing.getByText('now', { exact: true }).waitFor();
    await drawing.getByText('1 d 3 h', { exact: true }).waitFor();
  });

  test('a new subscription is made without a circuit breaker, and gets what the channel has stored since a time', async () => {
    const { page } = dashboard;
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: { number: 1 } });
    await dashboard.open(`/subscriptions/new?channel=${channelId}`);
    await drawer().getByLabel('Endpoint URL').fill('https://example.com/hook');
    await drawer().getByLabel('Name', { exact: true }).fill('Till');
    await unfold('Delivery settings');
    await drawer()
      .getByRole('switch', { name: /^Circuit breaker/ })
      .click();
    await drawer()
      .getByLabel(/^Send stored messages since/)
      .fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16));
    await create();
    await page.getByText('Replay of stored messages started').first().waitFor();
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
    const path = `/v1/subscriptions/${/sub_\w+/.exec(page.url())?.[0]}`;
    expect(await read(path)).toMatchObject({ circuitBreaker: false });
    await waitFor('the message is delivered to it', async () => {
      const { data } = await read<{ data: object[] }>(`/v1/deliveries?subscriptionId=${path.split('/').at(-1)}`);
      return data.length === 1;
    });
    await page.getByRole('tab', { name: 'Settings' }).click();
    await unfold('Delivery settings');
    expect(await page.getByLabel(/^Send stored messages since/).count()).toBe(0);
    await page.getByRole('switch', { name: /^Circuit breaker/ }).click();
    await save();
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
    const name = page.getByLabel('Name', { exact: true });
    await name.fill(' ');
    await save();
    await waitFor('the name is rejected', async () => (await name.getAttribute('aria-invalid')) === 'true');
    expect(await page.getByText('Saved', { exact: true }).count()).toBe(0);
    expect(await read(`/v1/subscriptions/${id}`)).toMatchObject({ name: 'Till' });
  });

  test('stored values that a newer rule refuses are named on the page of a subscription', async () => {
    const { page } = dashboard;
    const made = { channelId, name: 'Till', webhookUrl: 'https://example.com/hook', headers: { 'X-Shop': 'Berlin' } };
    const id = await scene.make('/v1/subscriptions', made);
    await dashboard.open(`/subscriptions/${id}`);
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
    const warning = page.getByText('Check this setting');
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
      await page.getByRole('region', { name: 'Status' }).filter({ hasText: text }).waitFor();
    };
    const { status } = await scene.posthorn.request('POST', `/v1/subscriptions/${id}/pause`, undefined, scene.key);
    expect(status).toBe(200);
    await says(/Paused .+ by API key .+\. Messages are kept until you resume\./);
    await db.subscription.update({
      where: { id },
      data: { failingSince: new Date(Date.now() - 120_000), failingAttempts: 5 },
    });
    await says(/Messages are kept until you resume\. Before, its attempts failed\. Failing since/);
    const since = new Date(Date.now() - 6 * 86_400_000);
    const disabled = { status: 'disabled', failingSince: since, statusChangedAt: new Date() };
    await db.subscription.update({ where: { id }, data: disabled });
    await says(/every attempt failed for five days, .+\. Messages are kept until you resume\./);
    await db.subscription.update({ where: { id }, data: { failingSince: disabled.statusChangedAt } });
    await says(/the endpoint returned 410 Gone, .+\. Messages/);
    await db.subscription.update({ where: { id }, data: { failingSince: null } });
    await says(/Disabled (?:just now|\d+ s ago)\. Messages/);
  });
});
