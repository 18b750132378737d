import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { joinAs, OWNER, signIn } from '../support/make/people.ts';
import { MINUTE, storeDay } from '../support/make/stored-day.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

describeWithBrowser('the overview, in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const attention = (): Locator => dashboard.page.getByRole('region', { name: /needs? attention$/ });
  const allWell = (): Locator => dashboard.page.getByText('All systems normal');
  const noWorker = /^No worker/;

  // The page looked at the newest 100 subscriptions, and asked nothing of workers, of waiting deliveries or of keys.
  test('it tells of an old broken subscription, deliveries that nobody attempts, no worker and keys that expire', async () => {
    const { page } = dashboard;
    const { pool } = scene.posthorn.deps;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const webhookUrl = 'https://example.com/hook';
    const broken = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Old till' });
    await pool.query(
      `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object('id', posthorn_id('sub'), 'name', 'Newer'))).*
     FROM subscriptions s CROSS JOIN generate_series(1, 100) WHERE s.id = $1`,
      [broken],
    );
    await pool.query(`UPDATE subscriptions SET status = 'disabled' WHERE id = $1`, [broken]);
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    await dashboard.open('/overview');
    await attention().getByText(noWorker).waitFor();
    const row = attention().getByRole('listitem').filter({ hasText: 'Old till' });
    await row.getByRole('link', { name: 'Review' }).waitFor();
    expect(await allWell().count()).toBe(0);
    expect(await attention().getByText('Backlog').count()).toBe(0);
    expect(
      await attention()
        .getByText(/expires/)
        .count(),
    ).toBe(0);
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });

    await pool.query(`UPDATE api_keys SET expires_at = now() + interval '3 days'`);
    await page.reload();
    await attention()
      .getByText(/^API key expires/)
      .first()
      .waitFor();
    await page.clock.setFixedTime(Date.now() + 6 * 60_000);
    await attention()
      .getByText(/due, oldest waiting \d+ min/)
      .waitFor();
    await dashboard.open('/subscriptions?failing=true');
    await page.getByRole('link', { name: 'Old till' }).waitFor();
    expect(await page.getByRole('link', { name: 'Newer' }).count()).toBe(0);
  });

  // Two lists with one key in React: a receiver with dead letters that failed at present stood there twice.
  test('a subscription that fails and has dead letters is one row, with its cause, its number and the way to its failures', async () => {
    const { page } = dashboard;
    const { pool } = scene.posthorn.deps;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const subscriptionId = await scene.make('/v1/subscriptions', {
      channelId,
      webhookUrl: 'https://example.com/hook',
      name: 'ERP connector',
    });
    await storeDay(scene, { channelId, subscriptionId });
    await pool.query(
      `INSERT INTO dead_letters (id, environment_id, kind, status, channel_id, subscription_id, reason, round,
         error_class, error_status, attempts, failed_at)
       SELECT posthorn_id('dlq'), environment_id, 'delivery', 'open', channel_id, id, 'exhausted', 1, 'status', 500, 4, now()
       FROM subscriptions, generate_series(1, 3) WHERE id = $1`,
      [subscriptionId],
    );
    await pool.query(
      `UPDATE subscriptions SET failing_since = now() - interval '5 minutes', failing_attempts = 9 WHERE id = $1`,
      [subscriptionId],
    );
    await dashboard.open('/overview');
    const rows = attention().getByRole('listitem').filter({ hasText: 'ERP connector' });
    await rows.getByText('HTTP 500 on every recent attempt').waitFor();
    await rows.getByText(/\d+ dead letters/).waitFor();
    expect(await rows.count()).toBe(1);
    await rows.getByRole('link', { name: 'View failures' }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/deliveries'));
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      subscription: subscriptionId,
      status: 'failed,retrying',
    });
  });

  // One answer was made of four, so each part failed with each other one.
  test('each part of it stands by itself', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'returns' });
    await page.route(/\/v1\/dlq\/groups/, (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'Broken' } } }),
    );
    await dashboard.open('/overview');
    await page.getByRole('alert').getByText('Broken').waitFor();
    await page.getByText("Some checks couldn't be completed").waitFor();
    await attention().getByText(noWorker).waitFor();
    expect(await allWell().count()).toBe(0);
  });

  test('the first steps are there as cURL, too, and a channel narrows what is shown', async () => {
    const { page } = dashboard;
    await dashboard.open('/overview');
    const steps = page.getByRole('group', { name: 'Get started' });
    await steps.getByText('Create a channel').waitFor();
    await steps.getByRole('button', { name: 'cURL', exact: true }).click();
    const lines = (await steps.getByRole('region', { name: 'cURL' }).textContent()) ?? '';
    expect(lines.match(/^curl /gm)).toHaveLength(3);
    expect(lines).toMatch(/\/v1\/channels\/(CHANNEL_ID|chn_\w+)\/messages/);
    expect(lines).not.toContain(scene.key.key);
    const orders = await scene.make('/v1/channels', { name: 'orders' });
    const bills = await scene.make('/v1/channels', { name: 'bills' });
    for (const [channel, eventType] of [
      [orders, 'parcel.packed'],
      [orders, 'parcel.packed'],
      [bills, 'bill.sent'],
    ] as const)
      await scene.make(`/v1/channels/${channel}/messages`, { eventType, payload: {} });
    await dashboard.open('/overview');
    await page.getByRole('button', { name: 'Channel: All channels' }).click();
    const [asked] = await Promise.all([
      page.waitForRequest(
        (request) => new URL(request.url()).pathname === '/v1/stats' && request.url().includes(bills),
      ),
      page.getByRole('menuitemcheckbox', { name: 'bills' }).click(),
    ]);
    expect(new URL(asked.url()).searchParams.get('channelId')).toBe(bills);
    expect(new URL(page.url()).searchParams.get('channel')).toBe(bills);
  });

  // Only administrators of the first organisation were told: a viewer read that all was well while nothing was delivered.
  test('a viewer is told that no worker runs and that Temporal is away, and that all is well once both are there', async () => {
    const { page, context } = dashboard;
    const { pool } = scene.posthorn.deps;
    const owner = await signIn(scene.posthorn, OWNER);
    const organisation = `/v1/organisations/${owner.me.organisations[0]?.id}`;
    const email = 'viewer@example.com';
    const { password } = await joinAs(scene.posthorn, owner.browser, organisation, { role: 'viewer', email });
    await context.clearCookies();
    await dashboard.signIn({ email, password });
    // Nothing of the other tests is in this environment.
    await dashboard.open('/overview', 'live');
    await attention().getByText('No workers online. Nothing is being delivered.').waitFor();
    expect(await allWell().count()).toBe(0);
    expect(await attention().getByRole('link').count()).toBe(0);
    await pool.query(`INSERT INTO incarnations (id, expires_at) VALUES ('inc_1', now() + interval '1 hour')`);
    await allWell().waitFor();
    await pool.query('UPDATE incarnations SET is_temporal_away = true');
    await attention().getByText('Temporal is unreachable. Retries are delayed.').waitFor();
    expect(await allWell().count()).toBe(0);
    // An answer that cannot be had is no good news.
    await pool.query('UPDATE incarnations SET is_temporal_away = false');
    await allWell().waitFor();
    await page.route(/\/v1\/stats\/backlog/, (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'Broken' } } }),
    );
    await page.getByText("Some checks couldn't be completed").waitFor();
    expect(await allWell().count()).toBe(0);
    await page.unroute(/\/v1\/stats\/backlog/);
    await pool.query('DELETE FROM incarnations');
  });

  const figure = (name: string): Locator =>
    dashboard.page
      .getByLabel('Figures', { exact: true })
      .locator('> div')
      .filter({ hasText: name })
      .locator('dd')
      .first();

  describe('of a day with traffic', () => {
    let channelId: string;
    let subscriptionId: string;
    beforeEach(async () => {
      channelId = await scene.make('/v1/channels', { name: 'orders' });
      const webhookUrl = 'https://example.com/hook';
      subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
      await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: { n: 1 } });
      await storeDay(scene, { channelId, subscriptionId });
    });

    test('it says how much came in, how long endpoints take, and what they return, and draws it', async () => {
      const { page } = dashboard;
      await dashboard.open('/overview');
      await page.getByRole('combobox', { name: 'Chart: By status' }).click();
      await page.getByRole('option', { name: 'By response' }).click();
      await page.getByRole('slider', { name: /^Delivery attempts/ }).waitFor();
      expect(await figure('Messages accepted').textContent()).toContain('2,800');
      expect(await figure('p95 latency').textContent()).toMatch(/^1\d\d ?ms/);
      const responses = page.getByRole('list', { name: 'Responses' });
      await responses.getByRole('button', { name: /503.*10/ }).waitFor();
      // The same as a table, by the keyboard.
      await page.getByRole('button', { name: 'View as table' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('table').getByRole('row').nth(1).waitFor();
      // The span stands in the address, and a long one comes from the figures of hours.
      await page.getByRole('button', { name: 'Time range: Last 24 hours' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Last 7 days' }).click();
      await page.waitForURL(/since=7d/);
      await waitFor('the figures of a week', async () =>
        ((await figure('Messages accepted').textContent()) ?? '').includes('2,800'),
      );
      expect(await dashboard.violations()).toEqual([]);
    });

    test('each figure leads to the rows that it counts, and a step of the chart to the deliveries of that time', async () => {
      const { page } = dashboard;
      for (const [name, list, more] of [
        ['Messages accepted', 'messages', {}],
        ['Success rate', 'deliveries', {}],
        ['p95 latency', 'deliveries', { slow: '1000' }],
      ] as const) {
        await dashboard.open(`/overview?channel=${channelId}&since=7d`);
        await page.getByLabel('Figures', { exact: true }).getByRole('link', { name }).click();
        await page.waitForURL(({ pathname }) => pathname.endsWith(`/${list}`));
        expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
          channel: channelId,
          since: '7d',
          ...more,
        });
      }
      await dashboard.open(`/overview?channel=${channelId}`);
      await page.getByRole('combobox', { name: 'Chart: By status' }).click();
      await page.getByRole('option', { name: 'By response' }).click();
      const chart = page.getByRole('slider', { name: /^Delivery attempts/ });
      await chart.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.waitForURL(({ pathname }) => pathname.endsWith('/deliveries'));
      const { searchParams } = new URL(page.url());
      expect(searchParams.get('channel')).toBe(channelId);
      const [since, until] = ['since', 'until'].map((end) => Date.parse(searchParams.get(end) ?? ''));
      // A day is drawn in steps of less than an hour.
      expect((until ?? 0) - (since ?? 0)).toBeLessThanOrEqual(60 * MINUTE);
    });

    test('a deployment is marked, and the figures since then stand beside those of as long before', async () => {
      const { page } = dashboard;
      await dashboard.open('/overview');
      await page.getByRole('button', { name: 'Mark deployment' }).click();
      const dialog = page.getByRole('dialog', { name: /Mark deployment/ });
      await dialog.getByLabel('Name').fill('Deploy 5');
      expect(await dashboard.violations()).toEqual([]);
      await dialog.getByLabel('Name').press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('Deployment marked').first().waitFor();
      await page.getByRole('button', { name: 'Time range: Last 24 hours' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Since Deploy 5' }).click();
      await page.getByRole('button', { name: 'Time range: Since Deploy 5' }).waitFor();
      await waitFor(
        'the figures since then',
        async () => !((await figure('Messages accepted').textContent()) ?? '2,800').includes('2,800'),
      );
    });
  });
});
