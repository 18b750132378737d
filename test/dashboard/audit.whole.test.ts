import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('audit log in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  test('the audit log is filtered by what was done, and leaves as a file', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open('/audit');
    await page.getByLabel('Action').selectOption('channel.created');
    await page.waitForURL(/action=channel\.created/);
    await page
      .getByRole('row', { name: /session\.begun/ })
      .first()
      .waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /channel\.created/ })
      .first()
      .waitFor();
    expect(await page.getByRole('row', { name: /session\.begun/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'CSV' }).count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: /JSON/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit.ndjson');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => !line.includes('channel.created'))).toEqual([]);

    // Who and what stood there as ids, and a change as two texts beside each other.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const path = `/v1/channels/${channelId}`;
    const { status } = await scene.posthorn.request('PATCH', path, { name: 'orders of the shop' }, scene.key);
    expect(status).toBe(200);
    await dashboard.open(`/audit?action=channel.updated&target=${channelId}`);
    const row = page.getByRole('row', { name: /channel\.updated/ });
    await row.getByText(/^API key \w/).waitFor();
    await row.getByRole('link').first().click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    const changes = panel.getByRole('region', { name: 'Changes' });
    await changes.getByText('+', { exact: false }).first().waitFor();
    expect(await changes.locator('del').allInnerTexts()).toEqual([expect.stringContaining('"orders"')]);
    expect(await changes.locator('ins').allInnerTexts()).toEqual([expect.stringContaining('"orders of the shop"')]);
    await panel.getByRole('link', { name: channelId }).click();
    await page.getByRole('heading', { name: 'orders of the shop', level: 1 }).waitFor();
  });

  // Who and what were taken by their ids alone, so that “what has Olga done” was a search for her id first.
  test('the audit log is asked by the names of people, keys and things, and up to a time', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'orders of Olga' });
    const keyId = await scene.make('/v1/api-keys', { name: 'Till 7', scopes: ['channels:read'] });
    const channelId = await scene.make('/v1/channels', { name: 'refunds' });
    await dashboard.open('/audit');
    const filters = page.getByRole('search');
    const query = filters.getByRole('combobox', { name: 'Query' });
    const ask = async (text: string, name: string, wanted: RegExp): Promise<void> => {
      await query.fill(text);
      await query.press('Enter');
      await page.waitForURL((url) => wanted.test(url.searchParams.get(name) ?? ''));
    };
    await filters.getByLabel('Who').locator('option', { hasText: 'Till 7' }).waitFor({ state: 'attached' });
    await page
      .getByRole('row', { name: /channel\.created/ })
      .first()
      .waitFor();
    await ask('actor:"Olga Owner"', 'actor', /^usr_/);
    await page
      .getByRole('row', { name: /channel\.created/ })
      .first()
      .waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /Olga Owner/ })
      .first()
      .waitFor();
    await ask('target:"Till 7"', 'target', new RegExp(keyId));
    await page.getByRole('row', { name: /api_key\.created/ }).waitFor();
    // The service knows the names of other things.
    await ask('target:refunds', 'target', new RegExp(channelId));
    const row = page.getByRole('row', { name: /channel\.created/ });
    await row.waitFor();
    expect(await filters.getByLabel('What').inputValue()).toBe('refunds');
    expect(await page.getByRole('row').count()).toBe(2);

    await filters.getByLabel('In the last').selectOption('between');
    await page.waitForURL((url) => url.searchParams.has('until'));
    await row.waitFor();
    await filters.getByLabel('Until').fill('2026-01-02T03:04:05');
    await filters.getByLabel('Until').press('Enter');
    await page.locator('.empty').getByRole('heading', { name: 'None match' }).waitFor();
    await page.locator('.empty').getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').getByText('posthorn audit export').waitFor();
  });
});
