import { beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { storeFailedDeliveries } from '../support/make/failed-deliveries.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('list retries in a browser', () => {
  /** Retries of the list of deliveries: of a row, of those that are selected, and of all that a filter matches. */
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
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed,retrying');
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

  // "Failures only" left out what had failed and is being retried.
  test('failures only are those that failed and those that are being retried', async () => {
    const { page } = dashboard;
    const [retried = '', failed = '', arrived = ''] = ids;
    const { pool } = scene.posthorn.deps;
    await pool.query(
      `UPDATE deliveries SET status = 'retrying', next_retry_at = now() + interval '1 hour' WHERE id = $1`,
      [retried],
    );
    await pool.query(`UPDATE deliveries SET status = 'delivered', response_status = 200 WHERE id = $1`, [arrived]);
    await dashboard.open('/deliveries?since=1h');
    await page.getByRole('link', { name: arrived }).waitFor();
    await page.getByRole('button', { name: 'Failures only' }).click();
    await page.getByRole('link', { name: arrived }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: retried }).waitFor();
    await page.getByRole('link', { name: failed }).waitFor();
    await page.getByRole('button', { name: 'Failures only', pressed: true }).waitFor();
  });

  // The question was no form, so Enter did nothing.
  test('Enter in a field of the question retries all that match', async () => {
    const { page } = dashboard;
    await dashboard.open('/deliveries?since=1h&status=failed');
    await page.getByRole('button', { name: 'Retry all that match' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('60 deliveries match.', { exact: true }).waitFor();
    await dialog.getByRole('textbox').fill('5');
    await dialog.getByRole('textbox').press('Enter');
    await page.getByText('Retry asked for').waitFor();
    await page.waitForURL(/\/replays\?/);
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

  // The key asked nothing, and sent again what had arrived already. The button beside the rows did so as well.
  test('rows of which one has arrived are retried by r and by the button only once that was asked', async () => {
    const { page } = dashboard;
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await scene.posthorn.deps.pool.query(
      "UPDATE deliveries SET status = 'delivered', failure_reason = NULL, response_status = 200 WHERE id = $1",
      [ids[1]],
    );
    await dashboard.open('/deliveries?since=1h');
    await page.getByRole('row', { name: /Delivered/ }).waitFor();
    await grid().focus();
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Retry 2 deliveries?' });
    await dialog.getByText('One of them has arrived already.').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(sent).toEqual([]);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Retry asked for').waitFor();
    expect(sent.map((url) => new URL(url).pathname)).toEqual(ids.slice(0, 2).map((id) => `/v1/deliveries/${id}/retry`));
  });

  // A key that was held down asked for the retry once for each of its repeats. One that waits for its turn was asked for too, and refused.
  test('r that is held down retries once, and opens a delivery that waits for its turn anyway', async () => {
    const { page } = dashboard;
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await grid().focus();
    await page.keyboard.down('r');
    for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down('r');
    await page.keyboard.up('r');
    await page.getByText('Retry asked for').waitFor();
    await page.getByRole('row', { name: /Pending/ }).waitFor();
    expect(sent).toHaveLength(1);
    await page.keyboard.press('r');
    await panel().locator('.sentence').getByText('Pending').waitFor();
    expect(sent).toHaveLength(1);
  });
});
