import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { endAsDeadLetter } from '../support/make/seed.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('behaviour in a browser', () => {
  /** How all pages behave, tried on one of them. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  /** A channel with a subscription, and so many messages. */
  async function makeMessages(count: number): Promise<{ channelId: string; subscriptionId: string; ids: string[] }> {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const webhookUrl = 'https://example.com/hook';
    const subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
    const ids: string[] = [];
    for (let total = 1; total <= count; total += 1) {
      const sent = { eventType: 'order.created', payload: { total } };
      ids.push(await scene.make(`/v1/channels/${channelId}/messages`, sent));
    }
    return { channelId, subscriptionId, ids };
  }

  test('another environment shows the same page, without the ids and filters of this one', async () => {
    const { page } = dashboard;
    const { ids } = await makeMessages(1);
    await dashboard.open(`/messages/${ids[0]}?open=x`);
    await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
    await page.getByRole('group', { name: 'Environment' }).getByRole('button', { name: 'Live' }).click();
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/live\/messages$/);
    expect(new URL(page.url()).search).toBe('');
  });

  test('a filter is written against real messages, each of which shows what the filter looks at', async () => {
    const { page } = dashboard;
    const { subscriptionId } = await makeMessages(3);
    await dashboard.open(`/subscriptions/${subscriptionId}?tab=settings`);
    const write = async (filter: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Filter', exact: true }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(filter);
    };
    await write('payload.total >');
    const tester = page.getByRole('group', { name: 'Recent messages' });
    await page.getByText(/line 1/).waitFor();
    // Each message was a request of its own, at each pause of the writer.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await write('payload.total > 1');
    await tester.getByText('2 of the last 3 messages match').waitFor();
    expect(asked.filter((path) => /\/(?:dry-run|filter-test)$/.test(path))).toHaveLength(1);
    await tester.getByText('total 3').waitFor();
    const rows = tester.getByRole('listitem');
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringContaining('total 3'),
      expect.stringContaining('total 2'),
      expect.stringContaining('total 1'),
    ]);
    expect(await rows.getByRole('img', { name: 'Match', exact: true }).count()).toBe(2);
    await rows.last().getByRole('img', { name: 'No match' }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await waitFor('the filter is kept', async () => {
      const path = `/v1/subscriptions/${subscriptionId}`;
      const { body } = await scene.posthorn.request<{ filter?: string }>('GET', path, undefined, scene.key);
      return body.filter === 'payload.total > 1';
    });
  });

  /**
   * Requests that the page repeats from now on, by paths and names of parameters: times in them move on. First requests that it
   * still lacks are none. The clock of the page must be installed before it is opened: a timer that was set by another one goes on unseen.
   */
  function askedAgain(page: Page): { begin: () => void; asked: string[]; streams: Set<unknown> } {
    const before = new Set<string>();
    const asked: string[] = [];
    const streams = new Set<unknown>();
    let isBegun = false;
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (!pathname.startsWith('/v1/')) return;
      // The clock of a page that is run ahead hears no heartbeat, so that a stream is opened anew.
      if (/\/(?:changes|stream)$/.test(pathname)) {
        streams.add(request);
        return;
      }
      const shape = `${pathname} ${[...searchParams.keys()].toSorted().join()}`;
      if (isBegun && before.has(shape)) asked.push(shape);
      before.add(shape);
    });
    page.on('requestfailed', (request) => void streams.delete(request));
    page.on('requestfinished', (request) => void streams.delete(request));
    return { begin: () => void (isBegun = true), asked, streams };
  }

  test('stopped updates stop every question of one message, and go on with one key', async () => {
    const { page } = dashboard;
    const { ids } = await makeMessages(1);
    await page.clock.install();
    const { begin, asked } = askedAgain(page);
    await dashboard.open(`/messages/${ids[0]}`);
    // Names are asked for behind what names them.
    await page.getByRole('link', { name: 'Till' }).first().waitFor();
    await page.getByRole('link', { name: 'orders', exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).click();
    await page.getByRole('button', { name: 'Auto-refresh off. Resume' }).waitFor();
    begin();
    // The clock of the page goes on by two minutes: whatever asks every 3, 15 or 30 seconds would have asked.
    await page.clock.runFor(120_000);
    expect(asked).toEqual([]);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('l');
    await page.clock.runFor(60_000);
    await waitFor('a question', () => asked.some((shape) => shape.startsWith('/v1/messages')));
  });

  /** Tells a page that its tab is hidden, or seen again: a browser without a window hides none. */
  const turnTab = (page: Page, isHidden: boolean): Promise<void> =>
    page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${isHidden ? 'hidden' : 'visible'}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }`);

  test.each(['a list', 'one message', 'the tail'])(
    'a hidden tab with %s asks for nothing and listens to nothing, and does both once it is seen again',
    async (of) => {
      const { page } = dashboard;
      const { channelId, ids } = await makeMessages(1);
      await page.clock.install();
      const { begin, asked, streams } = askedAgain(page);
      const path = { 'a list': '', 'one message': `/${ids[0]}`, 'the tail': `?tab=tail&channel=${channelId}` }[of];
      await dashboard.open(`/messages${path}`);
      await page
        .getByText(of === 'the tail' ? /^Listening/ : 'order.created')
        .first()
        .waitFor();
      const isAll = (): boolean => streams.size === (of === 'the tail' ? 2 : 1);
      await waitFor('its streams', isAll);
      await turnTab(page, true);
      await waitFor('the end of its streams', () => streams.size === 0);
      begin();
      await page.clock.runFor(120_000);
      expect(asked).toEqual([]);
      await turnTab(page, false);
      await waitFor('its streams', isAll);
      // Every page asks each 15 s. A longer time would be that after which a stream without an answer is given up.
      await page.clock.runFor(16_000);
      await waitFor('a question', () => asked.length > 0);
    },
  );

  test('readers of the screen hear how many rows are new, and of more of them ten seconds later', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'seen' });
    await page.clock.install();
    await dashboard.open('/channels');
    await page.getByRole('link', { name: 'seen', exact: true }).waitFor();
    const spoken = page.locator('main span.sr-only[role=status]').first();
    // From here on the clock goes on by these steps alone, however long a step takes.
    await page.clock.pauseAt(Date.now() + 10_000);
    let clockMs = 0;
    const until = (what: string, isSo: () => Promise<boolean>): Promise<unknown> =>
      waitFor(what, async () => {
        await page.clock.runFor(40);
        clockMs += 40;
        return isSo();
      });
    const fresh = (count: number) => async (): Promise<boolean> =>
      (await page.getByRole('button', { name: `${count} new`, exact: true }).count()) === 1;
    const says = (text: string) => async (): Promise<boolean> => (await spoken.textContent()) === text;
    await scene.make('/v1/channels', { name: 'first' });
    await until('a new row', fresh(1));
    await until('the word of it', says('1 new'));
    clockMs = 0;
    await scene.make('/v1/channels', { name: 'second' });
    await until('another new row', fresh(2));
    expect(await spoken.textContent()).toBe('1 new');
    expect(clockMs).toBeLessThan(9_000);
    await page.clock.runFor(10_000);
    await until('the word of both', says('2 new'));
    // The rules of accessibility are looked at by timers.
    await page.clock.resume();
  });

  test('a pause is taken back within eight seconds', async () => {
    const { page } = dashboard;
    const { subscriptionId } = await makeMessages(0);
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  });

  test('the palette finds a replay, what has no page of its own beside its list, and an attempt in its delivery', async () => {
    const { page } = dashboard;
    const { ids } = await makeMessages(1);
    const { db } = scene.posthorn.deps;
    const { id: deliveryId } = await db.delivery.findFirstOrThrow({ where: { messageId: ids[0] ?? '' } });
    await endAsDeadLetter(scene.posthorn, deliveryId);
    const { id: attemptId } = await db.attempt.findFirstOrThrow({ where: { deliveryId } });
    const replayId = await scene.make('/v1/dlq/replay', {});
    const credentials = { token: 'xoxb-1' };
    const connectionId = await scene.make('/v1/connections', { connectorId: 'slack', name: 'Chat', credentials });
    for (const [id, address] of [
      [attemptId, `/deliveries/${deliveryId}`],
      [replayId, `/replays/${replayId}`],
      [connectionId, `/connections?open=${connectionId}`],
    ] as const) {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Search for an ID, a name or a payload value' });
      await field.fill(id);
      await field.press('Enter');
      await page.waitForURL((url) => (url.pathname + url.search).endsWith(`/test${address}`));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('rows that are not among the newest change in place, too', async () => {
    const { page } = dashboard;
    const { ids } = await makeMessages(1);
    const { db, pool } = scene.posthorn.deps;
    const delivery = await db.delivery.findFirstOrThrow({ where: { messageId: ids[0] ?? '' } });
    // Two pages of newer ones.
    await pool.query(
      `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, max_retries, initial_delay,
       max_delay, backoff_multiplier)
     SELECT posthorn_id('dlv'), environment_id, channel_id, posthorn_id('msg'), subscription_id, event_type, 'failed', max_retries,
       initial_delay, max_delay, backoff_multiplier FROM deliveries, generate_series(1, 150) WHERE id = $1`,
      [delivery.id],
    );
    await dashboard.open('/deliveries');
    const grid = page.getByRole('grid', { name: 'Deliveries' });
    await grid.getByRole('row').nth(1).waitFor();
    const row = grid.getByRole('row').filter({ has: page.getByRole('button', { name: `(${delivery.id})` }) });
    await grid.focus();
    await waitFor('the last row', async () => {
      await page.keyboard.press('End');
      return (await row.count()) === 1;
    });
    expect(await row.innerText()).toContain('Pending');
    await db.delivery.update({ where: { id: delivery.id }, data: { status: 'delivered', dueAt: null } });
    await row.getByText('Delivered').waitFor();
  });

  test('a narrow screen keeps the focus in its menu until Escape closes it', async () => {
    const { page } = dashboard;
    await page.setViewportSize({ width: 800, height: 900 });
    const menu = page.getByRole('button', { name: 'Open navigation' });
    await menu.click();
    const dialog = page.getByRole('dialog', { name: 'Navigation' });
    await dialog.getByRole('link', { name: 'Overview' }).waitFor();
    const isIn = (): Promise<boolean> => dialog.evaluate((shown) => shown.matches(':focus-within'));
    const stops = await dialog.getByRole('link').or(dialog.getByRole('button')).count();
    await waitFor('the focus in the menu', isIn);
    // Once round, and back over its beginning.
    for (let stop = 0; stop <= stops; stop += 1) {
      await page.keyboard.press('Tab');
      await waitFor('the focus in the menu', isIn);
    }
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await waitFor('the focus of its button', () => menu.evaluate((button) => button.matches(':focus')));
    // A page that is led to is shown without the menu.
    await menu.click();
    await dialog.getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });
});
