import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { MINUTE, storeDay } from '../support/make/stored-day.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('figures in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let channelId: string;
  let subscriptionId: string;

  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    channelId = await scene.make('/v1/channels', { name: 'orders' });
    const webhookUrl = 'https://example.com/hook';
    subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: { n: 1 } });
    failedAt = await storeDay(scene, { channelId, subscriptionId });
  });

  /** When most tries of the day failed, ms. */
  let failedAt = 0;

  const figure = (name: string) => dashboard.page.locator('.numbers > div').filter({ hasText: name }).locator('.big');

  test('the overview says how much came in, how much arrived and how long receivers take, and draws it', async () => {
    const { page } = dashboard;
    await dashboard.open('/overview');
    await page.getByRole('slider', { name: /^Tries/ }).waitFor();
    expect(await figure('Messages accepted').textContent()).toBe('2,800');
    // 1,400 of 1,401: never 100 % while one was given up. Ten tries more have failed.
    expect(await figure('Deliveries that arrived').textContent()).toBe('99.9 %');
    await page.locator('.numbers').getByText('99.3 % of the tries delivered').waitFor();
    expect(await figure('Dead letters').textContent()).toBe('1');
    expect(await figure('Latency, 95 %').textContent()).toMatch(/^1\d\d ms$/);
    expect(await page.locator('.answers').textContent()).toContain('503 10');
    await page.getByText('the oldest for').waitFor();

    // The same as a table, by the keyboard.
    await page.getByRole('button', { name: 'Show as a table' }).first().focus();
    await page.keyboard.press('Enter');
    const rows = page.getByRole('region', { name: 'Show as a table' }).getByRole('row');
    expect(await rows.filter({ hasText: '10' }).count()).toBeGreaterThan(0);

    // The span stands in the address, and a long one comes from the figures of hours.
    await page.getByLabel('Range').selectOption('7d');
    await page.waitForURL(/range=7d/);
    await page.getByRole('slider', { name: /^Latency/ }).waitFor();
    expect(await figure('Messages accepted').textContent()).toBe('2,800');
  });

  test('each number of the overview leads to the rows that it counts, and a step of its charts to the deliveries of that time', async () => {
    const { page } = dashboard;
    for (const [number, list, more] of [
      ['Messages accepted', 'messages', {}],
      ['Tries that delivered', 'deliveries', {}],
      ['Latency, 95 %', 'deliveries', { slow: '1000' }],
      ['Dead letters', 'dead-letters', { status: 'all' }],
    ] as const) {
      await dashboard.open(`/overview?channel=${channelId}&range=7d`);
      await page.locator('.numbers').getByRole('link', { name: number }).click();
      await page.waitForURL(({ pathname }) => pathname.endsWith(`/${list}`));
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).toEqual({ channel: channelId, since: '7d', ...more });
    }
    await dashboard.open(`/overview?channel=${channelId}`);
    const chart = page.getByRole('slider', { name: /^Tries/ });
    await chart.focus();
    await page.keyboard.press('Home');
    const first = (await chart.getAttribute('aria-valuetext')) ?? '';
    await page.keyboard.press('Enter');
    await page.waitForURL(({ pathname }) => pathname.endsWith('/deliveries'));
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('channel')).toBe(channelId);
    const [since, until] = ['since', 'until'].map((end) => Date.parse(searchParams.get(end) ?? ''));
    expect(first).not.toBe('');
    // A day is drawn in steps of less than an hour, and its first one is about a day ago.
    expect((until ?? 0) - (since ?? 0)).toBeLessThanOrEqual(60 * MINUTE);
    expect(Math.abs(Date.now() - 24 * 60 * MINUTE - (since ?? 0))).toBeLessThan(60 * MINUTE);
  });

  test('a subscription has figures of its own, in its list as a line of a day', async () => {
    const { page } = dashboard;
    await dashboard.open('/subscriptions');
    const row = page.getByRole('row').filter({ hasText: 'Till' }).first();
    await row.getByRole('img', { name: 'Last 24 hours: 1,400 delivered, 10 failed' }).waitFor();
    expect(await row.textContent()).toContain('99.9 %');
    // The one message has no worker that would deliver it.
    expect(await row.getByRole('gridcell').allTextContents()).toContain('1');
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    await page.getByRole('slider', { name: /^Latency/ }).waitFor();
    expect(await page.getByText('Messages accepted').count()).toBe(0);
    expect(await figure('Dead letters').textContent()).toBe('1');
    await dashboard.open(`/channels/${channelId}`);
    await page.getByRole('slider', { name: /^Tries/ }).waitFor();
    expect(await figure('Messages accepted').textContent()).toBe('2,800');
  });

  // The list took `range` and `mark` out of the address as soon as they were chosen, so both fields did nothing.
  test('the figures beside the list of subscriptions keep the span and the mark that are chosen', async () => {
    const { page } = dashboard;
    const mark = await scene.make('/v1/marks', {
      name: 'Deploy 5',
      at: new Date(Date.now() - 90 * MINUTE).toISOString(),
    });
    await dashboard.open(`/subscriptions?open=${subscriptionId}`);
    const panel = page.getByRole('complementary', { name: 'Details' });
    const range = panel.getByLabel('Range');
    await range.selectOption('7d');
    await panel.getByLabel('Compare').selectOption('before and after Deploy 5');
    await panel.getByText(/since Deploy 5, beside as long before it/).waitFor();
    expect(await range.inputValue()).toBe('7d');
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('range'), searchParams.get('mark')]).toEqual(['7d', mark]);
    // Without a row beside the list they mean nothing.
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.search === '');
  });

  test('answers of a subscription are drawn over time, and a step leads to its deliveries by keyboard, table and click', async () => {
    const { page } = dashboard;
    const isOfFailures = ({ pathname, searchParams }: URL): boolean =>
      pathname.endsWith('/deliveries') &&
      searchParams.get('subscription') === subscriptionId &&
      Date.parse(searchParams.get('since') ?? '') <= failedAt &&
      Date.parse(searchParams.get('until') ?? '') > failedAt;
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    const chart = page.getByRole('slider', { name: 'Answers over time.' });
    await chart.waitFor();
    // Where "Sign in" was pressed, a chart may lie under the mouse now.
    await page.mouse.move(0, 0);
    expect(await dashboard.violations()).toEqual([]);
    expect(await page.getByRole('figure', { name: 'Answers over time' }).locator('.legend').innerText()).toMatch(
      /2xx\s+5xx/,
    );
    await chart.focus();
    for (let step = 0; step < 8; step += 1) {
      if ((await chart.getAttribute('aria-valuetext'))?.includes('5xx 10') === true) break;
      await page.keyboard.press('ArrowLeft');
    }
    expect(await chart.getAttribute('aria-valuetext')).toContain('5xx 10');
    await page.keyboard.press('Enter');
    await page.waitForURL(isOfFailures);
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();

    // The same figures beside the list of deliveries, where a step narrows the span and a class is a filter.
    await dashboard.open(`/deliveries?subscription=${subscriptionId}&answer=5xx&status=failed`);
    const figure = page.getByRole('figure', { name: 'Answers over time' });
    await figure.getByText('All tries of this span are counted, without the filters State.').waitFor();
    expect((await figure.locator('.legend').innerText()).trim()).toBe('5xx');
    await figure.getByRole('button', { name: 'Show as a table' }).click();
    expect(await figure.getByRole('columnheader').allInnerTexts()).toEqual(['From', '5xx']);
    await figure
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: '10', exact: true }) })
      .getByRole('button')
      .click();
    await page.waitForURL(isOfFailures);

    await dashboard.open(`/deliveries?subscription=${subscriptionId}&error=status`);
    await figure.getByText('All tries of this span are counted, without the filters Last error.').waitFor();
    // Its middle, once it stands still.
    await page.getByRole('slider', { name: 'Answers over time.' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.has('since') && searchParams.has('until'));
  });

  // A chart kept the place of the step, which another step had once new ones came.
  test('the step of a chart that is marked stays the same one when later ones come', async () => {
    const { page } = dashboard;
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    const chart = page.getByRole('slider', { name: 'Answers over time.' });
    await chart.waitFor();
    await page.mouse.move(0, 0);
    await chart.focus();
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('ArrowLeft');
    // The date stands there once it is another day.
    const marked = async (): Promise<string> =>
      (await chart.getAttribute('aria-valuetext'))?.replace(/^\d{4}-\d\d-\d\d /, '') ?? '';
    const place = await chart.getAttribute('aria-valuenow');
    const before = await marked();
    expect(before).toContain('2xx');
    await page.clock.setFixedTime(Date.now() + 60 * MINUTE);
    await waitFor('later steps have come', async () => {
      await page.evaluate("dispatchEvent(new Event('offline')); dispatchEvent(new Event('online'))");
      return (await chart.getAttribute('aria-valuenow')) !== place;
    });
    expect(await marked()).toBe(before);
  });

  // The list of the other tab took `range` out of the address.
  test('the span of the figures of a subscription is there when their tab is opened again', async () => {
    const { page } = dashboard;
    await dashboard.open(`/subscriptions/${subscriptionId}?range=7d`);
    await page.getByRole('slider', { name: /^Latency/ }).waitFor();
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.waitForURL((url) => url.searchParams.get('tab') === 'deliveries');
    await page.getByRole('search', { name: 'Filters' }).getByLabel('State').selectOption('failed');
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.waitForURL((url) => url.searchParams.get('tab') === 'overview');
    expect(await page.getByLabel('Range').inputValue()).toBe('7d');
  });

  test('the list of channels says how much came in of late and how many subscriptions get it, in one request', async () => {
    const { page } = dashboard;
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      // The navigation counts what is left, on every page.
      if (pathname.startsWith('/v1/stats') && pathname !== '/v1/stats/backlog') asked.push(pathname);
    });
    await dashboard.open('/channels');
    const row = page.getByRole('row').filter({ hasText: 'orders' }).first();
    // Two messages a minute. A slow machine may look minutes after they were stored.
    await row.getByRole('img', { name: /^Last hour: 1\d\d messages$/ }).waitFor();
    const cells = await row.getByRole('gridcell').allTextContents();
    expect(cells.some((text) => /^[12](?:\.\d+)?\/min$/.test(text))).toBe(true);
    expect(cells).toContain('1');
    expect(new Set(asked)).toEqual(new Set(['/v1/stats/channels']));
  });

  test('a deployment has made something worse: since then and as long before it stand beside each other', async () => {
    const { page } = dashboard;
    // Half an hour before the ten failures, which nothing like them was before.
    await scene.make('/v1/marks', { name: 'Deploy 4.2', at: new Date(Date.now() - 90 * MINUTE).toISOString() });
    await scene.make('/v1/marks', { name: 'Deploy 4.3', at: new Date(Date.now() - 20 * MINUTE).toISOString() });
    await dashboard.open('/overview');
    const moments = page.getByRole('region', { name: 'Marked deployments' });
    await moments.getByRole('link', { name: 'compare Deploy 4.2' }).click();
    await page.waitForURL(/mark=mrk_/);
    await page.getByText(/^1 h 3\d min since Deploy 4\.2, beside as long before it/).waitFor();
    const dead = page.locator('.numbers > div').filter({ hasText: 'Dead letters' });
    expect(await dead.textContent()).toBe('Dead letters10 before');
    const answers = page.getByRole('region', { name: 'By answer' }).getByRole('row');
    expect(await answers.filter({ hasText: '503' }).getByRole('cell').allTextContents()).toEqual([
      '■503',
      '10',
      '0',
      'new',
    ]);
    expect(await answers.filter({ hasText: '200' }).textContent()).not.toContain('new');
    await page.getByRole('img', { name: 'Failed tries. The highest value is 10.' }).waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).first().click();
    const steps = page.getByRole('region', { name: 'Show as a table' }).getByRole('row');
    expect(await steps.filter({ has: page.getByRole('cell', { name: '10', exact: true }) }).count()).toBe(1);
    expect(await dashboard.violations()).toEqual([]);

    // Another mark: the failures are on its other side, and so they are no news.
    await page.getByLabel('Compare').selectOption('before and after Deploy 4.3');
    await page.getByText(/^2\d min since Deploy 4\.3/).waitFor();
    expect(await answers.filter({ hasText: '503' }).count()).toBe(0);
    await page.getByRole('link', { name: 'dead letters since' }).first().click();
    await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
    await page.goBack();
    await page.getByLabel('Compare').selectOption('with the period before');
    await page.getByText('0 in the period before').first().waitFor();
    expect(page.url()).not.toContain('mark=');
  });

  test('deliveries are drawn by their answers, for the filters that figures know, and the others are named', async () => {
    const { page } = dashboard;
    await dashboard.open('/deliveries');
    const chart = page.getByRole('figure', { name: 'Tries by answer' });
    const bars = chart.getByRole('listitem');
    await bars.filter({ hasText: '200' }).getByText('1,400 99.3 %').waitFor();
    expect(await bars.allInnerTexts()).toHaveLength(2);
    await bars.filter({ hasText: '503' }).getByText('10 0.7 %').waitFor();

    // The same as a table, by the keyboard.
    await chart.getByRole('button', { name: 'Show as a table' }).focus();
    await page.keyboard.press('Enter');
    const cells = chart.getByRole('row').filter({ hasText: '503' }).getByRole('cell');
    expect(await cells.allInnerTexts()).toEqual(['503', '10', '0.7 %']);
    expect(await dashboard.violations()).toEqual([]);
    await chart.getByRole('button', { name: 'Show as a chart' }).press('Enter');

    // A bar is a filter, and the chart follows it: by answer, by error, by channel and by span.
    await bars.filter({ hasText: '503' }).getByRole('button').click();
    await page.waitForURL((url) => url.searchParams.get('answer') === '503');
    await bars.getByText('10 100 %').waitFor();
    expect(await bars.count()).toBe(1);
    await dashboard.open(`/deliveries?subscription=${subscriptionId}&channel=${channelId}&answer=503-500&error=status`);
    await bars.getByText('10 100 %').waitFor();
    for (const search of ['error=timeout', 'answer=4xx', `channel=chn_${'0'.repeat(26)}`, 'since=10d&until=5d']) {
      const answered = page.waitForResponse((answer) => answer.url().includes('/v1/stats?'));
      await dashboard.open(`/deliveries?${search}`);
      await answered;
      await page.locator('.empty').waitFor();
      expect({ search, count: await chart.count() }).toEqual({ search, count: 0 });
    }
    await dashboard.open('/deliveries?status=failed&type=order.*&answer=5xx');
    await bars.getByText('10 100 %').waitFor();
    await chart.getByText('All tries of this span are counted, without the filters State, Type.').waitFor();
  });
});
