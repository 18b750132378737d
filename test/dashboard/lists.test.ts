import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

let scene: DashboardScene;
let dashboard: Dashboard;
/** Failed deliveries of one subscription, newest first. */
let ids: string[];

beforeAll(async () => {
  scene = await setDashboardScene({ withWorker: false });
});
afterAll(() => scene.end());
beforeEach(async () => {
  ({ dashboard } = await scene.enter());
  ids = await storeFailed(60);
  await dashboard.open('/deliveries?since=1h');
  await dashboard.page.getByRole('link', { name: ids[0] ?? '' }).waitFor();
});
afterEach(() => scene.leave());

async function storeFailed(count: number): Promise<string[]> {
  const channelId = await scene.make('/v1/channels', { name: `orders ${Date.now()}` });
  const webhookUrl = 'https://example.com/hook';
  const subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
  const { pool, db } = scene.posthorn.deps;
  await pool.query('TRUNCATE messages, deliveries, dead_letters CASCADE');
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const { rows } = await pool.query<{ id: string }>(
    `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'order.created', '{}', now() FROM generate_series(1, $4) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts, max_retries,
         initial_delay, max_delay, backoff_multiplier, last_attempt_at, response_status, response_latency_ms, failure_reason)
       SELECT posthorn_id('dlv'), $1, $2, id, $3, 'order.created', 'failed', 4, 3, 1000, 60000, 2, now(), 503, 80, 'exhausted' FROM message
       RETURNING id, message_id
     ), letter AS (
       INSERT INTO dead_letters (id, environment_id, kind, status, channel_id, message_id, subscription_id, delivery_id, round, event_type,
         reason, error_class, error_status, attempts, failed_at)
       SELECT posthorn_id('dlq'), $1, 'delivery', 'open', $2, message_id, $3, id, 1, 'order.created', 'exhausted', 'status', 503, 4, now()
       FROM delivery
     )
     SELECT id FROM delivery ORDER BY id DESC`,
    [environmentId, channelId, subscriptionId, count],
  );
  return rows.map(({ id }) => id);
}

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

// `message` was neither shown nor sent: the preview counted the whole environment.
test('retrying all that match takes the message of the address, which is shown and can be taken away', async () => {
  const { page } = dashboard;
  const { rows } = await scene.posthorn.deps.pool.query<{ message: string }>(
    'SELECT message_id AS message FROM deliveries WHERE id = $1',
    [ids[5]],
  );
  const message = rows[0]?.message ?? '';
  await dashboard.open(`/deliveries?status=failed&message=${message}`);
  await page.getByRole('button', { name: 'Retry all that match' }).click();
  await page.getByText('1 delivery matches.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: `Message ${message}: take the filter away` }).click();
  await page.waitForURL((url) => !url.searchParams.has('message'));
  await page.getByRole('link', { name: ids[0] ?? '' }).waitFor();

  await dashboard.open(`/dead-letters?workflow=wfl_none&message=${message}`);
  await page.getByRole('button', { name: 'Workflow wfl_none: take the filter away' }).click();
  await page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: /^dlq_/ }) })
    .waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await waitFor('all of them', async () => (await page.getByRole('link', { name: /^dlq_/ }).count()) > 1);
});

test('all of a time, a class of answers and a slowness are retried at once', async () => {
  const { page } = dashboard;
  const filters = page.getByRole('search');
  // A key for what is looked for most: only the failures.
  await page.keyboard.press('e');
  await page.waitForURL(/status=failed/);
  const chips = filters.getByRole('group', { name: 'Set filters' });
  const counted = async (answer: string, text: string): Promise<void> => {
    await filters.getByLabel('Last answer').fill(answer);
    await filters.getByLabel('Last answer').press('Enter');
    await page.waitForURL((url) => url.searchParams.get('answer') === answer);
    await chips.getByText(`Last answer: ${answer}`).waitFor();
    await page.getByRole('button', { name: 'Retry all that match' }).click();
    await page.getByRole('dialog').getByText(text, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  };
  await counted('4xx', '0 deliveries match.');
  await counted('5xx', '60 deliveries match.');
  await filters.getByLabel('Answered after').selectOption('1000');
  await page.waitForURL(/slow=1000/);
  await chips.getByText(/^Answered after/).waitFor();
  await page.getByRole('button', { name: 'Retry all that match' }).click();
  await page.getByRole('dialog').getByText('0 deliveries match.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).click();
  await page.keyboard.press('e');
  await page.waitForURL((url) => !url.searchParams.has('status'));
});

test('f leads to the filters, and r retries the delivery that is open', async () => {
  const { page } = dashboard;
  await page.keyboard.press('f');
  expect(
    await page
      .getByRole('search')
      .getByLabel('Query')
      .evaluate((element) => element.matches(':focus')),
  ).toBe(true);
  await grid().focus();
  await page.keyboard.press('Enter');
  await panel().locator('.sentence').getByText('Failed').waitFor();
  await page.keyboard.press('r');
  await page.getByText('Retry asked for').waitFor();
  await panel().locator('.sentence').getByText('Pending').waitFor();
});

// The key knew nothing but the row that is open.
test('r retries the chosen row, or those that are selected', async () => {
  const { page } = dashboard;
  const statusOf = async (id = ''): Promise<string> => {
    const path = `/v1/deliveries/${id}`;
    return (await scene.posthorn.request<{ status: string }>('GET', path, undefined, scene.key)).body.status;
  };
  const areDue = (wanted: readonly string[]): Promise<unknown> =>
    waitFor('they are due again', async () =>
      (await Promise.all(wanted.map(statusOf))).every((status) => status === 'pending'),
    );
  await grid().focus();
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  await areDue(ids.slice(1, 2));
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('r');
  await areDue(ids.slice(2, 4));
  await page.getByText('2 selected').waitFor({ state: 'detached' });
  // Rows beside them stay as they are.
  expect(await Promise.all([ids[0], ids[4]].map(statusOf))).toEqual(['failed', 'failed']);
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
  ['workflows', '/v1/workflows'],
])('an empty list of %s has the line for a shell that makes the first one', async (list, path) => {
  const { page } = dashboard;
  // Nothing is made there by any test.
  await dashboard.open(`/${list}`, 'live');
  const line = await page.locator('.empty').getByLabel('The same by a shell').innerText();
  expect(line).toMatch(new RegExp(`^curl .*${path}'`));
  expect(line).toContain('$POSTHORN_KEY');
});
