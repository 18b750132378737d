import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Download } from 'playwright-core';
import { csvLine } from '../../src/kernel/values/text.ts';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { OWNER, signIn } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('list exports in a browser', () => {
  /** Lists that the browser writes into a file, from the pages that the list route answers. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const dialog = () => dashboard.page.getByRole('dialog', { name: 'Export', exact: true });
  const [TABLE, LINES] = ['CSV', 'JSON Lines'] as const;

  async function openDialog(button = 'Export'): Promise<void> {
    await dashboard.page.getByRole('button', { name: button, exact: true }).click();
    await dialog().waitFor();
  }

  /** Presses the button of the dialog, and gives the file that comes of it. */
  async function saved(button: string): Promise<{ name: string; text: string }> {
    const [download] = await Promise.all([
      dashboard.page.waitForEvent('download'),
      dialog().getByRole('button', { name: button }).click(),
    ]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
  }

  // `as`: each line is a row of its list.
  const rowsOf = <Row>(lines: string): Row[] =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);

  async function answerOf(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${scene.posthorn.keys.test}` };
    const answer = await fetch(scene.posthorn.url + path, { headers });
    expect(answer.status).toBe(200);
    return answer.text();
  }

  test('somebody takes the paused subscriptions into a table and into lines, and both have what the list answers', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const names = ['=HYPERLINK("https://example.com")', 'Till, "old"', 'Shop'];
    for (const [at, name] of names.entries())
      await scene.make('/v1/subscriptions', {
        channelId,
        name,
        webhookUrl: `https://example.com/${at}`,
        status: 'paused',
        filter: `payload.total > ${at}.50`,
        headers: { 'x-team': 'till, shop' },
      });
    await scene.make('/v1/subscriptions', { channelId, name: 'In use', webhookUrl: 'https://example.com/used' });

    const { page } = dashboard;
    await dashboard.open('/subscriptions?status=paused');
    await page.getByRole('link', { name: 'Shop' }).waitFor();
    await openDialog();
    await dialog().getByText('/v1/subscriptions?status=paused&limit=100').waitFor();
    await dialog().getByText('up to the first 10,000 rows').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    const table = await saved(TABLE);
    await dialog().waitFor({ state: 'detached' });
    await openDialog();
    const lines = await saved(LINES);
    await dialog().waitFor({ state: 'detached' });

    const answer = await answerOf('/v1/subscriptions?status=paused&limit=100');
    // The text of the answer itself: every digit and every escape.
    expect([lines.name, lines.text.endsWith('}\n')]).toEqual(['subscriptions.ndjson', true]);
    expect(answer).toContain(`{"data":[${lines.text.trimEnd().split('\n').join(',')}],"pagination"`);
    const { data } = JSON.parse(answer) as { data: Record<string, unknown>[] };
    expect(data.map(({ name }) => name)).toEqual(names.toReversed());
    const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
    const expected = [Object.keys(data[0] ?? {}), ...data.map((row) => Object.values(row).map(cell))];
    expect(table).toEqual({
      name: 'subscriptions.csv',
      text: expected.map((cells) => `${csvLine(cells)}\r\n`).join(''),
    });
    expect(table.text).toContain(`"'=HYPERLINK(""https://example.com"")"`);
  });

  const OF_FAILURE = { 'content-type': 'application/json', 'x-request-id': 'req_midway' };
  const FAILURE = JSON.stringify({ error: { code: 'INTERNAL', message: 'The request could not be served.' } });

  test('an export of three pages says how far it is, saves nothing where it is stopped or fails, and all of them when it is tried again', async () => {
    const count = 205;
    const made: string[] = [];
    for (let at = 0; at < count; at += 1) made.push(await scene.make('/v1/channels', { name: `shop ${at}` }));
    await scene.make('/v1/channels', { name: 'till' });

    const { page } = dashboard;
    const downloads: Download[] = [];
    page.on('download', (download) => downloads.push(download));
    await dashboard.open('/channels?name=shop');
    await page.getByText('100+ match').waitFor();
    /** Questions for the second page and those behind it, which wait until they are let go or are refused. */
    const held: ('go' | 'fail')[] = [];
    await page.route(/\/v1\/channels\?.*name=shop.*cursor=/, async (route) => {
      const next = await waitFor('leave to answer', () => held[0]);
      const answered =
        next === 'go' ? route.continue() : route.fulfill({ status: 500, headers: OF_FAILURE, body: FAILURE });
      // The first question was given up by then.
      await answered.catch(() => undefined);
    });

    await openDialog();
    await dialog().getByRole('button', { name: LINES }).click();
    await dialog().getByText('100 rows').waitFor();
    const givenUp = page.waitForEvent('requestfailed', (request) => request.url().includes('cursor='));
    await dialog().getByRole('button', { name: 'Stop' }).click();
    await dialog().waitFor({ state: 'detached' });
    // No more is asked for, so no file can come of it.
    await givenUp;

    held.push('fail');
    await openDialog();
    await dialog().getByRole('button', { name: LINES }).click();
    const alert = dialog().getByRole('alert');
    await alert.getByRole('button', { name: 'Details' }).click();
    await alert.getByText('req_midway').waitFor();
    await alert.getByText('Nothing was saved.').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    held[0] = 'go';
    await alert.getByRole('button', { name: 'Try again' }).click();
    await dialog().waitFor({ state: 'detached' });

    const [file] = await waitFor('the file', () => downloads.length > 0 && downloads);
    const rows = rowsOf<{ id: string }>(readFileSync((await file?.path()) ?? '', 'utf8'));
    expect(rows.map(({ id }) => id)).toEqual(made.toReversed());
    expect(downloads).toHaveLength(1);
  });

  test('an export ends at 10,000 rows, and says that the list has more', async () => {
    const { page } = dashboard;
    await scene.make('/v1/secrets', { name: 'CRM_TOKEN', value: 'a token' });
    await dashboard.open('/secrets');
    await page.getByRole('gridcell', { name: 'CRM_TOKEN' }).waitFor();
    const rows = Array.from({ length: 100 }, (_, at) => ({ id: `sec_${at}`, name: `S_${at}` }));
    let asked = 0;
    await page.route(/\/v1\/secrets\?/, async (route) => {
      asked += 1;
      await route.fulfill({ json: { data: rows, pagination: { cursor: 'more', hasMore: true } } });
    });
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).click();
    await openDialog();
    const before = asked;
    const { text } = await saved(TABLE);
    await dialog().getByText('Limited to the first 10,000 rows').waitFor();
    expect([text.split('\r\n').length, asked - before]).toEqual([10_002, 100]);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await dialog().waitFor({ state: 'detached' });
  });

  test('the people who are invited are a list of their own, and leave as a table', async () => {
    const { page } = dashboard;
    const { browser, me } = await signIn(scene.posthorn, OWNER);
    const path = `/v1/organisations/${me.organisations[0]?.id}/invitations`;
    const emails = ['alan@example.com', 'grace@example.com'];
    for (const email of emails) await browser.request('POST', path, { email, role: 'viewer' });
    await dashboard.open('/members');
    await page.getByRole('cell', { name: emails[0] ?? '', exact: true }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Export invitations…' }).click();
    await dialog().waitFor();
    const { name, text } = await saved(TABLE);
    const [head, ...rows] = text.trimEnd().split('\r\n');
    expect([name, rows.length, head?.split(',').includes('email')]).toEqual(['invitations.csv', 2, true]);
    for (const email of emails) expect(rows.filter((row) => row.includes(`,${email},viewer,`))).toHaveLength(1);
    await dialog().waitFor({ state: 'detached' });
  });
});
