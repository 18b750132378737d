import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

let scene: DashboardScene;
let dashboard: Dashboard;
let page: Page;
let messageId: string;
beforeAll(async () => {
  scene = await setDashboardScene({ withWorker: false });
  const channelId = await scene.make('/v1/channels', { name: 'orders' });
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
    ['/messages?type=a*b', {}, 'Type a*b'],
    ['/messages?since=yesterday&until=12', {}, 'In the last yesterday, Until 12'],
    ['/deliveries?answer=9xx&subscription=Till', {}, 'Last answer 9xx, Subscription Till'],
    ['/dead-letters?answer=9xx', {}, 'Last answer 9xx'],
    ['/dead-letters?answer=503-500', {}, 'Last answer 503-500'],
    ['/runs?workflow=1&tab=old', { tab: 'old' }, 'Workflow 1'],
    ['/audit?action=order.created', {}, 'Action order.created'],
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
    ['/dead-letters?status=discarded', 'None match'],
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
  await page.locator('.empty').getByText('None match').waitFor();
  await filters.getByLabel('Until').fill('');
  await filters.getByLabel('Until').press('Enter');
  await page.getByRole('link', { name: messageId }).waitFor();
  expect(Object.keys(searchOf())).toEqual(['since']);
  await filters.getByLabel('In the last').selectOption('24h');
  await page.waitForURL((url) => url.searchParams.get('since') === '24h');
  expect(await filters.getByLabel('Until').count()).toBe(0);
});
