import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { makeSetupCode } from '../../src/identity/accounts/setup.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { OWNER } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('keyboard in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;

  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });

  /** No page has more stops than this. */
  const MOST_STOPS = 80;

  /** Goes on by Tab until it has the focus. */
  async function tabTo(wanted: Locator): Promise<void> {
    await wanted.waitFor();
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      if (await wanted.evaluate((element) => element.matches(':focus'))) return;
      await dashboard.page.keyboard.press('Tab');
    }
    throw new Error('Tab does not lead there');
  }

  // WCAG 2.2, 2.1.1 and 2.4.3: everything by the keyboard, in an order that makes sense.
  test('from the link of the first start to a retried delivery without a mouse', async () => {
    const { page } = dashboard;
    const { keyboard } = page;
    const press = async (wanted: Locator): Promise<void> => {
      await tabTo(wanted);
      await keyboard.press('Enter');
    };
    /** A field of the page before may have the name of one on the page that is asked for: it is written in once that is there. */
    const follow = async (name: string): Promise<void> => {
      await press(page.getByRole('link', { name }).first());
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    };
    /** The page is drawn anew for another environment, behind its address. */
    const shown = (environment: string): Promise<unknown> =>
      waitFor(
        `the page of ${environment}`,
        async () => (await page.getByLabel('Environment').inputValue()) === environment,
      );
    const go = async (letter: string, heading: string): Promise<void> => {
      await keyboard.press('g');
      await keyboard.press(letter);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    };
    const write = async (label: string, text: string): Promise<void> => {
      await tabTo(page.getByLabel(label, { exact: true }));
      await keyboard.press('Control+a');
      await keyboard.insertText(text);
    };
    receiver.answerWith([503, 200]);
    const { origin } = new URL(page.url());
    const { deps } = scene.posthorn;
    await deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_tries CASCADE');
    const code = await makeSetupCode(deps, { isRenewed: true });
    await dashboard.context.clearCookies();
    await page.goto(`${origin}/dashboard/setup#code=${code}`);
    await write('Name', OWNER.name);
    await write('E-mail address', OWNER.email);
    await write('Password', OWNER.password);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'To the first delivery' }).waitFor();
    // The keys of a choice differ by browser and system: its value is what they lead to.
    await tabTo(page.getByLabel('Environment'));
    await keyboard.press('l');
    await page.waitForURL(/\/live\/overview/);
    await shown('live');
    await tabTo(page.getByLabel('Environment'));
    await keyboard.press('t');
    await page.waitForURL(/\/test\/overview/);
    await shown('test');

    await go('c', 'Channels');
    await follow('Make a channel');
    await write('Name', 'orders');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();

    await go('s', 'Subscriptions');
    await follow('Make a subscription');
    await write('URL', receiver.url);
    await write('Name', 'Till');
    await write('Retries', '0');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();

    await go('m', 'Messages');
    await follow('Publish a message');
    await write('Type', 'order.created');
    await write('Payload', '{"total": 12.50}');
    await press(page.getByRole('button', { name: 'Publish a message' }));
    await page.locator('.sentence').getByText('Failed').waitFor();

    await go('d', 'Deliveries');
    await tabTo(page.getByRole('grid', { name: 'Deliveries' }));
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Details' });
    await press(panel.getByRole('button', { name: 'Retry', exact: true }));
    await panel.locator('.sentence').getByText('Delivered').waitFor();
    await keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    // The list has the focus again, so that reading goes on.
    expect(await page.getByRole('grid', { name: 'Deliveries' }).evaluate((grid) => grid.matches(':focus'))).toBe(true);
    expect(receiver.requests.map(({ body }) => body)).toEqual([
      expect.stringContaining('12.50'),
      expect.stringContaining('12.50'),
    ]);
  });

  // Each of some thirty links in view was a stop between a list and the panel of its row.
  test('a long list is one stop of Tab, the links of its chosen row are the next, and what is selected and open is said of a row', async () => {
    const { page } = dashboard;
    const { keyboard } = page;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const target = { channelId, name: 'Till', webhookUrl: receiver.url, eventTypes: ['order.*'] };
    const subscriptionId = await scene.make('/v1/subscriptions', target);
    const messages = Array.from({ length: 40 }, (_, n) => ({ eventType: 'order.created', payload: { n } }));
    const sent = await scene.posthorn.request(
      'POST',
      `/v1/channels/${channelId}/messages/batch`,
      { messages },
      scene.key,
    );
    expect(sent.status).toBeLessThan(300);
    await dashboard.open(`/deliveries?subscription=${subscriptionId}`);
    const grid = page.getByRole('grid', { name: 'Deliveries' });
    const row = (index: number) => grid.locator(`[aria-rowindex="${index + 2}"]`);
    await row(20).waitFor();
    await grid.focus();
    await keyboard.press('ArrowDown');
    await keyboard.press('x');
    await page.locator('[role=row][aria-selected=true]').waitFor();
    expect(await row(1).getAttribute('aria-selected')).toBe('true');
    await keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Details' });
    await panel.locator('.sentence').waitFor();
    expect(await row(1).getAttribute('aria-current')).toBe('true');
    expect(await row(2).getAttribute('aria-selected')).toBe('false');
    expect(await row(2).getAttribute('aria-current')).toBeNull();
    await grid.focus();
    const isInPanel = (): Promise<boolean> => panel.evaluate((aside) => aside.matches(':focus-within'));
    let stops = 0;
    while (!(await isInPanel()) && stops < 10) {
      await keyboard.press('Tab');
      stops += 1;
    }
    // The two links of the chosen row, and the first stop of the panel.
    expect(stops).toBeLessThanOrEqual(4);
    expect(await isInPanel()).toBe(true);
    expect(await dashboard.violations()).toEqual([]);
  });

  // WCAG 2.2, 2.1.4: somebody whose words are heard as keys must be able to switch single keys off.
  test('single keys that are switched off do nothing on any list, and do again when they are switched on', async () => {
    const { page } = dashboard;
    const { keyboard } = page;
    const channelId = await scene.make('/v1/channels', { name: 'keys' });
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'key.pressed', payload: {} });
    const switchTo = async (value: 'on' | 'off'): Promise<void> => {
      await dashboard.open('/account');
      await page.getByLabel('Single keys').selectOption(value);
      await dashboard.open('/messages');
      await page.getByRole('grid', { name: 'Messages' }).getByText('key.pressed').first().waitFor();
    };
    const dialog = page.getByRole('dialog');
    await switchTo('off');
    const before = page.url();
    // The palette has a key with Control, which stays, and opens behind all that the others do.
    for (const key of ['?', '/', 'j', 'o', 'e', 'l', 'f', 'g', 'd']) await keyboard.press(key);
    await keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'A page, any id, or something to search for' }).waitFor();
    expect(await dialog.count()).toBe(1);
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toBe(before);
    await page.getByRole('button', { name: 'Stop updates', pressed: false }).waitFor();

    await switchTo('on');
    await keyboard.press('l');
    await page.getByRole('button', { name: 'Update again', pressed: true }).waitFor();
    await keyboard.press('?');
    await dialog.waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await keyboard.press('g');
    await keyboard.press('d');
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  });
});
