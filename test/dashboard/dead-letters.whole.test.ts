import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import { OWNER } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { insertListed } from '../support/make/listed-rows.ts';
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

  const causes = (): Locator => dashboard.page.getByRole('treegrid', { name: 'Dead letters by cause' });
  const causeOf = (name: RegExp): Locator => causes().getByRole('row', { level: 1, name });
  const lettersIn = (): Locator => causes().getByRole('row', { level: 2 });
  const searchOf = (): Record<string, string> => Object.fromEntries(new URL(dashboard.page.url()).searchParams);

  test('dead letters stand below their cause, and one cause is replayed at a rate', async () => {
    const { page } = dashboard;
    const gone = await scene.startReceiver();
    await gone.close();
    receiver.answerWith([503]);
    const failing = await subscribe('Failing', receiver.url);
    await subscribe('Not there', gone.url);
    const ids = await fail(2, { letters: 4 });
    await dashboard.open(`/dead-letters?channel=${channelId}&since=1h`);
    await page.getByText('4 open, 2 causes').waitFor();
    await causeOf(/Not there connection failed All attempts failed/).waitFor();
    await causeOf(/Failing/)
      .getByRole('img', { name: '2 dead letters over time, the newest last' })
      .waitFor();
    // The first cause stands open; another one is opened by a press, and closed by the next.
    await lettersIn().nth(1).waitFor();
    expect(await lettersIn().count()).toBe(2);
    await causes().locator('[aria-expanded=false]').click();
    await lettersIn().nth(3).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await causeOf(/Not there/).click();
    await causeOf(/Not there/)
      .and(page.locator('[aria-expanded=false]'))
      .waitFor();
    await lettersIn().nth(2).waitFor({ state: 'detached' });

    receiver.answerWith([200]);
    await causeOf(/Failing 503/)
      .getByRole('button', { name: 'Replay 2…' })
      .click();
    const dialog = page.getByRole('dialog', { name: /^Replay 2 dead letters\?/ });
    const rate = dialog.getByLabel('Rate limit');
    const go = dialog.getByRole('button', { name: 'Replay 2' });
    for (const wrong of ['1001', '0', '5,5', 'many']) {
      await rate.fill(wrong);
      await dialog.getByText('Enter a whole number from 1 to 1,000').waitFor();
      expect(await go.isDisabled()).toBe(true);
    }
    await rate.fill('50');
    expect(await dashboard.violations()).toEqual([]);
    await go.click();
    await page.waitForURL(/\/replays\/rpl_/);
    await page.getByRole('heading', { name: '2 dead letters to Failing', level: 1 }).waitFor();
    await page.getByText('All 2 queued').waitFor();
    await page.getByText('at most 50 per second').waitFor();
    await page
      .getByText(/\(you\)$/)
      .first()
      .waitFor();
    for (const id of ids) await waitFor('it arrives', () => receiver.countOf(id) === 2);
    const { body } = await posthorn.request<{ filter: object }>(
      'GET',
      `/v1/dlq/replay/${page.url().split('/').at(-1)}`,
      undefined,
      scene.key,
    );
    expect(body.filter).toMatchObject({ channelId, subscriptionId: failing, reason: 'exhausted', errorStatus: 503 });
  });

  test('a cause leads to all of its dead letters, which stand under chips that can be taken away', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    const subscription = await subscribe('Ledger', receiver.url);
    await fail(6, { letters: 6 });
    await dashboard.open('/dead-letters');
    await lettersIn().nth(4).waitFor();
    await causes().getByRole('link', { name: 'Show all 6' }).click();
    const rows = page.getByRole('grid', { name: 'Dead letters' }).getByRole('row', { name: /payment\.made/ });
    await rows.nth(5).waitFor();
    expect(searchOf()).toEqual({
      kind: 'delivery',
      reason: 'exhausted',
      subscription,
      error: 'status',
      answer: '503',
      view: 'list',
    });
    const chips = page.getByRole('list', { name: 'Active filters' });
    await chips.getByText('All attempts failed').waitFor();
    // Back to the causes, with the same filters.
    await page.getByRole('button', { name: 'By cause' }).click();
    await causeOf(/Ledger/).waitFor();
    expect(searchOf()).not.toHaveProperty('view');
  });

  test('the table is worked by keys alone: a cause opens, a dead letter is shown beside it, and its attempts are there', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await subscribe('Archive', receiver.url);
    await fail(1, { letters: 2 });
    await dashboard.open('/dead-letters');
    await lettersIn().first().waitFor();
    await causes().focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await lettersIn().nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Dead letter' });
    await panel.getByText('Gave up after 1 attempt.').waitFor();
    await panel.getByText('The last one returned 503.').waitFor();
    await panel.getByRole('button', { name: /^Attempt 1/ }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('o');
    await page.waitForURL(/\/dead-letters\/dlq_/);
    await page.getByRole('heading', { name: /^payment\.made to (Ledger|Archive)/, level: 1 }).waitFor();
    await page.getByRole('group', { name: 'Request', exact: true }).first().waitFor();
    expect(await dashboard.violations()).toEqual([]);

    receiver.answerWith([200]);
    await page.keyboard.press('r');
    await page.getByRole('region', { name: 'Status' }).getByText('Replayed by').waitFor();
    await page.getByRole('region', { name: 'Status' }).getByText('its delivery was delivered').waitFor();
    await waitFor('it arrives', () => receiver.requests.length === 3);
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0);
  });

  test('one dead letter is discarded, unless its reader takes that back within the time to think', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(1, { letters: 1 });
    const [letter] = await listOpen();
    await dashboard.open(`/dead-letters/${letter?.id}`);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Discarding in 8 s').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Dead letter discarded').waitFor();
    await page.getByRole('region', { name: 'Status' }).getByText("Discarded. It can't be replayed.").waitFor();
    expect(await countOpen()).toBe(0);
  });

  test('the causes obey the filters that are set', async () => {
    const { page } = dashboard;
    const { pool, db } = posthorn.deps;
    const barn = await subscribe('Barn', receiver.url);
    const ledger = await subscribe('Ledger', receiver.url);
    const { environmentId } = await db.subscription.findUniqueOrThrow({ where: { id: barn } });
    await insertListed(
      pool,
      { channelId, environmentId },
      { eventType: 'payment.made', status: 'failed', count: 20, to: [barn, ledger] },
    );
    await dashboard.open('/dead-letters');
    await causeOf(/Barn/).waitFor();
    await dashboard.open(`/dead-letters?subscription=${ledger}`);
    await causeOf(/Ledger/).waitFor();
    expect(await causeOf(/Barn/).count()).toBe(0);
    // A type that no dead letter has leaves no cause.
    await dashboard.open('/dead-letters?type=payment.refunded');
    await page.getByRole('heading', { name: 'No dead letters match' }).waitFor();
    await dashboard.open('/dead-letters?type=payment.*');
    await causeOf(/Barn/).waitFor();
  });

  test('an address with what the list does not know loses that, and says so; its filters are written and taken away', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(1, { letters: 1 });
    for (const [query, kept, ignored] of [
      ['status=open,all', {}, 'Status open,all'],
      ['answer=9xx', {}, 'Status code 9xx'],
      ['answer=500-600&view=list', { view: 'list' }, 'Status code 500-600'],
      // Without a response the kind of the error is meant.
      ['answer=timeout', { error: 'timeout' }, undefined],
    ] as const) {
      await dashboard.open(`/dead-letters?${query}`);
      await waitFor(`what is left of ${query}`, async () => JSON.stringify(searchOf()) === JSON.stringify(kept));
      const told = page.getByText('Ignored invalid filters:');
      if (ignored !== undefined) await told.filter({ hasText: ignored }).waitFor();
      expect(await told.count()).toBe(ignored === undefined ? 0 : 1);
    }
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await causeOf(/Ledger/).waitFor();
    expect(searchOf()).toEqual({});
    // Others than open ones have no causes.
    await dashboard.open('/dead-letters?status=open,discarded');
    await page
      .getByRole('grid', { name: 'Dead letters' })
      .getByRole('row', { name: /Open payment\.made/ })
      .waitFor();
    await page.getByRole('button', { name: 'By cause' }).click();
    await causeOf(/Ledger/).waitFor();
    expect(searchOf()).toEqual({});
    await dashboard.open(`/dead-letters?channel=${channelId}&since=400d&until=370d`);
    await page.getByRole('heading', { name: 'Outside the retention period' }).waitFor();
  });

  // A narrow page cut off the button of each cause.
  test('a cause has two lines on a narrow screen, and nothing is wider than the screen', async () => {
    const { page } = dashboard;
    receiver.answerWith([410]);
    await subscribe('Ledger of the shop with a long name', receiver.url);
    await fail(1, { letters: 1 });
    for (const width of [320, 390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await dashboard.open('/dead-letters');
      await causeOf(/Ledger/)
        .getByText('Endpoint returned 410 Gone')
        .waitFor();
      await causes().getByRole('button', { name: 'Replay', exact: true }).waitFor();
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([width, beyond]).toEqual([width, 0]);
      expect(await dashboard.violations()).toEqual([]);
    }
  });

  test('a list without open dead letters says when the last one failed', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(1, { letters: 1 });
    const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', '/v1/dlq', undefined, scene.key);
    await posthorn.request('DELETE', `/v1/dlq/${body.data[0]?.id}`, undefined, scene.key);
    await dashboard.open('/dead-letters');
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
    await page.getByText(/^The last one failed (just now|\d+ (s|min) ago)$/).waitFor();
    await page.getByRole('button', { name: 'Include resolved' }).click();
    await page
      .getByRole('grid', { name: 'Dead letters' })
      .getByRole('row', { name: /Discarded/ })
      .waitFor();
  });

  test('some rows of a list are selected and replayed, and others discarded after a while to think', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(4, { letters: 4 });
    receiver.answerWith([200]);
    await dashboard.open('/dead-letters?view=list');
    const boxes = page.getByRole('checkbox', { name: /^Select row/ });
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await boxes.nth(3).waitFor();
    for (const row of [1, 2]) await boxes.nth(row).click();
    await bar.getByText('2 selected').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await bar.getByRole('button', { name: /^Replay 2/ }).click();
    await waitFor('two are delivered again', () => receiver.requests.length === 6);
    expect(await countOpen()).toBe(2);
    // The same below their cause.
    await dashboard.open('/dead-letters');
    await lettersIn().nth(1).waitFor();
    const below = causes().getByRole('checkbox', { name: 'Select payment.made' });
    await below.nth(0).click();
    await bar.getByRole('button', { name: 'Discard 1' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await below.nth(1).click();
    await bar.getByRole('button', { name: 'Discard 1' }).click();
    await waitFor('one is discarded', async () => (await countOpen()) === 1);
  });

  // At best the first row was thrown away: the requests of a closed page are dropped.
  test('rows that were discarded are so although the page is closed within the time to think', async () => {
    const { page } = dashboard;
    receiver.answerWith([503]);
    await subscribe('Ledger', receiver.url);
    await fail(3, { letters: 3 });
    await dashboard.open('/dead-letters');
    await causes().getByRole('checkbox', { name: 'Select the shown dead letters of this cause' }).click();
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Discard 3' }).click();
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
    await causeOf(/Old till/).waitFor();
    // A session that was proven too long ago is proven first: the count failed for it.
    await posthorn.deps.pool.query("UPDATE sessions SET authenticated_at = now() - interval '11 minutes'");
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Discard all 2…' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm your identity' });
    await proof.getByLabel('Password').fill(OWNER.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    const dialog = page.getByRole('dialog', { name: /^Discard 2 dead letters\?/ });
    await dialog.getByText("Discarded dead letters stay visible but can't be replayed.").waitFor();
    const named = await listOpen(`subscriptionId=${failing}`);
    await dialog.getByRole('listitem').nth(1).waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(
      named.toReversed().map(({ id }) => expect.stringContaining(id.slice(-6))),
    );
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Discard 2' }).click();
    await page.getByText('2 dead letters discarded').waitFor();
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
    const order = async (): Promise<string[]> =>
      (await causes().getByRole('row', { level: 1 }).allInnerTexts()).flatMap(
        (text) => /Ledger|Refunds|Parcels/.exec(text) ?? [],
      );
    await causeOf(/Refunds/).waitFor();
    expect(await order()).toEqual(['Ledger', 'Refunds']);

    for (let more = 0; more < 2; more += 1) await publish(refunds);
    await causeOf(/3 Refunds/).waitFor();
    expect(await order()).toEqual(['Ledger', 'Refunds']);
    await page.getByRole('button', { name: 'Sort again' }).click();
    expect(await order()).toEqual(['Refunds', 'Ledger']);

    for (let more = 0; more < 4; more += 1) await publish(parcels);
    await page.getByRole('button', { name: '1 new' }).click();
    await causeOf(/Parcels/).waitFor();
  });
});
