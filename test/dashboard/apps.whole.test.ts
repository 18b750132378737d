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
    settings: { retentionDays: number; timeoutMs: number; retryPolicy: { maxRetries: number } };
    status: string;
    slug: string;
  };
  const apps = async (): Promise<Map<string, Seen>> => {
    const { rows } = await scene.posthorn.deps.pool.query<Seen & { name: string }>(
      'SELECT name, slug, status, settings FROM apps',
    );
    return new Map(rows.map((row) => [row.name, row]));
  };
  const dialog = (name: string) => dashboard.page.getByRole('dialog', { name, exact: true });

  test('an app is created, its defaults are changed, and it is suspended by typing its name', async () => {
    const { page } = dashboard;
    await dashboard.open('/apps');
    await page.getByRole('button', { name: 'Create app' }).click();
    const creating = dialog('Create app');
    await creating.getByLabel('Name', { exact: true }).fill('Web shop');
    await creating.getByLabel('Slug').fill('-no-');
    await creating.getByRole('button', { name: 'Create app' }).click();
    await creating.locator('input[data-invalid]').waitFor();
    expect((await apps()).has('Web shop')).toBe(false);
    await creating.getByLabel('Slug').fill('web-shop');
    await creating.getByRole('button', { name: 'Create app' }).click();
    await page.getByRole('row', { name: /Web shop/ }).waitFor();
    expect(await dashboard.violations()).toEqual([]);

    await page.getByRole('link', { name: 'Web shop' }).click();
    const drawer = dialog('Web shop');
    await drawer.getByLabel('Max retries').fill('3');
    await drawer.getByLabel('Retention').fill('90');
    await drawer.getByRole('combobox', { name: /^Unit of timeout/ }).click();
    await page.getByRole('option', { name: 'milliseconds' }).click();
    await drawer.getByLabel('Timeout', { exact: true }).fill('2500');
    await drawer.getByRole('button', { name: 'Save' }).click();
    // Told once everything is read again: until then the form may be made anew.
    await page.getByText('Saved', { exact: true }).waitFor();
    await waitFor('the defaults are stored', async () => {
      const settings = (await apps()).get('Web shop')?.settings;
      return settings?.retentionDays === 90 && settings.timeoutMs === 2_500 && settings.retryPolicy.maxRetries === 3;
    });
    expect(await dashboard.violations()).toEqual([]);

    await drawer.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suspend app…' }).click();
    const suspending = dialog('Suspend Web shop?');
    const go = suspending.getByRole('button', { name: 'Suspend app' });
    expect(await go.isDisabled()).toBe(true);
    await suspending.getByLabel('Type Web shop to confirm').fill('Web shop');
    await go.click();
    await drawer.getByText('API requests are rejected and deliveries wait until you resume.').waitFor();
    expect((await apps()).get('Web shop')?.status).toBe('suspended');
    expect(await dashboard.violations()).toEqual([]);
    await drawer.getByRole('button', { name: 'Resume app…' }).click();
    const resuming = dialog('Resume Web shop?');
    await resuming.getByLabel('Type Web shop to confirm').fill('Web shop');
    await resuming.getByRole('button', { name: 'Resume app' }).click();
    await drawer.getByRole('button', { name: 'Resume app…' }).waitFor({ state: 'detached' });
    await waitFor('it is active', async () => (await apps()).get('Web shop')?.status === 'active');

    await drawer.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Open app' }).click();
    await page.waitForURL(/\/dashboard\/web-shop\/test\/overview$/);
  });

  test('a second organisation has apps of its own, and another name when it is given one', async () => {
    const { page } = dashboard;
    await dashboard.open('/apps');
    await page.getByRole('button', { name: 'Create organisation' }).click();
    await dialog('Create organisation').getByLabel('Name').fill('Branch');
    await dialog('Create organisation').getByRole('button', { name: 'Create organisation' }).click();
    const branch = page.getByRole('region', { name: 'Branch', exact: true });
    await branch.getByText('No apps yet').waitFor();
    await page.getByRole('button', { name: 'Create app' }).click();
    await dialog('Create app').getByRole('combobox', { name: 'Organisation' }).click();
    await page.getByRole('option', { name: 'Branch' }).click();
    await dialog('Create app').getByLabel('Name', { exact: true }).fill('Depot');
    await dialog('Create app').getByRole('button', { name: 'Create app' }).click();
    await branch.getByRole('row', { name: /Depot/ }).waitFor();
    await branch.getByRole('button', { name: 'Actions of Branch' }).click();
    await page.getByRole('menuitem', { name: 'Rename organisation…' }).click();
    await dialog('Rename Branch').getByLabel('Name').fill('North branch');
    await dialog('Rename Branch').getByRole('button', { name: 'Rename organisation' }).click();
    await page.getByRole('region', { name: 'North branch' }).getByRole('row', { name: /Depot/ }).waitFor();
  });

  // Forty places are asked for an ID, and the palette said that no app had it.
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
    await page
      .getByRole('combobox', { name: 'Search for an ID, a name or a payload value' })
      .fill('msg_00000000000000000000000000');
    await page.keyboard.press('Enter');
    // Forty questions, one after the other.
    const told = page.getByText('No match for msg_00000000000000000000000000 in the first 20 of your apps');
    await told.waitFor({ timeout: 100_000 });
  });
});
