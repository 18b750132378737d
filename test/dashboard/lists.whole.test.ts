import { beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { storeFailedDeliveries } from '../support/make/failed-deliveries.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('lists in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  /** Failed deliveries of one subscription, newest first. */
  let ids: string[];

  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    ids = await storeFailedDeliveries(scene, 60);
    await dashboard.open('/deliveries?since=1h');
    await dashboard.page.getByRole('link', { name: ids[0] ?? '' }).waitFor();
  });

  const panel = () => dashboard.page.getByRole('complementary', { name: 'Details' });
  const grid = () => dashboard.page.getByRole('grid', { name: 'Deliveries' });

  // The key of the list had the minute that `1h` began at, so another minute was another list, at its top.
  test('a list of the last hour stays where it is while minutes pass', async () => {
    const { page } = dashboard;
    await grid().focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: ids.at(-1) ?? '' }).waitFor();
    const scrolled = await grid().evaluate((element) => element.scrollTop);
    expect(scrolled).toBeGreaterThan(500);
    await page.clock.setFixedTime(Date.now() + 150_000);
    await page.keyboard.press('Enter');
    await panel()
      .getByRole('heading', { name: ids.at(-1) ?? '' })
      .waitFor();
    await page.keyboard.press('k');
    await panel()
      .getByRole('heading', { name: ids.at(-2) ?? '' })
      .waitFor();
    expect(await grid().evaluate((element) => element.scrollTop)).toBeGreaterThan(scrolled - 100);
  });

  test('a click with Shift on a row selects all rows from the one before on, and opens none', async () => {
    const { page } = dashboard;
    const row = (index: number) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name: ids[index] ?? '' }) });
    const cell = (index: number) => row(index).getByRole('gridcell').nth(1);
    await row(1).getByRole('checkbox').click();
    await cell(4).click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    expect(await row(3).getAttribute('aria-selected')).toBe('true');
    await cell(6).click({ modifiers: ['Shift'] });
    await page.getByText('6 selected').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe('');
    expect(await panel().count()).toBe(0);
    await page.getByRole('button', { name: 'Select none' }).click();
    await page.getByText('6 selected').waitFor({ state: 'detached' });
    await cell(2).click();
    await panel().waitFor();
    await cell(0).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toBe(ids[2]);
  });

  test('each delivery says how old it is', async () => {
    const { page } = dashboard;
    // All of them were made by this file, minutes ago at most.
    await page.clock.setFixedTime(Date.now() + 50 * 60_000);
    await page.reload();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: ids[0] ?? '' }) });
    await row.getByText(/^5\d min/).waitFor();
  });

  test('a kind of failure in place of an answer is the filter by the last error, typed or in the address', async () => {
    const { page } = dashboard;
    const filters = page.getByRole('search');
    const isError = () => page.waitForURL((url) => url.searchParams.get('error') === 'timeout');
    const chip = filters.getByRole('group', { name: 'Set filters' }).getByText('Last error: no answer in time');
    await filters.getByRole('combobox', { name: 'Query' }).fill('answer:timeout');
    await filters.getByRole('combobox', { name: 'Query' }).press('Enter');
    await isError();
    await chip.waitFor();
    await filters.getByLabel('Last error').selectOption('');
    await chip.waitFor({ state: 'detached' });
    await filters.getByLabel('Last answer').fill('timeout');
    await filters.getByLabel('Last answer').press('Enter');
    await isError();
    await dashboard.open('/dead-letters?answer=timeout');
    await isError();
    await chip.waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ error: 'timeout' });
    expect(await page.getByText('Taken out of the address').count()).toBe(0);
  });

  test('the sentence of a delivery counts down to its next try, each second', async () => {
    const { page } = dashboard;
    const nextAt = new Date(Date.now() + 600_000);
    await scene.posthorn.deps.pool.query(
      `UPDATE deliveries SET status = 'retrying', attempts = 3, policy_attempts = 3, max_retries = 10, failure_reason = NULL, due_at = $2,
       next_retry_at = $2, response_latency_ms = 82 WHERE id = $1`,
      [ids[0], nextAt],
    );
    await page.clock.install();
    await dashboard.open(`/deliveries/${ids[0]}`);
    const sentence = page.locator('.sentence');
    await sentence.getByText('Try 3 of 11: got 503 after 82 ms. Next at').waitFor();
    await page.clock.pauseAt(nextAt.getTime() - 71_000);
    const left = async (): Promise<string> => /, in (.+)\.$/.exec(await sentence.innerText())?.[1] ?? '';
    // The clock stopped between two of its seconds.
    const first = await waitFor('the last minutes', async () => /^1 min 1[12] s$/.exec(await left())?.[0]);
    const seconds = 60 + Number(/ (\d+) s$/.exec(first)?.[1]);
    await page.clock.runFor(1_000);
    await waitFor('a second less', async () => (await left()) === `1 min ${seconds - 61} s`);
    await page.clock.runFor(30_000);
    await waitFor('half a minute less', async () => (await left()) === `${seconds - 31} s`);
    // The rules of accessibility are looked at by timers.
    await page.clock.resume();
  });

  // The grid took every Enter below it, so the first row was opened beside the list.
  test('Enter at a link of a row follows that link', async () => {
    const { page } = dashboard;
    await page.getByRole('link', { name: ids[2] ?? '' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: ids[2] ?? '', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`/deliveries/${ids[2] ?? ''}$`));
  });

  test('a middle click on a row opens its page in another tab, and the list stays', async () => {
    const { page, context } = dashboard;
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: ids[1] ?? '' }) });
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      row.getByRole('gridcell').nth(1).click({ button: 'middle' }),
    ]);
    await opened.waitForURL(new RegExp(`/deliveries/${ids[1] ?? ''}$`));
    await opened.close();
    expect(await panel().count()).toBe(0);
  });

  test('a panel appears in 120 ms and a state that changes fades for 600, and neither where less motion is asked for', async () => {
    const { page } = dashboard;
    const durationOf = (wanted: Locator): Promise<string> =>
      wanted.evaluate((element) => {
        // `as`: the tests know no types of a browser.
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle(of: unknown): { animationName: string; animationDuration: string };
        };
        const { animationName, animationDuration } = getComputedStyle(element);
        return animationName === 'none' ? 'none' : animationDuration;
      });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await grid().focus();
    await page.keyboard.press('Enter');
    const state = panel().locator('.sentence .state');
    await state.getByText('Failed').waitFor();
    expect([await durationOf(panel()), await durationOf(state)]).toEqual(['0.12s', 'none']);
    await page.keyboard.press('r');
    await state.getByText('Pending').waitFor();
    expect(await durationOf(state)).toBe('0.6s');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect([await durationOf(panel()), await durationOf(state)]).toEqual(['none', 'none']);
  });

  // WCAG 2.4.11. The padding stood on an element that does not scroll, so the bar lay over what has the focus.
  test('a link that gets the focus by Shift and Tab is not below the bar at the top', async () => {
    const { page } = dashboard;
    await dashboard.open(`/deliveries/${ids[0] ?? ''}`);
    await page.getByRole('heading', { name: ids[0] ?? '', level: 1 }).waitFor();
    await page.setViewportSize({ width: 700, height: 320 });
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const bar = (await page.locator('header.top').boundingBox())?.height ?? 0;
    const main = page.locator('main');
    await main.getByRole('link').last().focus();
    for (let stop = 0; stop < 10; stop += 1) {
      await page.keyboard.press('Shift+Tab');
      const box = await page.locator(':focus').boundingBox();
      if ((await main.locator(':focus').count()) === 0) break;
      expect(box?.y ?? -1).toBeGreaterThanOrEqual(bar);
    }
  });

  // A page that had something to show said nothing of what it could not read any more.
  test('a page whose data cannot be read again says so above them, and is as before once they can', async () => {
    const { page } = dashboard;
    await dashboard.open(`/deliveries/${ids[0] ?? ''}`);
    await page.locator('.sentence').getByText('Failed').waitFor();
    await page.route(/\/v1\/deliveries\/dlv_\w+$/, (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'UNAVAILABLE', message: 'Down for a moment' } } }),
    );
    const alert = page.getByRole('alert').filter({ hasText: 'Some of what is shown is as it was at' });
    await alert.getByText('Down for a moment').waitFor();
    await page.locator('.sentence').getByText('Failed').waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
  });

  // The tab had no filters at all.
  test('the deliveries of a subscription are filtered on its page as in the list of all', async () => {
    const { page } = dashboard;
    const { rows } = await scene.posthorn.deps.pool.query<{ id: string }>(
      'SELECT subscription_id AS id FROM deliveries LIMIT 1',
    );
    await dashboard.open(`/subscriptions/${rows[0]?.id}?tab=deliveries&status=failed&answer=5xx`);
    await page.getByRole('link', { name: ids[0] ?? '' }).waitFor();
    const filters = page.getByRole('search', { name: 'Filters' });
    expect(await filters.getByLabel('Subscription').count()).toBe(0);
    expect(await dashboard.violations()).toEqual([]);
    await filters.getByLabel('State').selectOption('delivered');
    await page.getByText('None match').first().waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('deliveries');
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('link', { name: ids[0] ?? '' }).waitFor();
    expect([...new URL(page.url()).searchParams.keys()]).toEqual(['tab']);
  });

  test.each([
    ['subscriptions', '/v1/subscriptions'],
    ['messages', '/messages'],
    ['deliveries', '/messages'],
  ])('an empty list of %s has the line for a shell that makes the first one', async (list, path) => {
    const { page } = dashboard;
    // Nothing is made there by any test.
    await dashboard.open(`/${list}`, 'live');
    const line = await page.locator('.empty').getByLabel('The same by a shell').innerText();
    expect(line).toMatch(new RegExp(`^curl .*${path}'`));
    expect(line).toContain('$POSTHORN_KEY');
  });
});
