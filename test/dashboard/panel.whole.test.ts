import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('panel in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const panel = () => dashboard.page.getByRole('complementary', { name: 'Details' });
  const border = () => dashboard.page.getByRole('separator', { name: 'Width of the details' });
  const widthOf = async (): Promise<number> => Math.round((await panel().boundingBox())?.width ?? 0);
  const untilWide = (width: number): Promise<unknown> =>
    waitFor(`a panel of ${width} px`, async () => (await widthOf()) === width);

  test('the panel beside a list is made wider and narrower by keys and by the mouse, and stays so', async () => {
    const { page } = dashboard;
    await scene.make('/v1/secrets', { name: 'CRM_TOKEN', value: 'a token' });
    await dashboard.open('/secrets');
    await page
      .getByRole('grid')
      .getByRole('row', { name: /CRM_TOKEN/ })
      .click();
    await panel().getByRole('heading', { name: 'CRM_TOKEN' }).waitFor();
    await untilWide(480);
    await border().focus();
    await page.keyboard.press('ArrowLeft');
    await untilWide(504);
    await page.keyboard.press('Home');
    await untilWide(360);
    await page.keyboard.press('End');
    await untilWide(864);
    expect(await border().getAttribute('aria-valuenow')).toBe('864');
    expect(await border().getAttribute('aria-valuemax')).toBe('864');
    expect(await border().getAttribute('aria-valuemin')).toBe('360');
    expect(await dashboard.violations()).toEqual([]);
    // Old: it lay over the bar, whose buttons took no click.
    await page.getByRole('button', { name: 'Sign out' }).click({ trial: true });

    const { x = 0, width = 0, height = 0 } = (await border().boundingBox()) ?? {};
    expect(width).toBeGreaterThanOrEqual(24);
    // Taken anywhere, it goes as far as the mouse.
    await page.mouse.move(x + width - 3, height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 3 + 264, height / 2, { steps: 4 });
    await page.mouse.up();
    await untilWide(600);
    await page.reload();
    await panel().getByRole('heading', { name: 'CRM_TOKEN' }).waitFor();
    await untilWide(600);

    // A smaller window takes what is beyond its 60 %, and a telephone shows the panel alone.
    await page.setViewportSize({ width: 800, height: 900 });
    await untilWide(480);
    await page.setViewportSize({ width: 390, height: 900 });
    await untilWide(390);
    await border().waitFor({ state: 'detached' });
  });

  test('rows of lists are as high as their person wants them, and keys lead to the last of them', async () => {
    const { page } = dashboard;
    for (let number = 10; number < 60; number += 1)
      await scene.make('/v1/secrets', { name: `KEY_${number}`, value: 'a token' });
    const rows = page.getByRole('grid').locator('.line');
    const heightOf = async (): Promise<number> => Math.round((await rows.first().boundingBox())?.height ?? 0);
    await dashboard.open('/secrets');
    await rows.first().waitFor();
    expect(await heightOf()).toBe(36);
    await dashboard.open('/account');
    await page.getByLabel('Rows of lists').selectOption('compact');
    await dashboard.open('/secrets');
    await rows.first().waitFor();
    expect(await heightOf()).toBe(28);
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    const last = page.getByRole('row', { name: /KEY_10/ });
    await last.waitFor();
    const [row, grid] = [await last.boundingBox(), await page.getByRole('grid').boundingBox()];
    // All of it is in view, below the head and above the end of the list.
    expect(row?.y ?? 0).toBeGreaterThan((grid?.y ?? 0) + 36);
    expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual((grid?.y ?? 0) + (grid?.height ?? 0));
  });
});
