import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { OWNER, signIn } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('apps in a browser', () => {
  /** Apps and organisations: until now an app could only be made once, on the first page. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  type Seen = {
    settings: { retentionDays: number; retryPolicy: { maxRetries: number } };
    status: string;
    slug: string;
  };
  const apps = async (): Promise<Map<string, Seen>> => {
    const { rows } = await scene.posthorn.deps.pool.query<Seen & { name: string }>(
      'SELECT name, slug, status, settings FROM apps',
    );
    return new Map(rows.map((row) => [row.name, row]));
  };

  test('an app is made, its defaults are changed, and it is suspended by typing its name', async () => {
    const { page } = dashboard;
    await dashboard.open('/apps');
    await page.getByRole('button', { name: 'Make an app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Web shop');
    await dialog.getByLabel('Short name').fill('-no-');
    await dialog.getByRole('button', { name: 'Make an app' }).click();
    await dialog.locator('.problem').waitFor();
    expect((await apps()).has('Web shop')).toBe(false);
    await dialog.getByLabel('Short name').fill('web-shop');
    await dialog.getByRole('button', { name: 'Make an app' }).click();
    await page.getByRole('row', { name: /Web shop/ }).waitFor();
    expect(await dashboard.violations()).toEqual([]);

    await page.getByRole('button', { name: 'Settings Web shop' }).click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    await panel.getByLabel('Retries').fill('3');
    await panel.getByLabel('Days that messages and runs are kept').fill('90');
    await panel.getByRole('button', { name: 'Save' }).click();
    // Told once everything is read again: until then the form may be made anew.
    await page.getByText('Saved', { exact: true }).waitFor();
    await waitFor('the defaults are stored', async () => {
      const settings = (await apps()).get('Web shop')?.settings;
      return settings?.retentionDays === 90 && settings.retryPolicy.maxRetries === 3;
    });
    expect(await dashboard.violations()).toEqual([]);

    await panel.getByRole('button', { name: 'Suspend' }).click();
    const go = dialog.getByRole('button', { name: 'Suspend' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Web shop to confirm').fill('Web shop');
    await go.click();
    await page.getByRole('row', { name: /Suspended.*Web shop/ }).waitFor();
    expect((await apps()).get('Web shop')?.status).toBe('suspended');
    await panel.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByLabel('Type Web shop to confirm').fill('Web shop');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('row', { name: /Active.*Web shop/ }).waitFor();

    await page.getByRole('link', { name: 'Web shop' }).click();
    await page.waitForURL(/\/dashboard\/web-shop\/test\/overview$/);
  });

  test('a second organisation has apps of its own, and another name when it is given one', async () => {
    const { page } = dashboard;
    await dashboard.open('/apps');
    await page.getByRole('button', { name: 'Make an organisation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Branch');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const branch = page.getByRole('region', { name: 'Branch' });
    await branch.getByText('No app yet').waitFor();
    await page.getByRole('button', { name: 'Make an app' }).click();
    await dialog.getByLabel('Organisation').selectOption({ label: 'Branch' });
    await dialog.getByLabel('Name', { exact: true }).fill('Depot');
    await dialog.getByRole('button', { name: 'Make an app' }).click();
    await branch.getByRole('row', { name: /Depot/ }).waitFor();
    await branch.getByRole('button', { name: /Rename/ }).click();
    await dialog.getByLabel('Name').fill('North branch');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'North branch' }).getByRole('row', { name: /Depot/ }).waitFor();
  });

  // Forty places are asked for an id, and the palette said that no app had it.
  test('the palette says that it has not looked through all apps, where there are more than twenty', async () => {
    const { page } = dashboard;
    const { browser, me } = await signIn(scene.posthorn, OWNER);
    const headers = { 'posthorn-organisation': me.organisations[0]?.id };
    const own = me.organisations.flatMap((each) => each.apps).length;
    for (let made = own; made < 21; made += 1) {
      const { status } = await browser.request('POST', '/v1/apps', { name: `Shop ${made}` }, { headers });
      expect(status).toBe(201);
    }
    await dashboard.open('/apps');
    await page.getByRole('row', { name: /Shop 20/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search, or paste an ID' }).fill('msg_00000000000000000000000000');
    await page.keyboard.press('Enter');
    // Forty questions, one after the other.
    const told = page.getByText('No match for msg_00000000000000000000000000 in the first 20 of your apps');
    await told.waitFor({ timeout: 100_000 });
  });
});
