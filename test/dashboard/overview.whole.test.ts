import { expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { joinAs, OWNER, signIn } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('overview in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const attention = () => dashboard.page.getByRole('region', { name: 'Needs attention' });
  // The shape of the state stands before its word, in one element.
  const allWell = () => attention().getByText(/All is well$/);

  // The page looked at the newest 100 subscriptions, and asked nothing of workers, of waiting deliveries or of keys.
  test('the overview tells of an old broken subscription, deliveries that nobody tries, no worker and keys that end', async () => {
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
    await attention().getByText('No worker runs: nothing is delivered').waitFor();
    await attention().getByRole('link', { name: 'Old till' }).waitFor();
    expect(await allWell().count()).toBe(0);
    expect(await attention().getByText('wait for their first try').count()).toBe(0);
    expect(await attention().getByText('Ends soon').count()).toBe(0);
    expect(await dashboard.violations()).toEqual([]);

    await pool.query(`UPDATE api_keys SET expires_at = now() + interval '3 days'`);
    await page.reload();
    await attention().getByText('Ends soon').first().waitFor();
    await page.clock.setFixedTime(Date.now() + 6 * 60_000);
    await attention()
      .getByText(/\d+ deliveries wait for their first try, the oldest for \d+ min/)
      .waitFor();
    await dashboard.open('/subscriptions?failing=true');
    await page.getByRole('link', { name: 'Old till' }).waitFor();
    expect(await page.getByRole('link', { name: 'Newer' }).count()).toBe(0);
  });

  // One answer was made of four, so each part failed with each other one.
  test('each part of the overview stands by itself', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'returns' });
    await page.route(/\/v1\/deliveries\?/, (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'Broken' } } }),
    );
    await dashboard.open('/overview');
    await page.getByRole('alert').getByText('Broken').waitFor();
    await attention().getByText('No worker runs: nothing is delivered').waitFor();
    await page.getByRole('heading', { name: 'Last messages' }).waitFor();
  });

  // The list waited for the figures of its rows, and failed with them.
  test('subscriptions are listed while their figures fail', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'stock' });
    await scene.make('/v1/subscriptions', { channelId, webhookUrl: 'https://example.com/stock', name: 'Stock keeper' });
    await page.route(/\/v1\/stats\/subscriptions\?/, (route) => route.abort());
    await dashboard.open('/subscriptions');
    await page.getByRole('link', { name: 'Stock keeper' }).waitFor();
  });

  test('the first steps are there as lines for a shell, too, and a channel narrows what is shown', async () => {
    const { page } = dashboard;
    await dashboard.open('/overview');
    const steps = page.getByRole('region', { name: 'To the first delivery' });
    await steps.getByText('The same by a shell').click();
    const lines = (await steps.getByLabel('curl', { exact: true }).textContent()) ?? '';
    expect(lines.match(/^curl /gm)).toHaveLength(3);
    expect(lines).toMatch(/\/v1\/channels\/(CHANNEL_ID|chn_\w+)\/messages/);
    expect(lines).not.toContain(scene.key.key);
    const orders = await scene.make('/v1/channels', { name: 'orders' });
    const bills = await scene.make('/v1/channels', { name: 'bills' });
    await scene.make(`/v1/channels/${orders}/messages`, { eventType: 'parcel.packed', payload: {} });
    await scene.make(`/v1/channels/${bills}/messages`, { eventType: 'bill.sent', payload: {} });
    await dashboard.open('/overview');
    await page.getByRole('link', { name: 'parcel.packed' }).waitFor();
    await page.getByRole('combobox', { name: 'Channel' }).selectOption(bills);
    await page.getByRole('link', { name: 'parcel.packed' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'bill.sent' }).waitFor();
    expect(new URL(page.url()).searchParams.get('channel')).toBe(bills);
    // Figures of all channels stood beside those of the one that was chosen.
    await scene.make('/v1/subscriptions', { channelId: bills, webhookUrl: 'https://example.com/bills', name: 'Books' });
    await scene.make(`/v1/channels/${bills}/messages`, { eventType: 'bill.sent', payload: {} });
    const waiting = attention().getByRole('link', { name: 'Waiting: 1', exact: true });
    await waiting.waitFor();
    await waiting.click();
    await page.waitForURL(({ searchParams }) => searchParams.get('channel') === bills);
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
    await attention().getByText('No worker runs: nothing is delivered').waitFor();
    expect(await allWell().count()).toBe(0);
    expect(await attention().getByRole('link', { name: 'Look at them' }).count()).toBe(0);
    await pool.query(`INSERT INTO incarnations (id, expires_at) VALUES ('inc_1', now() + interval '1 hour')`);
    await allWell().waitFor();
    await pool.query('UPDATE incarnations SET is_temporal_away = true');
    await attention().getByText('Temporal does not answer: deliveries wait').waitFor();
    expect(await allWell().count()).toBe(0);
    // An answer that cannot be had is no good news.
    await pool.query('UPDATE incarnations SET is_temporal_away = false');
    await allWell().waitFor();
    await page.route(/\/v1\/stats\/backlog/, (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'Broken' } } }),
    );
    await attention().getByText('Whether all is well is not known').waitFor();
    expect(await allWell().count()).toBe(0);
    await page.unroute(/\/v1\/stats\/backlog/);
    await pool.query('DELETE FROM incarnations');
  });

  test('a long name of a channel makes no telephone scroll sideways', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: `orders-${'of-all-shops-'.repeat(5)}of-the-north` });
    await page.setViewportSize({ width: 390, height: 844 });
    await dashboard.open('/overview');
    const choice = page.getByRole('combobox', { name: 'Channel' });
    await choice.waitFor();
    expect((await choice.boundingBox())?.width).toBeGreaterThan(300);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
