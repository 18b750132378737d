import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('workflow drafts in a browser', () => {
  /** Definitions that are being written: the names that they hold, and the way back to them. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const form = (): Locator => dashboard.page.getByRole('group', { name: 'Form' });
  const json = (): Locator => dashboard.page.getByRole('textbox', { name: 'Definition', exact: true });
  const triggerIs = (config: object): Promise<true> =>
    waitFor(`the config ${JSON.stringify(config)}`, async () => {
      const written = JSON.parse(await json().inputValue()) as { trigger: { config: object } };
      return JSON.stringify(written.trigger.config) === JSON.stringify(config);
    });
  const definition = (config: object): string =>
    JSON.stringify({
      name: 'Large orders',
      trigger: { type: 'event', config },
      steps: [{ id: 'note', type: 'action', config: { action: 'log', text: 'Large' } }],
    });

  // Ids had to be copied from another page and written here.
  test('channels of a trigger are chosen and taken away by their names', async () => {
    const { page } = dashboard;
    const orders = await scene.make('/v1/channels', { name: 'orders' });
    const refunds = await scene.make('/v1/channels', { name: 'refunds' });
    await dashboard.open('/workflows/new');
    await json().fill(definition({}));
    const channels = form().getByLabel('Channels', { exact: true });
    await channels.selectOption('orders');
    await triggerIs({ channelIds: [orders] });
    await channels.selectOption('refunds');
    await triggerIs({ channelIds: [orders, refunds] });
    expect(await channels.locator('option').allInnerTexts()).not.toContain('orders');
    expect(await dashboard.violations()).toEqual([]);
    const chosen = form().getByRole('group', { name: 'Chosen channels' });
    await chosen.getByRole('button', { name: 'Remove orders' }).press('Enter');
    await triggerIs({ channelIds: [refunds] });
    expect(await channels.evaluate((element) => element.matches(':focus'))).toBe(true);

    // One that is written as a single id is the same choice.
    await json().fill(definition({ channelId: orders }));
    await chosen.getByRole('button', { name: 'Remove orders' }).click();
    await triggerIs({});
    await page.getByText('Nothing is wrong with it').waitFor();
  });

  // A click on a tab or on the navigation lost all of it.
  test('a new workflow that is not saved stands there again when its person comes back, and is discarded by a button', async () => {
    const { page } = dashboard;
    await dashboard.open('/workflows/new');
    await json().waitFor();
    const template = await json().inputValue();
    const written = definition({ eventTypes: ['order.paid'] });
    await json().fill(written);
    const toWorkflows = page.getByRole('navigation').getByRole('link', { name: 'Workflows' });
    const comeBack = async (): Promise<void> => {
      await toWorkflows.click();
      await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Make a workflow' }).click();
      await page.getByRole('heading', { name: 'Make a workflow', level: 1 }).waitFor();
    };
    await comeBack();
    const restored = page.getByText('You wrote this here before, and it is not saved.');
    await restored.waitFor();
    expect(await json().inputValue()).toBe(written);
    expect(await dashboard.violations()).toEqual([]);

    // The browser asks before the tab is closed over it.
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    await form().getByLabel('Name').click();
    await page.evaluate('location.reload()').catch(() => undefined);
    expect(await asked).toBe('beforeunload');
    expect(await json().inputValue()).toBe(written);

    await page.getByRole('button', { name: 'Discard it' }).click();
    await restored.waitFor({ state: 'detached' });
    expect(await json().inputValue()).toBe(template);
    await comeBack();
    expect(await json().inputValue()).toBe(template);

    // A workflow that was made leaves nothing behind.
    await json().fill(written);
    await page.getByText('Nothing is wrong with it').waitFor();
    await page.getByRole('button', { name: 'Make a workflow' }).click();
    await page.getByRole('heading', { name: 'Large orders', level: 1 }).waitFor();
    await comeBack();
    expect(await json().inputValue()).toBe(template);
  });

  test('a changed definition stays while another tab of its page is looked at', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/workflows', JSON.parse(definition({})) as object);
    await dashboard.open(`/workflows/${id}`);
    const name = form().getByLabel('Name');
    await name.fill('Larger orders');
    await page.getByRole('tab', { name: 'Trial' }).click();
    await page.getByRole('button', { name: 'Try it', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Definition' }).click();
    await page.getByText('You wrote this here before').waitFor();
    expect(await name.inputValue()).toBe('Larger orders');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Larger orders', level: 1 }).waitFor();
    await page.getByText('You wrote this here before').waitFor({ state: 'detached' });
    // The next letter was told of as if it had been restored.
    await name.fill('Largest orders');
    await waitFor('the letters are written', async () => (await json().inputValue()).includes('Largest orders'));
    expect(await page.getByText('You wrote this here before').count()).toBe(0);
  });
});
