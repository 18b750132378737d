import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { makeSetupCode } from '../../src/identity/people/accounts/one-time-codes.ts';
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
    /** The page is drawn anew for another environment, behind its address. */
    const shown = (environment: string): Promise<unknown> =>
      waitFor(
        `the page of ${environment}`,
        async () => (await switchTo(environment).getAttribute('aria-pressed')) === 'true',
      );
    const switchTo = (environment: string): Locator =>
      page.getByRole('group', { name: 'Environment' }).getByRole('button', { name: environment });
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
    await deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_attempts CASCADE');
    const code = await makeSetupCode(deps, { isRenewed: true });
    await dashboard.context.clearCookies();
    await page.goto(`${origin}/dashboard/setup#code=${code}`);
    await write('Name', OWNER.name);
    await write('Email', OWNER.email);
    await write('Password', OWNER.password);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    // Both are one stop of Tab, between which arrows lead.
    const environments = page.getByRole('group', { name: 'Environment' }).getByRole('button');
    for (const [environment, address] of [
      ['Live', /\/live\/overview/],
      ['Test', /\/test\/overview/],
    ] as const) {
      for (let stop = 0; stop < MOST_STOPS; stop += 1) {
        const [isOne, isOther] = await environments.evaluateAll((both) => both.map((each) => each.matches(':focus')));
        if (isOne === true || isOther === true) break;
        await keyboard.press('Tab');
      }
      if (!(await switchTo(environment).evaluate((each) => each.matches(':focus')))) await keyboard.press('ArrowRight');
      await keyboard.press('Enter');
      await page.waitForURL(address);
      await shown(environment);
    }

    await go('c', 'Channels');
    await press(page.getByRole('link', { name: 'Create channel' }).first());
    await page.getByRole('dialog', { name: /^Create channel/ }).waitFor();
    await write('Name', 'orders');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();

    await go('s', 'Subscriptions');
    await press(page.getByRole('link', { name: 'Create subscription' }).first());
    await page.getByRole('dialog', { name: /^Create subscription/ }).waitFor();
    await write('Endpoint URL', receiver.url);
    await write('Name', 'Till');
    await press(page.getByRole('button', { name: 'Retry policy' }));
    await write('Max retries', '0');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();

    await go('m', 'Messages');
    await press(page.getByRole('link', { name: 'Publish message' }).first());
    const drawer = page.getByRole('dialog', { name: /^Publish message/ });
    await tabTo(drawer.getByRole('combobox', { name: 'Event type' }));
    await keyboard.insertText('order.created');
    await tabTo(drawer.getByRole('textbox', { name: 'Payload', exact: true }));
    await keyboard.press('Control+a');
    await keyboard.insertText('{"total": 12.50}');
    // Tab indents in an editor of code, until Escape was pressed.
    await keyboard.press('Escape');
    await press(drawer.getByRole('button', { name: 'Publish message' }));
    await page.getByRole('heading', { name: /0 of 1 delivered/, level: 1 }).waitFor();
    await page.getByRole('row', { name: /Till/ }).getByText('Failed').waitFor();

    await go('d', 'Deliveries');
    await tabTo(page.getByRole('grid', { name: 'Deliveries' }));
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Delivery' });
    await press(panel.getByRole('button', { name: /^Retry now/ }));
    await panel.getByText('Delivered on attempt 2.').waitFor();
    await keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    // The list has the focus again, so that reading goes on.
    expect(await page.getByRole('grid', { name: 'Deliveries' }).evaluate((grid) => grid.matches(':focus'))).toBe(true);
    expect(receiver.requests.map(({ body }) => body)).toEqual([
      expect.stringContaining('12.50'),
      expect.stringContaining('12.50'),
    ]);
  });

  // WCAG 2.2, 2.1.4: somebody whose words are heard as keys must be able to switch single keys off.
  test('single keys that are switched off do nothing on any list, and do again when they are switched on', async () => {
    const { page } = dashboard;
    const { keyboard } = page;
    const channelId = await scene.make('/v1/channels', { name: 'keys' });
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'key.pressed', payload: {} });
    const switchTo = async (value: 'On' | 'Off'): Promise<void> => {
      await dashboard.open('/account');
      await page.getByRole('group', { name: 'Single-key shortcuts' }).getByRole('button', { name: value }).click();
      await dashboard.open('/messages');
      await page.getByRole('grid', { name: 'Messages' }).getByText('key.pressed').first().waitFor();
    };
    const dialog = page.getByRole('dialog');
    await switchTo('Off');
    const before = page.url();
    // The palette has a key with Control, which stays, and opens behind all that the others do.
    for (const key of ['?', '/', 'j', 'o', 'e', 'l', 'f', 'g', 'd']) await keyboard.press(key);
    await keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search for an ID, a name or a payload value' }).waitFor();
    expect(await dialog.count()).toBe(1);
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toBe(before);
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).waitFor();

    await switchTo('On');
    await keyboard.press('l');
    await page.getByRole('button', { name: 'Auto-refresh off. Resume' }).waitFor();
    await keyboard.press('?');
    await dialog.waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await keyboard.press('g');
    await keyboard.press('d');
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  });
});
