import { beforeEach, expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { insertAged } from '../support/make/aged.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { storeDay } from '../support/make/stored-day.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('failing receiver in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let subscriptionId: string;

  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    // The service is that of the whole file: what one test has let fail is well for the next.
    await scene.posthorn.deps.pool.query('UPDATE subscriptions SET failing_since = NULL');
    await scene.posthorn.deps.pool.query('DELETE FROM dead_letters');
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const webhookUrl = 'https://example.com/hook';
    subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
    await storeDay(scene, { channelId, subscriptionId });
  });

  /** As the record of failed attempts leaves a subscription whose receiver is failing. */
  const fail = (id: string) =>
    scene.posthorn.deps.pool.query(
      "UPDATE subscriptions SET failing_since = now() - interval '2 minutes', failing_attempts = 5 WHERE id = $1",
      [id],
    );

  /** Deliveries of the subscription that are finished: the success rate is theirs. */
  async function finish(delivered: number, failed: number): Promise<void> {
    const { pool, db } = scene.posthorn.deps;
    const place = await db.subscription.findUniqueOrThrow({ where: { id: subscriptionId } });
    const to = [subscriptionId, subscriptionId] as const;
    const eventType = 'order.created';
    if (delivered > 0) await insertListed(pool, place, { eventType, status: 'delivered', count: delivered, to });
    if (failed > 0) await insertListed(pool, place, { eventType, status: 'failed', count: failed, to });
  }

  // A receiver that took nothing stood there as active, in green.
  test('a subscription whose newest tries have all failed is failing, in its list and on its page', async () => {
    const { page } = dashboard;
    await finish(999, 1);
    await dashboard.open('/subscriptions');
    const row = page.getByRole('row').filter({ hasText: 'Till' }).first();
    await row.getByText('99.9%').waitFor();
    expect(await row.getByText('Failing').count()).toBe(0);
    // Deliveries of the same hour have arrived before.
    await fail(subscriptionId);
    await dashboard.open('/subscriptions');
    await row.getByText('Failing').waitFor();
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    const status = page.getByRole('region', { name: 'Status' });
    await status.getByText(/^All recent attempts/).waitFor();
    await page.getByRole('heading', { name: /^Till Failing since/, level: 1 }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await status.getByRole('link', { name: 'View failures' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('subscription') === subscriptionId);
  });

  // Its share was that of the tries: a receiver that takes each third try stood there with 33 %, like one that loses two of three.
  test('deliveries that arrive by a later try count in full, and nothing reads 100 % while all newest tries fail', async () => {
    const { page } = dashboard;
    const { pool } = scene.posthorn.deps;
    // Nothing was given up, and each second try has failed.
    await pool.query('DELETE FROM stat_counts WHERE code = -1');
    await pool.query('UPDATE stat_counts SET count = 1400 WHERE code = 503');
    await finish(10, 0);
    await dashboard.open('/subscriptions');
    const row = page.getByRole('row').filter({ hasText: 'Till' }).first();
    await row.getByText('100%').waitFor();
    const figure = page.locator('dl[aria-label=Figures] > div').filter({ hasText: 'Success rate' });
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    await page.getByText(/attempts, 50% succeeded/).waitFor();
    await figure.getByText('100', { exact: true }).waitFor();
    // Now nothing arrives, and nothing has been given up yet.
    await fail(subscriptionId);
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    await figure.getByText('Failing').waitFor();
    expect(await figure.textContent()).not.toContain('100');
    expect(await dashboard.violations()).toEqual([]);
    await dashboard.open('/subscriptions');
    await row.getByText('Failing').waitFor();
    expect(await row.getByText('100%').count()).toBe(0);
  });

  // Charts of the overview and of subscriptions alone had it.
  test('a marked deployment is a line in the charts beside messages and deliveries too', async () => {
    const { page } = dashboard;
    await scene.make('/v1/markers', { name: 'Deploy 6', at: new Date(Date.now() - 90 * 60_000).toISOString() });
    // A list without rows has no chart.
    const { channelId } = await scene.posthorn.deps.db.subscription.findUniqueOrThrow({
      where: { id: subscriptionId },
    });
    // Fewer than three bars are told in a sentence.
    for (const hours of [1, 12, 23])
      await insertAged(scene.posthorn, { channelId, subscriptionIds: [subscriptionId], ageDays: hours / 24 });
    // Beside a list the line has no room for its name, which stands with the figures of its step.
    for (const path of ['/messages', '/deliveries']) {
      await dashboard.open(path);
      const slider = page.getByRole('slider').first();
      await slider.focus();
      await page.keyboard.press('End');
      const named = page.getByText('Deploy 6', { exact: true });
      for (let step = 0; step < 30 && (await named.count()) === 0; step += 1) await page.keyboard.press('ArrowLeft');
      await named.waitFor();
    }
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    await page.getByRole('main').getByText('Deploy 6', { exact: true }).waitFor();
  });

  // An endpoint that let some attempts through did not count as failing, and nothing told of it while thousands of deliveries waited.
  test('the overview names a receiver that refuses most attempts, for as long as something waits for it', async () => {
    const { page } = dashboard;
    const { pool, db } = scene.posthorn.deps;
    const { channelId, environmentId } = await db.subscription.findUniqueOrThrow({ where: { id: subscriptionId } });
    for (const minutes of [1, 60])
      await pool.query(
        `INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
         VALUES ($1, $2, $3::int, date_bin(make_interval(mins => $3::int), now(), 'epoch'), 429, 16, 180)`,
        [subscriptionId, environmentId, minutes],
      );
    const till = page
      .getByRole('region', { name: /needs? attention$/ })
      .getByRole('listitem')
      .filter({ hasText: 'Till' });
    await dashboard.open('/overview');
    await page.getByRole('heading', { name: 'Busiest subscriptions' }).waitFor();
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    await page.reload();
    await till.getByText(/^7\d(\.\d)?% of attempts failed in the last hour$/).waitFor();
    await till.getByText('1 waiting').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await till.getByRole('link', { name: 'View failures' }).click();
    await page.waitForURL((url) => url.searchParams.get('subscription') === subscriptionId);
  });

  // The overview counted what had failed, and named no receiver.
  test('the overview names the receivers that fail, with what was given up, and leads to their rows', async () => {
    const { page } = dashboard;
    const { pool, db } = scene.posthorn.deps;
    const attention = page.getByRole('region', { name: /needs? attention$/ });
    const till = attention.getByRole('listitem').filter({ hasText: 'Till' });
    const { channelId, environmentId } = await db.subscription.findUniqueOrThrow({ where: { id: subscriptionId } });
    // Another one fails and has given up all the while: once its row is there, figures and dead letters have been read.
    const webhookUrl = 'https://example.com/depot';
    const ofDepot = await scene.make('/v1/channels', { name: 'depots' });
    const depotId = await scene.make('/v1/subscriptions', { channelId: ofDepot, webhookUrl, name: 'Depot' });
    await fail(depotId);
    await insertListed(
      pool,
      { channelId: ofDepot, environmentId },
      { eventType: 'order.created', status: 'failed', count: 2, to: [depotId, depotId] },
    );
    const depot = attention.getByRole('listitem').filter({ hasText: 'Depot' });
    const depotIsRead = async (): Promise<void> => {
      await depot.getByText('on every recent attempt').waitFor();
      await depot.getByText('2 dead letters').waitFor();
    };
    await dashboard.open('/overview');
    await depotIsRead();
    expect(await till.count()).toBe(0);

    await fail(subscriptionId);
    await dashboard.open('/overview');
    await till.getByText('All recent attempts failed').waitFor();
    await depotIsRead();
    expect(await till.getByText('dead letter').count()).toBe(0);

    await insertListed(
      pool,
      { channelId, environmentId },
      { eventType: 'order.created', status: 'failed', count: 3, to: [subscriptionId, subscriptionId] },
    );
    await dashboard.open('/overview');
    await till.getByText('3 dead letters').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await till.getByRole('link', { name: 'View failures' }).click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed,retrying');
    // Nothing fails there any more: what was given up is left.
    await pool.query('UPDATE subscriptions SET failing_since = NULL, failing_attempts = 0 WHERE id = $1', [
      subscriptionId,
    ]);
    await dashboard.open('/overview');
    await till.getByText(/, last \d/).waitFor();
    await till.getByRole('link', { name: 'View dead letters' }).click();
    await page.waitForURL(
      (url) => url.pathname.endsWith('/dead-letters') && url.searchParams.get('subscription') === subscriptionId,
    );

    // Receivers of all channels stood there, whichever one was chosen.
    await dashboard.open(`/overview?channel=${ofDepot}`);
    await depotIsRead();
    expect(await till.count()).toBe(0);
    await depot.getByRole('link', { name: 'View failures' }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/deliveries') && url.searchParams.get('channel') === ofDepot);
  });
});
