import { beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { storeFailedDeliveries } from '../support/make/failed-deliveries.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

/** How all lists behave, tried on deliveries. */
describeWithBrowser('lists in a browser', () => {
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
  const cell = (index: number, at = 1): Locator => row(index).getByRole('gridcell').nth(at);
  const bar = (): Locator => dashboard.page.getByRole('toolbar', { name: 'Selected rows' });
  const opened = (): string | null => new URL(dashboard.page.url()).searchParams.get('open');
  const scrolled = (): Promise<number> => grid().evaluate((element) => element.scrollTop);

  // The key of the list had the minute that `1h` began at, so another minute was another list, at its top.
  test('a list of the last hour stays where it is while minutes pass', async () => {
    const { page } = dashboard;
    await grid().focus();
    await page.keyboard.press('End');
    await row(59).waitFor();
    const before = await scrolled();
    expect(before).toBeGreaterThan(500);
    await page.clock.setFixedTime(Date.now() + 150_000);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('open') === ids[59]);
    await page.keyboard.press('k');
    await page.waitForURL((url) => url.searchParams.get('open') === ids[58]);
    expect(await scrolled()).toBeGreaterThan(before - 100);
  });

  test('a click with Shift on a row selects all rows from the one before on, and opens none', async () => {
    const { page } = dashboard;
    await row(1).getByRole('checkbox').click();
    await cell(4).click({ modifiers: ['Shift'] });
    await bar().getByText('4 selected').waitFor();
    expect(await row(3).getAttribute('aria-selected')).toBe('true');
    await cell(6).click({ modifiers: ['Shift'] });
    await bar().getByText('6 selected').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe('');
    expect(await panel().count()).toBe(0);
    expect(await dashboard.violations()).toEqual([]);
    await bar().getByRole('button', { name: 'Clear selection' }).click();
    await bar().waitFor({ state: 'detached' });
    await cell(2).click();
    await panel().waitFor();
    await cell(0).click({ modifiers: ['Shift'] });
    await bar().getByText('3 selected').waitFor();
    expect(opened()).toBe(ids[2]);
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await bar().waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await bar().getByText('60 selected').waitFor();
  });

  test('each row says how long ago it was, and the exact time is its tooltip', async () => {
    const { page } = dashboard;
    await page.clock.setFixedTime(Date.now() + 50 * 60_000);
    await page.reload();
    const ago = row(0).getByText(/^5\d min ago/);
    await ago.hover();
    await page.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC \(/).waitFor();
  });

  // The grid took every Enter below it, so the first row was opened beside the list.
  test('Enter at the link of a row follows that link, and a middle click opens its page in another tab', async () => {
    const { page, context } = dashboard;
    await cell(2, 2).getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/open=dlv_|\/deliveries\/dlv_/);
    await dashboard.open('/deliveries?since=1h');
    await row(0).waitFor();
    const [tab] = await Promise.all([context.waitForEvent('page'), cell(1).click({ button: 'middle' })]);
    await tab.waitForURL(new RegExp(`/deliveries/${ids[1] ?? ''}$`));
    await tab.close();
    expect(await panel().count()).toBe(0);
    await grid().focus();
    await page.keyboard.press('o');
    await page.waitForURL(new RegExp(`/deliveries/${ids[0] ?? ''}$`));
  });

  test('all filters are written as one text with completions, and chips and address say the same', async () => {
    const { page } = dashboard;
    const filter = page.getByRole('combobox', { name: 'Filter' });
    const search = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
    const chips = page.getByRole('list', { name: 'Active filters' }).getByRole('listitem');
    // Each test of this file has a subscription called Till: a name of several things is no filter.
    const { db } = scene.posthorn.deps;
    const { subscriptionId } = await db.delivery.findUniqueOrThrow({ where: { id: ids[0] ?? '' } });
    await db.subscription.update({ where: { id: subscriptionId }, data: { name: 'Counter' } });
    await dashboard.open('/deliveries');
    await row(0).waitFor();
    // By keys alone: a name, then one of its values.
    await page.keyboard.press('f');
    await page.keyboard.type('stat');
    await page.getByRole('option', { name: /^Status status:/ }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('fai');
    await page.getByRole('option', { name: /^Failed/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search === '?status=failed');
    await chips.getByText('Failed').waitFor();
    await waitFor('room for another', async () => (await filter.inputValue()) === '');
    await page.keyboard.type('subscription:counter type:order.* answer:500-503');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('answer') === '500-503');
    expect(search()).toMatchObject({ status: 'failed', type: 'order.*', answer: '500-503' });
    expect((await chips.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Status is Failed',
      'Event type is order.*',
      'Subscription is Counter',
      'Status code is 500-503',
    ]);
    // Several values of one filter, by its chip.
    await page.getByRole('button', { name: 'Change filter: Status is Failed' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Retrying' }).click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'retrying,failed');
    await page.keyboard.press('Escape');
    // Backspace takes the last one away, and ← makes text of it.
    await filter.focus();
    await page.keyboard.press('Backspace');
    await page.waitForURL((url) => !url.searchParams.has('answer'));
    await page.keyboard.press('ArrowLeft');
    await waitFor('the chip as text', async () => (await filter.inputValue()) === 'subscription:Counter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('subscription'));

    // With a fault in it nothing changes.
    const before = page.url();
    for (const [text, told] of [
      ['stauts:failed', 'Unknown filter “stauts”. Did you mean status?'],
      ['failed', 'Write filters as name:value, for example status:pending'],
      ['status:lost', '“status:lost” isn’t a valid value for this filter'],
      ['answer:500-600', '“answer:500-600” isn’t a valid value for this filter'],
      ['answer:4xx answer:5xx', '“answer” is set twice'],
      ['type:"order', 'Missing closing quote in “type:"order”'],
    ] as const) {
      await filter.fill(text);
      await page.keyboard.press('Escape');
      await filter.press('Enter');
      await page.getByText(told.replace('’', "'"), { exact: true }).waitFor();
      expect(page.url()).toBe(before);
    }
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    // Words may be a value of a payload, which the search finds.
    await filter.fill('Elin Bergström');
    await page.getByRole('option', { name: 'Search payloads for “Elin Bergström”' }).waitFor();
    await page.keyboard.press('Escape');
    await filter.press('Enter');
    const link = page.getByRole('link', { name: 'Search payloads for “Elin Bergström”' });
    expect(new URL((await link.getAttribute('href')) ?? '', before).searchParams.get('q')).toBe('Elin Bergström');
    expect(await dashboard.violations()).toEqual([]);
    await filter.fill('');
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.waitForURL((url) => url.search === '');
    // While nothing else is offered, the key takes the offer.
    await filter.fill('Elin Bergström');
    await page.getByRole('option', { name: 'Search payloads for “Elin Bergström”' }).waitFor();
    await filter.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith('/search') && url.searchParams.get('q') === 'Elin Bergström');
  });

  test('a kind of failure in place of a status code is the filter by the error, typed or in the address', async () => {
    const { page } = dashboard;
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('answer:timeout');
    await page.keyboard.press('Escape');
    await filter.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('error') === 'timeout');
    await page.getByRole('button', { name: 'Remove filter: Error is Timeout' }).click();
    await page.waitForURL((url) => !url.searchParams.has('error'));
    await dashboard.open('/deliveries?answer=timeout');
    await page.waitForURL((url) => url.searchParams.get('error') === 'timeout');
    expect(await page.getByText('Ignored invalid filters').count()).toBe(0);
  });

  test('an address with what a list does not know loses it, and says so where a filter was meant', async () => {
    const { page } = dashboard;
    for (const [path, kept, taken] of [
      ['/deliveries?foo=1', {}, undefined],
      ['/deliveries?status=lost&type=order.*', { type: 'order.*' }, 'Status lost'],
      ['/deliveries?answer=9xx&subscription=Till', {}, 'Status code 9xx, Subscription Till'],
      ['/deliveries?since=yesterday&until=12', {}, 'Since yesterday, Until 12'],
    ] as const) {
      await dashboard.open(path);
      const wanted = JSON.stringify(kept);
      await page.waitForURL((url) => JSON.stringify(Object.fromEntries(url.searchParams)) === wanted);
      const told = page.getByText('Ignored invalid filters:');
      if (taken === undefined) expect(await told.count()).toBe(0);
      else await told.filter({ hasText: taken }).waitFor();
    }
  });

  test('a list that is empty because of its filters has the ways out in it, and one from before retention says so', async () => {
    const { page } = dashboard;
    await dashboard.open('/deliveries?status=delivered&since=1h');
    const none = page.getByRole('heading', { name: 'No deliveries match' });
    await none.waitFor();
    await page.getByRole('button', { name: 'Last 24 hours', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('since') === '24h');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(0).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await dashboard.open('/deliveries?since=400d&until=370d');
    await page.getByRole('heading', { name: 'Outside the retention period' }).waitFor();
    await page.getByText('No channel keeps messages for longer than', { exact: false }).waitFor();
  });

  test('a list is narrowed to a span between two times, and a relative span is made absolute', async () => {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Time range: Last hour' }).click();
    await page.getByRole('menuitem', { name: 'Use absolute times' }).click();
    await page.waitForURL((url) => /^\d{4}-\d\d-\d\dT/.test(url.searchParams.get('since') ?? ''));
    await page.getByRole('button', { name: /^Time range: \d+ \w+ \d\d:\d\d – now/ }).click();
    await page.getByRole('menuitem', { name: 'Custom range…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Custom range' });
    await dialog.getByLabel('Until (UTC)').fill('2026-01-02T03:04:05');
    await dialog.getByText('Must be later than From').waitFor();
    await dialog.getByLabel('From (UTC)').fill('2026-01-01T00:00:00');
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL((url) => url.searchParams.get('until') === '2026-01-02T03:04:05.000Z');
  });

  test('columns are hidden, and stay hidden in that list', async () => {
    const { page } = dashboard;
    const head = page.getByRole('columnheader', { name: 'Attempts' });
    await head.waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('menuitemcheckbox', { name: 'Attempts' }).click();
    await head.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.reload();
    await row(0).waitFor();
    expect(await head.count()).toBe(0);
  });

  test('the panel is made wider and narrower by keys and by the mouse, stays so, and is a sheet on a narrow screen', async () => {
    const { page } = dashboard;
    const border = page.getByRole('separator', { name: 'Resize panel' });
    const until = (width: number): Promise<unknown> =>
      waitFor(`a panel of ${width} px`, async () => Math.round((await panel().boundingBox())?.width ?? 0) === width);
    await cell(0).click();
    await until(480);
    await border.focus();
    await page.keyboard.press('ArrowLeft');
    await until(504);
    await page.keyboard.press('Home');
    await until(360);
    await page.keyboard.press('End');
    await until(864);
    expect(await dashboard.violations()).toEqual([]);
    const { x = 0, width = 0, height = 0 } = (await border.boundingBox()) ?? {};
    await page.mouse.move(x + width / 2, height / 2);
    await page.mouse.down();
    await page.mouse.move(1_440 - 600, height / 2, { steps: 4 });
    await page.mouse.up();
    await until(600);
    await page.reload();
    await until(600);
    await border.dblclick();
    await until(480);
    await page.setViewportSize({ width: 800, height: 900 });
    const sheet = page.getByRole('dialog', { name: 'Delivery' });
    await sheet.waitFor();
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 390, height: 844 });
    await row(0).waitFor();
    // The list does not begin a whole screen below the top.
    expect((await row(0).boundingBox())?.y ?? Infinity).toBeLessThan(300);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await dashboard.violations()).toEqual([]);
  });

  test('rows are as high as their person wants them, and keys lead to the last of them', async () => {
    const { page } = dashboard;
    const heightOf = async (index: number): Promise<number> =>
      Math.round((await row(index).boundingBox())?.height ?? 0);
    expect(await heightOf(0)).toBe(36);
    await dashboard.open('/account');
    await page.getByRole('group', { name: 'Rows' }).getByRole('button', { name: 'Compact' }).click();
    await dashboard.open('/deliveries?since=1h');
    await row(0).waitFor();
    expect(await heightOf(0)).toBe(30);
    expect(await dashboard.violations()).toEqual([]);
    await grid().focus();
    await page.keyboard.press('End');
    await row(59).waitFor();
    // All of it is in view.
    await waitFor('the whole last row', async () => {
      const [last, list] = [await row(59).boundingBox(), await grid().boundingBox()];
      return last !== null && list !== null && last.y > list.y && last.y + last.height <= list.y + list.height + 1;
    });
  });

  // Each of some thirty links in view was a stop between a list and the panel of its row.
  test('a list is one stop of Tab, the controls of its chosen row are the next, and what is selected and open is said of a row', async () => {
    const { page } = dashboard;
    const { keyboard } = page;
    await grid().focus();
    await keyboard.press('ArrowDown');
    await keyboard.press('x');
    await page.locator('[role=row][aria-selected=true]').waitFor();
    expect(await row(1).getAttribute('aria-selected')).toBe('true');
    await keyboard.press('Enter');
    await panel().waitFor();
    await waitFor('the open row', async () => (await row(1).getAttribute('aria-current')) === 'true');
    expect(await row(2).getAttribute('aria-selected')).toBe('false');
    expect(await row(2).getAttribute('aria-current')).toBeNull();
    await grid().focus();
    const isInPanel = (): Promise<boolean> => panel().evaluate((aside) => aside.matches(':focus-within'));
    let stops = 0;
    while (!(await isInPanel()) && stops < 20) {
      await keyboard.press('Tab');
      stops += 1;
    }
    expect(await isInPanel()).toBe(true);
    // The head of the list, the chosen row and the bar of what is selected: no other row.
    expect(stops).toBeLessThanOrEqual(12);
    await keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    // The list has the focus again, so that reading goes on.
    await waitFor('the focus of the list', () => grid().evaluate((element) => element.matches(':focus')));
  });

  // A page that had something to show said nothing of what it could not read any more.
  test('a page whose data cannot be read again says so above them, and is as before once they can', async () => {
    const { page } = dashboard;
    await dashboard.open(`/deliveries/${ids[0] ?? ''}`);
    const status = page.getByRole('region', { name: 'Status' });
    await status.waitFor();
    await page.route(/\/v1\/deliveries\/dlv_\w+$/, (route) =>
      route.fulfill({
        status: 503,
        headers: { 'x-request-id': 'req_midway' },
        json: { error: { code: 'UNAVAILABLE', message: 'Down for a moment' } },
      }),
    );
    const alert = page.getByRole('alert').filter({ hasText: 'Last updated' });
    await alert.getByText('Down for a moment').waitFor();
    await alert.getByRole('button', { name: 'Details' }).click();
    await alert.getByText('req_midway').waitFor();
    await status.waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
  });

  test('a list leaves as a file that the service writes, and says how it is taken by cURL', async () => {
    const { page } = dashboard;
    await dashboard.open('/deliveries?status=failed');
    await row(0).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByText('/v1/deliveries/export?format=csv&status=failed').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('deliveries.csv');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('File saved').first().waitFor();
  });

  test('an empty list has the cURL line that makes the first one', async () => {
    const { page } = dashboard;
    // Nothing is made there by any test.
    await dashboard.open('/deliveries', 'live');
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    const line = await page.getByRole('region', { name: 'cURL' }).innerText();
    expect(line).toMatch(/^curl .*\/messages'/);
    expect(line).toContain('$POSTHORN_KEY');
  });

  test('stopped updates stop every question of a list and its clocks, and go on with one key', async () => {
    const { page } = dashboard;
    await page.clock.install();
    await dashboard.open('/deliveries?since=1h');
    await row(0).waitFor();
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).click();
    await page.getByRole('button', { name: 'Auto-refresh off. Resume' }).waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (/\/v1\/(deliveries|stats)/.test(request.url())) asked += 1;
    });
    // The clock of the page goes on by two minutes: whatever asks every 3, 15 or 30 seconds would have asked.
    await page.clock.runFor(120_000);
    expect(asked).toBe(0);
    await page.keyboard.press('l');
    await page.clock.runFor(60_000);
    await waitFor('a question', () => asked > 0);
    await page.clock.resume();
  });
});
