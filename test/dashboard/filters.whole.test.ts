import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('filters in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let page: Page;
  let channelId: string;
  let messageId: string;
  beforeAll(async () => {
    scene = await setDashboardScene({ withWorker: false });
    channelId = await scene.make('/v1/channels', { name: 'orders', retentionDays: 7 });
    await scene.make('/v1/subscriptions', { channelId, name: 'Till', webhookUrl: 'https://example.com/till' });
    messageId = await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
  });
  afterAll(() => scene.end());
  beforeEach(async () => {
    ({ dashboard } = await scene.enter());
    ({ page } = dashboard);
  });
  afterEach(() => scene.leave());

  const searchOf = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);

  test('an address with what a list does not know loses it, and says so where a filter was meant', async () => {
    // The list has shown all rows beside a filter that it did not apply, or the refusal of the service in place of them.
    const told = page.getByText('Taken out of the address, because nothing can have that value:');
    for (const [path, kept, taken] of [
      ['/messages?foo=1', {}, undefined],
      ['/messages?status=lost&type=order.*', { type: 'order.*' }, 'State lost'],
      ['/runs?status=failed,failed', {}, 'State failed,failed'],
      ['/messages?type=a*b', {}, 'Type a*b'],
      ['/messages?since=yesterday&until=12', {}, 'In the last yesterday, Until 12'],
      ['/deliveries?answer=9xx&subscription=Till', {}, 'Last answer 9xx, Subscription Till'],
      ['/runs?workflow=1&tab=old', { tab: 'old' }, 'Workflow 1'],
      ['/audit?action=order.created', {}, 'Action order.created'],
      ['/api-keys?status=gone&foo=1', {}, 'State gone'],
    ] as const) {
      await dashboard.open(path);
      await page.waitForURL((url) => {
        const { foo, status, type, since, answer, action, workflow } = Object.fromEntries(url.searchParams);
        const left = { foo, status, since, answer, action, workflow, ...(type === 'a*b' && { type }) };
        return Object.values(left).every((value) => value === undefined);
      });
      expect({ path, left: searchOf() }).toEqual({ path, left: kept });
      if (taken === undefined) await page.getByRole('link', { name: messageId }).waitFor();
      else await page.getByText(taken, { exact: false }).filter({ hasText: 'Taken out' }).waitFor();
      expect(await told.count()).toBe(taken === undefined ? 0 : 1);
    }
  });

  // The list began a whole screen below the top of a telephone.
  test('on a telephone fields and charts are folded away until they are wanted, and stay open then', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await dashboard.open('/deliveries');
    const row = page.getByRole('grid', { name: 'Deliveries' }).getByRole('row').nth(1);
    await row.waitFor();
    const box = await row.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(480);
    const filters = page.getByRole('search');
    expect(await filters.getByLabel('Last answer').count()).toBe(0);
    await filters.getByRole('button', { name: 'Fields' }).click();
    await filters.getByLabel('Last answer').waitFor();
    await dashboard.open('/messages');
    await filters.getByLabel('Type', { exact: true }).waitFor();
    const figure = page.getByRole('figure', { name: 'Messages accepted' });
    await filters.getByRole('button', { name: 'Charts', expanded: false }).click();
    await figure.waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.reload();
    await figure.waitFor();
    await filters.getByRole('button', { name: 'Charts' }).click();
    await figure.waitFor({ state: 'detached' });
  });

  test('a value that is typed and nothing can have is taken back, until another one is chosen', async () => {
    await dashboard.open('/deliveries');
    const filters = page.getByRole('search');
    await filters.getByLabel('Last answer').fill('soon');
    await filters.getByLabel('Last answer').press('Enter');
    const told = filters.getByText('nothing can have that value: Last answer soon');
    await told.waitFor();
    expect(searchOf()).toEqual({});
    await filters.getByLabel('State').selectOption('failed');
    await told.waitFor({ state: 'detached' });
    expect(searchOf()).toEqual({ status: 'failed' });
  });

  test('a list that is empty because of its filters has the way out in it', async () => {
    for (const [path, heading] of [
      ['/messages?type=order.lost', 'None match'],
      ['/deliveries?status=delivered', 'None match'],
      ['/subscriptions?status=disabled', 'None match'],
      ['/approvals?status=approved', 'None match'],
      ['/connectors?search=nobody', 'None match'],
    ] as const) {
      await dashboard.open(path);
      const empty = page.locator('.empty').filter({ hasText: heading });
      await empty.getByRole('button', { name: 'Clear filters' }).click();
      await empty.waitFor({ state: 'detached' });
      expect(searchOf()).toEqual({});
    }
  });

  test('a list is narrowed to a span between two times, whose ends are written', async () => {
    await dashboard.open('/messages');
    const filters = page.getByRole('search');
    await page.getByRole('link', { name: messageId }).waitFor();
    await filters.getByLabel('In the last').selectOption('between');
    await page.waitForURL((url) => url.searchParams.has('since') && url.searchParams.has('until'));
    await page.getByRole('link', { name: messageId }).waitFor();
    await filters.getByLabel('Until').fill('2026-01-02T03:04:05');
    await filters.getByLabel('Until').press('Enter');
    await page.waitForURL((url) => url.searchParams.get('until') === '2026-01-02T03:04:05.000Z');
    await page.locator('.empty').getByText('Retention has ended it').waitFor();
    await filters.getByLabel('Until').fill('');
    await filters.getByLabel('Until').press('Enter');
    await page.getByRole('link', { name: messageId }).waitFor();
    expect(Object.keys(searchOf())).toEqual(['since']);
    await filters.getByLabel('In the last').selectOption('24h');
    await page.waitForURL((url) => url.searchParams.get('since') === '24h');
    await filters.getByLabel('Until').waitFor({ state: 'detached' });
  });

  // Such a list said that none matched, and its reader looked for the filter that was wrong.
  test('a list of a time from before all that is kept says that retention has ended it, and which one', async () => {
    const empty = page.locator('.empty');
    for (const list of ['messages', 'deliveries']) {
      await dashboard.open(`/${list}?channel=${channelId}&since=20d&until=10d`);
      await empty.getByText('The channel orders keeps messages for 7 days.', { exact: false }).waitFor();
      await empty.getByRole('heading', { name: 'Retention has ended it' }).waitFor();
      // Another channel keeps its messages for longer.
      await dashboard.open(`/${list}?since=20d&until=10d`);
      await empty.getByRole('heading', { name: 'None match' }).waitFor();
      await dashboard.open(`/${list}?since=400d&until=370d`);
      await empty.getByText('No channel here keeps messages for longer than', { exact: false }).waitFor();
      await empty.getByRole('button', { name: 'Clear filters' }).click();
      await page.waitForURL((url) => url.search === '');
    }
  });

  test('a list of runs from before those that are kept says so, and for how long the app keeps them', async () => {
    const empty = page.locator('.empty');
    await dashboard.open('/runs?since=20d&until=10d');
    await empty.getByRole('heading', { name: 'None match' }).waitFor();
    await dashboard.open('/runs?since=60d&until=40d');
    await empty.getByText('This app keeps runs for 30 days after their end.', { exact: false }).waitFor();
    await empty.getByRole('heading', { name: 'Retention has ended it' }).waitFor();
    await empty.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => url.search === '');
    await empty.getByRole('heading', { name: 'No run yet' }).waitFor();
  });

  // A filter took one state: who looked for what is in trouble had to ask twice.
  test('a list is asked for several states at once, and query, chip and field say which', async () => {
    await dashboard.open('/deliveries?status=retrying,failed');
    const filters = page.getByRole('search');
    const query = filters.getByRole('combobox', { name: 'Query' });
    const chips = filters.getByRole('group', { name: 'Set filters' }).getByRole('button');
    await page.locator('.empty').getByRole('heading', { name: 'None match' }).waitFor();
    expect(await chips.allInnerTexts()).toEqual(['State: Retrying, Failed ×']);
    expect(await filters.getByLabel('State').locator('option:checked').innerText()).toBe('Retrying, Failed');
    expect((await query.inputValue()).trim()).toBe('status:retrying,failed');

    // The field makes room behind its text once it has the focus.
    await query.focus();
    await waitFor('room behind the text', async () => (await query.inputValue()).endsWith(' '));
    await query.fill('status:failed,pe');
    await filters.getByRole('option').getByText('status:failed,pending', { exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed,pending');
    await page.getByRole('link', { name: /^dlv_/ }).waitFor();
    expect(await dashboard.violations()).toEqual([]);

    // One that nothing can have beside a good one changes nothing.
    await query.fill('status:failed,lost');
    await query.press('Enter');
    await filters.getByText('Nothing can have that value: “status:failed,lost”.').waitFor();
    expect(searchOf()).toEqual({ status: 'failed,pending' });

    // A field has one of them, or all.
    await filters.getByLabel('State').selectOption('pending');
    await page.waitForURL((url) => url.searchParams.get('status') === 'pending');
    for (const list of ['messages', 'runs']) {
      const states = 'failed,pending';
      await dashboard.open(`/${list}?status=${states}`);
      await waitFor(`the query of ${list}`, async () => (await query.inputValue()).trim() === `status:${states}`);
      expect(await chips.count()).toBe(1);
    }
  });

  // A field for each filter was the only way: nobody could write what they looked for, or hand it on as a text.
  test('all filters are written as one text with completions, and text, chips, fields and address say the same', async () => {
    await dashboard.open('/deliveries');
    const filters = page.getByRole('search');
    const query = filters.getByRole('combobox', { name: 'Query' });
    const options = filters.getByRole('option');
    const written = async (text: string): Promise<void> => {
      await waitFor(`the query ${text}`, async () => (await query.inputValue()).trim() === text);
    };

    // By keys alone: a name, then one of its values.
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
    await filters.getByLabel('Subscription').locator('option', { hasText: 'Till' }).waitFor({ state: 'attached' });
    await waitFor('the key f', async () => {
      await page.keyboard.press('f');
      return query.evaluate((element) => element.matches(':focus'));
    });
    await page.keyboard.type('stat');
    await options.getByText('status:', { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await query.getAttribute('aria-activedescendant')).toBe(await options.first().getAttribute('id'));
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.type('fai');
    await options.getByText('status:failed', { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search === '?status=failed');
    await waitFor('the blank behind it', async () => (await query.inputValue()) === 'status:failed ');
    await page.keyboard.type('subscription:till type:order.* answer:500-503');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('answer') === '500-503');
    expect(searchOf()).toMatchObject({ status: 'failed', type: 'order.*', answer: '500-503' });
    await written('status:failed type:order.* subscription:Till answer:500-503');
    expect(await filters.getByLabel('State').inputValue()).toBe('failed');
    expect(await filters.getByLabel('Last answer').inputValue()).toBe('500-503');
    const chips = filters.getByRole('group', { name: 'Set filters' }).getByRole('button');
    expect(await chips.allInnerTexts()).toEqual([
      'State: Failed ×',
      'Type: order.* ×',
      'Subscription: Till ×',
      'Last answer: 500-503 ×',
    ]);

    // A chip, a field and the way back change the text.
    await chips.getByText('Type').click();
    await written('status:failed subscription:Till answer:500-503');
    await filters.getByLabel('State').selectOption('');
    await written('subscription:Till answer:500-503');
    await page.goBack();
    await written('status:failed subscription:Till answer:500-503');

    // With a fault in it nothing changes.
    const before = page.url();
    for (const [text, told] of [
      ['stauts:failed', 'No filter is called “stauts”.'],
      ['failed', '“failed” has no name before it'],
      ['status:lost', 'Nothing can have that value: “status:lost”.'],
      ['answer:500-600', 'Nothing can have that value: “answer:500-600”.'],
      ['status:failed status:pending', '“status” stands there twice.'],
    ] as const) {
      await query.fill(`type:order.* ${text}`);
      await query.press('Enter');
      await filters.getByText(told, { exact: false }).waitFor();
      expect(page.url()).toBe(before);
    }
    expect(await query.getAttribute('aria-invalid')).toBe('true');
    await query.fill('');
    await query.press('Enter');
    await page.waitForURL((url) => url.search === '');
    await chips.first().waitFor({ state: 'detached' });
  });
});
