import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { endAsDeadLetter } from '../../src/deliveries/statements/end.ts';
import { waitFor } from '../support/check/wait-for.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('dead letters in a browser', () => {
  let scene: DashboardScene;
  let posthorn: TestPosthorn;
  let dashboard: Dashboard;
  let receiver: Receiver;
  let channelId: string;

  beforeAll(async () => {
    scene = await setDashboardScene();
    ({ posthorn } = scene);
  });
  afterAll(() => scene.end());
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE dead_letters CASCADE');
    ({ dashboard, receiver } = await scene.enter());
    channelId = await make('/v1/channels', { name: 'payments' });
  });
  afterEach(() => scene.leave());

  const make = (path: string, body: object): Promise<string> => scene.make(path, body);

  /** Open dead letters of the environment, 100 at most, newest first. */
  async function listOpen(query = ''): Promise<{ id: string }[]> {
    const path = `/v1/dlq?status=open&${query}`;
    const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', path, undefined, scene.key);
    return body.data;
  }
  const countOpen = async (): Promise<number> => (await listOpen()).length;

  /** A subscription that gives up at once. */
  const subscribe = (name: string, webhookUrl: string): Promise<string> =>
    make('/v1/subscriptions', { channelId, name, webhookUrl, retryPolicy: { maxRetries: 0 } });

  /** Publishes messages that nobody can deliver, and waits for their dead letters. */
  async function fail(count: number, { letters }: { letters: number }): Promise<string[]> {
    const ids: string[] = [];
    for (let number = 1; number <= count; number += 1)
      ids.push(await make(`/v1/channels/${channelId}/messages`, { eventType: 'payment.made', payload: { number } }));
    await waitFor(`${letters} dead letters`, async () => (await countOpen()) === letters);
    return ids;
  }

  test('dead letters are shown by their cause, and one cause is replayed', async () => {
    const { page } = dashboard;
    const gone = await scene.startReceiver();
    await gone.close();
    receiver.answerWith([503]);
    const failing = await subscribe('Failing', receiver.url);
    await subscribe('Not there', gone.url);
    const ids = await fail(2, { letters: 4 });
    await dashboard.open('/dead-letters');
    const causes = page.getByRole('region', { name: 'Causes' });
    await causes.getByRole('row', { name: /Not there.*no connection/ }).waitFor();
    // The causes of one channel in the last hour, which stay those of it when one is opened.
    const filters = page.getByRole('search');
    await filters.getByLabel('Channel').selectOption(channelId);
    await filters.getByLabel('In the last').selectOption('1h');
    await causes.getByRole('row', { name: /Not there.*no connection/ }).waitFor();
    await causes.getByRole('img', { name: '2 over time, the newest last' }).first().waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await causes
      .getByRole('row', { name: /Failing.*answered 503/ })
      .getByRole('link', { name: '2' })
      .click();
    // Causes vanished with the first filter, and one had to go back for the next.
    await page.waitForURL(/answer=503/);
    await causes
      .getByRole('row', { name: /Failing/ })
      .and(page.locator('[aria-current=true]'))
      .waitFor();
    await causes.getByRole('row', { name: /Not there.*no connection/ }).waitFor();
    await causes.getByText('The list below shows one cause, which is marked.').waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      kind: 'delivery',
      reason: 'exhausted',
      subscription: failing,
      error: 'status',
      answer: '503',
      channel: channelId,
      since: '1h',
    });
    const rows = page.getByRole('grid').getByRole('row');
    await rows
      .filter({ hasText: /Not there/ })
      .first()
      .waitFor({ state: 'detached' });
    await rows
      .filter({ hasText: /Failing/ })
      .nth(1)
      .waitFor();
    expect(await rows.filter({ hasText: /Not there/ }).count()).toBe(0);
    receiver.answerWith([200]);
    await causes
      .getByRole('row', { name: /Failing/ })
      .getByRole('button', { name: 'Replay these' })
      .click();
    await page.getByText('2 open dead letters match.').waitFor();
    const rate = page.getByLabel('At most per second');
    const go = page.getByRole('button', { name: 'Replay them' });
    for (const wrong of ['1001', '0', '5,5', 'many']) {
      await rate.fill(wrong);
      await page.getByText('A whole number from 1 to 1,000.').waitFor();
      expect(await go.isDisabled()).toBe(true);
    }
    await rate.fill('50');
    await go.click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByText('2 of 2').waitFor();
    await details.getByText('50', { exact: true }).waitFor();
    await details.getByText(/\(you\)$/).waitFor();
    for (const id of ids) await waitFor('it arrives', () => receiver.countOf(id) === 2);
  });

  // Old: eight columns stood side by side. A reason took up to five lines, and the button of each cause was cut off.
  test('each cause is told in two lines at most beside the menu of a small screen, and its button is in view', async () => {
    const { page } = dashboard;
    await subscribe('Ledger of the shop', receiver.url);
    receiver.answerWith([410]);
    await fail(1, { letters: 1 });
    const firstFailedAt = new Date(posthorn.deps.clock().getTime() - 86_400_000).toISOString();
    const reasons = ['gone', 'circuit', 'internal', 'subscription_deleted'];
    await page.route('**/v1/dlq/groups*', async (route) => {
      const response = await route.fetch();
      // `as`: the route answers so.
      const { groups, ...rest } = (await response.json()) as { groups: object[] };
      const told = reasons.map((reason) => ({ ...groups[0], reason, count: 1_234, firstFailedAt }));
      await route.fulfill({ response, json: { ...rest, groups: told } });
    });
    const lines = `[...document.querySelectorAll('td.words > div:first-child')].map((part) => Math.round(part.clientHeight / parseFloat(getComputedStyle(part).lineHeight)))`;
    const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.box.wide'))`;
    for (const language of ['en', 'de']) {
      await page.evaluate(`localStorage.setItem('posthorn.language', '${language}')`);
      for (const width of [1024, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await dashboard.open('/dead-letters');
        await page.locator('td.words').nth(3).waitFor();
        const told = await page.evaluate<number[]>(lines);
        const seen = [told.length, told.every((each) => each === 1 || each === 2), await page.evaluate(beyond)];
        expect([language, width, ...seen]).toEqual([language, width, 4, true, 0]);
      }
    }
  });

  test('a replay with a rate says how fast it may be, when it ends and who has asked for it', async () => {
    const { page } = dashboard;
    const subscriptionId = await subscribe('Ledger', receiver.url);
    // Nothing is sent: 40 failures would open its circuit.
    await posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`, undefined, scene.key);
    for (let number = 1; number <= 40; number += 1)
      await make(`/v1/channels/${channelId}/messages`, { eventType: 'payment.made', payload: { number } });
    for (const { id: deliveryId } of await posthorn.deps.db.delivery.findMany({ where: { subscriptionId } }))
      await endAsDeadLetter(posthorn.deps.pool, { deliveryId, round: 1, reason: 'internal', message: 'a test' });
    const asked = { ratePerSecond: 1 };
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/dlq/replay', asked, scene.key);
    await dashboard.open(`/replays?open=${body.id}`);
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByText(/at most 1 a second, about .* left$/).waitFor();
    await details.getByText(/^API key key_/).waitFor();
    await page
      .getByRole('grid')
      .getByRole('row', { name: /All open dead letters.*API key key_.* of 40.* left/ })
      .waitFor();
    await posthorn.request('POST', `/v1/dlq/replay/${body.id}/cancel`, undefined, scene.key);
    await details.getByText('Cancelled').waitFor();
  });

  test('a list in which nothing is lost any more says when something was, last', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(1, { letters: 1 });
    const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', '/v1/dlq', undefined, scene.key);
    await posthorn.request('DELETE', `/v1/dlq/${body.data[0]?.id}`, undefined, scene.key);
    await dashboard.open('/dead-letters');
    await page.getByRole('heading', { name: 'Nothing is lost' }).waitFor();
    await page.getByText(/^The last one was given up .*\d\d:\d\d:\d\d/).waitFor();
  });

  test('some rows of a list are selected and replayed, and others thrown away after a while to think', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(4, { letters: 4 });
    receiver.answerWith([200]);
    await dashboard.open('/dead-letters');
    const boxes = page.getByRole('checkbox', { name: 'Select the row' });
    await boxes.nth(3).waitFor();
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.getByRole('grid').focus();
    // The first row is the one that keys mean.
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await waitFor('two are delivered again', () => receiver.requests.length === 6);
    expect(await countOpen()).toBe(2);
    await page.reload();
    await boxes.nth(1).waitFor();
    await boxes.nth(0).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await boxes.nth(1).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await waitFor('one is discarded', async () => (await countOpen()) === 1);
  });

  // At best the first row was thrown away: the requests of a closed page are dropped.
  test('rows that were thrown away are so although the page is closed within the time to think', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(3, { letters: 3 });
    await dashboard.open('/dead-letters');
    const boxes = page.getByRole('checkbox', { name: 'Select the row' });
    await boxes.nth(2).waitFor();
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.goto('about:blank');
    await waitFor('all are discarded', async () => (await countOpen()) === 0);
    await page.goBack();
    await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
  });

  test('all that a filter matches is counted and discarded, and the others stay', async () => {
    const { page } = dashboard;
    receiver.answerWith([500]);
    const failing = await subscribe('Old till', receiver.url);
    await subscribe('New till', receiver.url);
    await fail(2, { letters: 4 });
    await dashboard.open(`/dead-letters?subscription=${failing}`);
    await page.getByRole('button', { name: 'Discard all that match' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard all that match' });
    await dialog.getByText('2 open dead letters match.').waitFor();
    const named = await listOpen(`subscriptionId=${failing}`);
    await dialog.getByText('The oldest of them:').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(
      named.toReversed().map(({ id }) => expect.stringContaining(id)),
    );
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Discard them' }).click();
    await page.getByText('All that matched are discarded').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await countOpen()).toBe(2);
    const { rows } = await posthorn.deps.pool.query(
      'SELECT DISTINCT status FROM dead_letters WHERE subscription_id = $1',
      [failing],
    );
    expect(rows).toEqual([{ status: 'discarded' }]);
  });

  // The causes were sorted anew every ten seconds, under a reader who was about to press "Replay" of one.
  test('a cause that grows stays in its place until somebody asks for the order, and a new one waits', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(2, { letters: 2 });
    const publish = async (channel: string): Promise<string> =>
      make(`/v1/channels/${channel}/messages`, { eventType: 'refund.made', payload: {} });
    const channelOf = async (name: string): Promise<string> => {
      const id = await make('/v1/channels', { name });
      const webhook = { channelId: id, name, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } };
      await make('/v1/subscriptions', webhook);
      return id;
    };
    const [refunds, parcels] = [await channelOf('Refunds'), await channelOf('Parcels')];
    await publish(refunds);
    await waitFor('three dead letters', async () => (await countOpen()) === 3);
    await dashboard.open('/dead-letters');
    const causes = page.getByRole('region', { name: 'Causes' });
    const order = async (): Promise<string[]> =>
      (await causes.getByRole('row').allInnerTexts()).flatMap((text) => /Ledger|Refunds|Parcels/.exec(text) ?? []);
    await causes.getByRole('row', { name: /Refunds/ }).waitFor();
    expect(await order()).toEqual(['Ledger', 'Refunds']);

    for (let more = 0; more < 2; more += 1) await publish(refunds);
    await causes
      .getByRole('row', { name: /Refunds/ })
      .getByRole('link', { name: '3' })
      .waitFor();
    expect(await order()).toEqual(['Ledger', 'Refunds']);
    await causes.getByRole('button', { name: 'Sort again' }).click();
    expect(await order()).toEqual(['Refunds', 'Ledger']);

    for (let more = 0; more < 4; more += 1) await publish(parcels);
    await causes.getByRole('button', { name: '1 new' }).click();
    await causes.getByRole('row', { name: /Parcels/ }).waitFor();
  });
});
