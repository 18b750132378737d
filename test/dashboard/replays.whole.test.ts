import { beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { endAsDeadLetter } from '../../src/delivery/record/statements/end.ts';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';

describeWithBrowser('replays in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  let channelId: string;
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });
  beforeEach(async () => {
    const { db, pool } = scene.posthorn.deps;
    await pool.query('TRUNCATE dead_letters CASCADE');
    await Promise.all([db.bulkReplay.deleteMany(), db.bulkRetry.deleteMany(), db.messageReplay.deleteMany()]);
    channelId = await scene.make('/v1/channels', { name: 'orders' });
  });

  const rows = (name: RegExp): Locator => dashboard.page.getByRole('grid').getByRole('row', { name });
  const heading = (name: RegExp): Locator => dashboard.page.getByRole('heading', { name, level: 1 });
  const outcome = (text: string): Locator =>
    dashboard.page.getByRole('list', { name: 'Outcome' }).getByRole('listitem').filter({ hasText: text });
  const searchOf = (): Record<string, string> => Object.fromEntries(new URL(dashboard.page.url()).searchParams);
  const read = async <T>(path: string): Promise<T> =>
    (await scene.posthorn.request<T>('GET', path, undefined, scene.key)).body;

  const subscribe = (name: string, webhookUrl: string): Promise<string> =>
    scene.make('/v1/subscriptions', { channelId, webhookUrl, name, retryPolicy: { maxRetries: 0 } });
  const publish = (): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });

  async function untilFailed(count: number): Promise<void> {
    await waitFor(`${count} failed deliveries`, async () => {
      const { data } = await read<{ data: object[] }>(`/v1/deliveries?channelId=${channelId}&status=failed`);
      return data.length === count;
    });
  }

  /** Retries both failed deliveries of the channel, and comes to the page of that. */
  async function retryAll(): Promise<void> {
    const { page } = dashboard;
    await dashboard.open(`/deliveries?channel=${channelId}&status=failed`);
    await page.getByRole('button', { name: /^Retry all/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Retry 2 deliveries\?/ });
    await dialog.getByRole('button', { name: 'Retry 2' }).click();
    await page.waitForURL(/\/replays\/rty_/);
  }

  // "Completed" stood there once all retries were asked for, although one of them failed again.
  test('a retry of many says how many were delivered and how many failed again, and leads to each of them', async () => {
    const { page } = dashboard;
    const other = await scene.startReceiver();
    receiver.answerWith([503]);
    other.answerWith([503]);
    await subscribe('Mended', receiver.url);
    await subscribe('Broken', other.url);
    await publish();
    await untilFailed(2);
    receiver.answerWith([200]);
    await retryAll();
    await heading(/^2 deliveries Completed with failures/).waitFor();
    await outcome('1 delivered').waitFor();
    await outcome('1 failed again').waitFor();
    await page.getByRole('progressbar', { name: 'All 2 queued: 1 delivered, 0 in progress, 1 failed again' }).waitFor();
    expect(await dashboard.violations()).toEqual([]);

    await outcome('1 failed again').getByRole('link').click();
    await page.waitForURL(/status=failed/);
    await rows(/Broken/).waitFor();
    expect(await rows(/Mended/).count()).toBe(0);
    expect(searchOf()['replay']).toMatch(/^rty_/);
    await dashboard.open('/replays');
    await rows(/^Completed with failures 2 deliveries/).waitFor();
  });

  test('a retry whose deliveries are in progress is not completed, and becomes so by itself', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('First', receiver.url);
    await subscribe('Second', receiver.url);
    await publish();
    await untilFailed(2);
    const open: (() => void)[] = [];
    let isMended = false;
    receiver.answerWith([
      (response) => {
        const answer = (): void => void response.writeHead(200).end();
        if (isMended) answer();
        else open.push(answer);
      },
    ]);
    await retryAll();
    await heading(/In progress/).waitFor();
    await outcome('2 in progress').waitFor();
    await waitFor('both to be attempted', () => open.length === 2);
    isMended = true;
    for (const answer of open) answer();
    await heading(/Completed/).waitFor();
    await outcome('2 delivered').waitFor();
    await page.getByRole('link', { name: 'View deliveries' }).click();
    await page.waitForURL(/\/deliveries\?replay=rty_/);
    await rows(/First/).waitFor();
    await rows(/Second/).waitFor();
  });

  // The button took all that was given up since the replay began, and said that some may not be of it.
  test('one button retries exactly the deliveries of a replay that have failed again', async () => {
    const { page } = dashboard;
    const { posthorn } = scene;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    const ids = [await publish(), await publish()];
    await untilFailed(2);
    // A cause that the replay did not ask for.
    receiver.answerWith([500]);
    const asked = { channelId, errorStatus: 503 };
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/dlq/replay', asked, scene.key);
    await waitFor('both are attempted again', () => ids.every((id) => receiver.countOf(id) === 2));
    await untilFailed(2);
    // One of the same place that comes up later.
    const later = await publish();
    await untilFailed(3);
    receiver.answerWith([200]);

    // The list says what was replayed by its names, and a row leads to the page of the replay.
    await dashboard.open('/replays');
    await rows(/2 dead letters Channel orders, Status code 503 All 2 queued/).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('o');
    await heading(/^2 dead letters/).waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`/replays/${body.id}$`));
    await outcome('2 failed again').waitFor();
    await page.getByRole('button', { name: 'Retry 2 failures…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Retry 2 deliveries\?/ });
    await dialog.getByText('Exactly the deliveries that this replay').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Retry 2' }).click();
    for (const id of ids) await waitFor('it arrives', () => receiver.countOf(id) === 3);
    await untilFailed(1);
    expect(receiver.countOf(later)).toBe(1);

    // Nothing is left of the replay.
    await page.waitForURL(/\/replays\/rty_\w+$/);
    await outcome('2 delivered').waitFor();
    await page.getByRole('link', { name: `rpl_…${body.id.slice(-6)}` }).click();
    await outcome('0 failed again').waitFor();
    expect(await page.getByRole('button', { name: /failures…$/ }).count()).toBe(0);
  });

  // The panel printed one letter a line.
  test('a replay with a rate says how fast it may be, when it ends and who started it, and is cancelled', async () => {
    const { page } = dashboard;
    const { deps, request } = scene.posthorn;
    const subscriptionId = await subscribe('Ledger', receiver.url);
    // Nothing is sent: 40 failures would open its circuit.
    await request('POST', `/v1/subscriptions/${subscriptionId}/pause`, undefined, scene.key);
    for (let number = 1; number <= 40; number += 1) await publish();
    for (const { id: deliveryId } of await deps.db.delivery.findMany({ where: { subscriptionId } }))
      await endAsDeadLetter(deps.pool, { deliveryId, round: 1, reason: 'internal', message: 'a test' });
    const { body } = await request<{ id: string }>('POST', '/v1/dlq/replay', { ratePerSecond: 1 }, scene.key);
    await dashboard.open(`/replays?open=${body.id}`);
    const panel = page.getByRole('complementary', { name: 'Replay' });
    await panel.getByText(/limit 1\/s\)?, about .* left$/).waitFor();
    await panel.getByText(/^API key /).waitFor();
    await rows(/In progress 40 dead letters .* about .* left/).waitFor();
    const title = panel.getByRole('heading', { name: /^40 dead letters/ });
    // One line, and its badge on the next one at most.
    expect((await title.boundingBox())?.height ?? Infinity).toBeLessThan(60);
    expect(await dashboard.violations()).toEqual([]);
    await panel.getByRole('button', { name: 'Cancel replay' }).click();
    const dialog = page.getByRole('dialog', { name: /^Cancel this replay\?/ });
    await dialog.getByRole('button', { name: 'Keep replay' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel replay' }).click();
    await panel.getByText('Cancelled').waitFor();
  });

  test('replays of all kinds stand in one list, newest first, and are found by kind, status and subscription', async () => {
    const { page } = dashboard;
    const { db } = scene.posthorn.deps;
    const [till, shop] = [await subscribe('Till', receiver.url), await subscribe('Shop', receiver.url)];
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const letters = await scene.make('/v1/dlq/replay', { subscriptionId: till });
    const retry = await scene.make('/v1/deliveries/retry', {});
    const toShop = await scene.make(`/v1/subscriptions/${shop}/replay`, { since });
    const toTill = await scene.make(`/v1/subscriptions/${till}/replay`, { since });
    await db.messageReplay.update({ where: { id: toTill }, data: { status: 'failed', finishedAt: new Date() } });
    const links = page.getByRole('grid').locator('a[data-row]');
    const untilShown = (...ids: string[]): Promise<unknown> =>
      waitFor(`${ids.length} replays`, async () => {
        const shown = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')?.split('/').at(-1)));
        return JSON.stringify(shown) === JSON.stringify(ids);
      });
    await dashboard.open('/replays');
    await untilShown(toTill, toShop, retry, letters);
    expect(await dashboard.violations()).toEqual([]);
    const field = page.getByRole('search').getByRole('combobox', { name: 'Filter' });
    const ask = async (text: string): Promise<void> => {
      await field.fill(text);
      await field.press('Enter');
    };
    await ask('kind:messages');
    await untilShown(toTill, toShop);
    await ask('status:failed');
    await untilShown(toTill);
    await dashboard.open('/replays?kind=deliveries');
    await untilShown(retry);
    await dashboard.open(`/replays?subscription=${till}`);
    await untilShown(toTill, letters);
    await page.getByRole('button', { name: /^View:/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Of dead letters' }).click();
    await untilShown(letters);
    expect(searchOf()).toEqual({ kind: 'dead-letters' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Messages' }).click();
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
  });

  test('a list of more replays than a page goes on with those behind them', async () => {
    const { page } = dashboard;
    const { pool } = scene.posthorn.deps;
    const first = await scene.make('/v1/dlq/replay', {});
    await scene.make('/v1/deliveries/retry', {});
    await pool.query(
      `INSERT INTO bulk_replays SELECT (jsonb_populate_record(r, jsonb_build_object('id', posthorn_id('rpl')))).*
       FROM bulk_replays r CROSS JOIN generate_series(1, 149) WHERE r.id = $1`,
      [first],
    );
    await dashboard.open('/replays');
    await page.getByText(/^1–\d+ of /).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByText(/of 151$/).waitFor();
  });

  test('a subscription gets its messages again from a time on, once they were counted', async () => {
    const { page } = dashboard;
    const ids = [await publish(), await publish()];
    // Made afterwards: it has missed both.
    const subscriptionId = await subscribe('Late', receiver.url);
    await dashboard.open(`/subscriptions/${subscriptionId}`);
    await openReplaySince();
    const dialog = page.getByRole('dialog', { name: /^Replay to Late/ });
    await dialog.getByText('2 messages will be sent').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    // Both in the zone of the reader, as everywhere.
    const from = await dialog.getByLabel('From (UTC)').inputValue();
    await dialog.getByLabel('From (UTC)').fill('2020-01-01T00:00:00');
    await dialog.getByLabel('Until (UTC)').fill('2020-01-02T00:00:00');
    await dialog.getByText('0 messages will be sent').waitFor();
    await dialog.getByLabel('From (UTC)').fill(from);
    await dialog.getByLabel('Until (UTC)').fill('');
    await dialog.getByRole('button', { name: 'Equivalent request' }).click();
    await dialog.getByText(`/v1/subscriptions/${subscriptionId}/replay`).waitFor();
    expect(receiver.requests).toEqual([]);
    await dialog.getByRole('button', { name: 'Replay 2' }).click();
    await page.waitForURL(/\/replays\/rpm_/);
    await heading(/^2 messages to Late Completed/).waitFor();
    for (const id of ids) expect(receiver.countOf(id)).toBe(1);
  });

  test('the page of replays starts one, for a subscription that is chosen there', async () => {
    const { page } = dashboard;
    const id = await publish();
    await subscribe('Late', receiver.url);
    await dashboard.open('/replays');
    await page.getByRole('button', { name: 'Replay messages' }).click();
    const first = page.getByRole('dialog', { name: /^Replay messages/ });
    expect(await first.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
    await first.getByRole('combobox', { name: 'Subscription' }).click();
    await page.getByRole('option', { name: /^Late/ }).first().click();
    expect(await dashboard.violations()).toEqual([]);
    await first.getByRole('button', { name: 'Continue' }).click();
    const second = page.getByRole('dialog', { name: /^Replay to Late/ });
    await second.getByRole('button', { name: 'Replay 1' }).click();
    await heading(/^1 message to Late Completed/).waitFor();
    expect(receiver.countOf(id)).toBe(1);
  });

  /** From the page of a subscription, wherever it keeps the act. */
  async function openReplaySince(): Promise<void> {
    const { page } = dashboard;
    const button = page.getByRole('button', { name: /^Replay( since)?…$/ });
    const menu = page.getByRole('button', { name: 'More actions' });
    await button.or(menu).first().waitFor();
    if ((await button.count()) > 0) await button.click();
    else {
      await menu.click();
      await page.getByRole('menuitem', { name: /^Replay/ }).click();
    }
  }
});
