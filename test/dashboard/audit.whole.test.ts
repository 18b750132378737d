import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('audit log in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const row = (name: RegExp) => dashboard.page.getByRole('row', { name });

  /** Writes filters into the line above the list, until the address has one of them. */
  async function ask(text: string, name: string, wanted: RegExp): Promise<void> {
    const { page } = dashboard;
    const field = page.getByRole('search', { name: 'Filters' }).getByRole('combobox', { name: 'Filter' });
    // Names of people and keys are read with the page: until then a name is unknown, and the field says so.
    await waitFor('the filter to be taken', async () => {
      await field.fill(text);
      await field.press('Enter');
      return page
        .waitForURL((url) => wanted.test(url.searchParams.get(name) ?? ''), { timeout: 1_000 })
        .then(() => true)
        .catch(() => false);
    });
  }

  test('the audit log is filtered by what was done, and leaves as a file', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open('/audit');
    await row(/session\.begun/)
      .first()
      .waitFor();
    await ask('action:channel.created', 'action', /^channel\.created$/);
    await row(/session\.begun/)
      .first()
      .waitFor({ state: 'detached' });
    await row(/channel\.created/)
      .first()
      .waitFor();
    expect(await row(/session\.begun/).count()).toBe(0);
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'CSV' }).count()).toBe(0);
    await dialog.getByRole('region', { name: 'Posthorn CLI' }).getByText('posthorn audit export').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'JSON Lines' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit.ndjson');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => !line.includes('channel.created'))).toEqual([]);

    // Who and what stood there as IDs, and a change as two texts beside each other.
    await dialog.waitFor({ state: 'detached' });
    const path = `/v1/channels/${channelId}`;
    const { status } = await scene.posthorn.request('PATCH', path, { name: 'orders of the shop' }, scene.key);
    expect(status).toBe(200);
    await dashboard.open(`/audit?action=channel.updated&target=${channelId}`);
    await row(/channel\.updated.*API key \w/).click();
    const panel = page.getByRole('complementary', { name: 'Audit entry' });
    const changes = panel.getByRole('group', { name: 'Changes' });
    await changes.getByText('+1').waitFor();
    await changes.getByText('−1').waitFor();
    await changes.getByText('"orders"').waitFor();
    await changes.getByText('"orders of the shop"').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await panel.getByRole('link', { name: channelId }).click();
    await page.getByRole('heading', { name: 'orders of the shop', level: 1 }).waitFor();
  });

  // Who and what were taken by their IDs alone, so that “what has Olga done” was a search for her ID first.
  test('the audit log is asked by the names of people, keys and things, and up to a time', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'orders of Olga' });
    const keyId = await scene.make('/v1/api-keys', { name: 'Till 7', scopes: ['channels:read'] });
    const channelId = await scene.make('/v1/channels', { name: 'refunds' });
    await dashboard.open('/audit');
    await row(/channel\.created/)
      .first()
      .waitFor();
    await ask('actor:"Olga Owner"', 'actor', /^usr_/);
    await row(/channel\.created/)
      .first()
      .waitFor({ state: 'detached' });
    await row(/Olga Owner/)
      .first()
      .waitFor();
    await dashboard.open('/audit');
    await ask('target:"Till 7"', 'target', new RegExp(keyId));
    await row(/api_key\.created/).waitFor();
    // The service knows the names of other things.
    await dashboard.open('/audit');
    await ask('target:refunds', 'target', new RegExp(channelId));
    await row(/channel\.created/).waitFor();
    await page.getByRole('search', { name: 'Filters' }).getByText('refunds').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);

    await dashboard.open(`/audit?target=${channelId}&until=2026-01-02T03:04:05.000Z`);
    await page.getByRole('heading', { name: 'No entries match' }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => url.search === '');
    await row(/channel\.created/)
      .first()
      .waitFor();
  });
});
