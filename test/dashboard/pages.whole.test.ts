import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { PLAIN_PAGES } from '../support/make/dashboard-pages.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { deadEnds } from '../support/world/dead-ends.ts';
import { type Dashboard, openDashboard } from '../support/world/dashboard.ts';
import { OWNER, setUpAnew } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

describeWithBrowser('pages in a browser', () => {
  let posthorn: TestPosthorn;
  let browser: Browser;
  let webhookId: string;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    await setUpAnew(posthorn);
    browser = await launchBrowser();
    const { body: channel } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
    const at = { channelId: channel.id, webhookUrl: 'https://example.com/hook' };
    await posthorn.request('POST', '/v1/subscriptions', { ...at, name: 'Till' });
    await posthorn.request('POST', '/v1/subscriptions', { ...at, name: 'Paused one', status: 'paused' });
    const { body: samples } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'samples' });
    const webhook = { name: 'GitHub', channelId: samples.id, provider: 'github' };
    webhookId = (await posthorn.request<{ id: string }>('POST', '/v1/webhooks', webhook)).body.id;
    for (let number = 1; number <= 3; number += 1)
      await posthorn.request('POST', `/v1/channels/${channel.id}/messages`, {
        eventType: 'order.created',
        payload: { number },
      });
  });
  afterAll(async () => {
    await browser.close();
    await posthorn.stop();
  });

  const PAGES = [
    'overview',
    'search',
    'search?q=order.created',
    'search?q=payload.number=2',
    'messages',
    'messages?tab=scheduled',
    'messages?tab=tail',
    'messages/new',
    'deliveries',
    'dead-letters',
    'replays',
    'channels',
    'channels/new',
    'subscriptions',
    'subscriptions/new',
    'workflows',
    'workflows/new',
    'runs',
    'approvals',
    'inbound',
    'inbound/new',
    'connectors',
    'connectors/slack',
    'connections',
    'secrets',
    'inspect',
    'doctor',
    'api-keys',
    'machine-credentials',
    'apps',
    'members',
    'audit',
    'sign-in-settings',
    'service',
    'account',
    'messages/msg_00000000000000000000000000',
  ] as const;

  type Opened = Dashboard & { close: () => Promise<void> };
  const NONE = { light: [], dark: [] };
  /** Full pages that every-page.test.ts looks at in the same way. Here they are looked at while they are empty. */
  const FULL_ELSEWHERE = new Set<string>(PLAIN_PAGES);

  /** The faults of a page in either theme once it shows what it has: nothing is being loaded any more. */
  async function loaded(dashboard: Opened, path: string): Promise<Record<'light' | 'dark', string[]>> {
    const { page } = dashboard;
    await page.goto(posthorn.url + path);
    await page.locator('h1, [role=alert]').first().waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    const found = await dashboard.violationsByTheme();
    found.light.push(...dashboard.faults.splice(0));
    found.light.push(...(await deadEnds(dashboard)));
    return found;
  }

  describe('a page', () => {
    let dashboard: Opened;
    /** Path of the pages of its app. */
    let app: string;
    beforeAll(async () => {
      dashboard = await openDashboard(posthorn, { browser });
      await dashboard.page.emulateMedia({ reducedMotion: 'reduce' });
      for (const path of ['/dashboard/sign-in', '/dashboard/setup'])
        expect(await loaded(dashboard, path)).toEqual(NONE);
      await dashboard.signIn(OWNER);
      app = new URL(dashboard.page.url()).pathname.replace(/\/(live|test)\/overview$/, '');
    });
    afterAll(() => dashboard.close());

    test.each(PAGES)(
      '%s breaks no rule of accessibility in either theme, empty with a next step, or full, and loads nothing foreign',
      async (path) => {
        expect(await loaded(dashboard, `${app}/test/${path}`)).toEqual(NONE);
        if (!FULL_ELSEWHERE.has(path)) expect(await loaded(dashboard, `${app}/live/${path}`)).toEqual(NONE);
      },
    );

    test('with a row beside its list, or a dialog, breaks none in either theme', async () => {
      const { page } = dashboard;
      await dashboard.open('/deliveries', 'live');
      await page.getByRole('row').nth(1).getByText('order.created').click();
      await page.getByRole('complementary', { name: 'Delivery' }).getByRole('heading', { name: 'Details' }).waitFor();
      expect(await dashboard.violationsByTheme()).toEqual(NONE);
      await dashboard.open('/api-keys', 'live');
      await page.getByRole('button', { name: 'Create API key' }).first().click();
      await page.getByRole('dialog').waitFor();
      expect(await dashboard.violationsByTheme()).toEqual(NONE);
      await dashboard.open(`/inbound/${webhookId}`, 'live');
      await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
      expect(await dashboard.violationsByTheme()).toEqual(NONE);
      await page.getByRole('button', { name: 'Send test request' }).last().click();
      await page.getByRole('dialog', { name: /^Send test request/ }).waitFor();
      expect(await dashboard.violationsByTheme()).toEqual(NONE);
      expect(dashboard.faults).toEqual([]);
    });
  });

  test('a list is read by the keyboard, its row opens beside it, and the address says so', async () => {
    const dashboard = await openDashboard(posthorn, { browser });
    await dashboard.signIn(OWNER);
    const { page } = dashboard;
    await dashboard.open('/messages', 'live');
    await page
      .getByRole('row', { name: /order\.created/ })
      .nth(2)
      .waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Message' });
    await panel.getByText('"number"').first().waitFor();
    const opened = new URL(page.url()).searchParams.get('open');
    expect(opened).toMatch(/^msg_/);
    // The one that is open follows.
    await page.keyboard.press('j');
    await page.waitForURL((url) => (url.searchParams.get('open') ?? opened) !== opened);
    await page.reload();
    // By a later request: keys are heard by then.
    await panel.getByRole('heading').first().waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: /^Keyboard/ }).waitFor();
    await dashboard.close();
  });

  test('new rows wait until they are asked for, but for the first ones, and a filter stands in the address', async () => {
    const dashboard = await openDashboard(posthorn, { browser });
    await dashboard.signIn(OWNER);
    const { page } = dashboard;
    await dashboard.open('/channels', 'live');
    await page.getByRole('link', { name: 'orders', exact: true }).first().waitFor();
    await posthorn.request('POST', '/v1/channels', { name: 'refunds' });
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('link', { name: 'refunds' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.fill('status:archived');
    await page.keyboard.press('Escape');
    await field.press('Enter');
    await page.getByText('No channels match').waitFor();
    expect(new URL(page.url()).search).toBe('?status=archived');
    // Nothing is being read in an empty list, so its first row waits for nobody.
    const { body: old } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'old refunds' });
    expect((await posthorn.request('PATCH', `/v1/channels/${old.id}`, { status: 'archived' })).status).toBe(200);
    await page.getByRole('link', { name: 'old refunds' }).waitFor();
    expect(await page.getByRole('button', { name: '1 new' }).count()).toBe(0);
    await posthorn.request('DELETE', `/v1/channels/${old.id}`);
    await page.getByRole('button', { name: 'Remove filter: Status is Archived' }).click();
    await page.getByRole('link', { name: 'refunds', exact: true }).waitFor();
    await dashboard.close();
  });

  test('times stand in a zone that is named, and the browser keeps the other one that is chosen', async () => {
    const dashboard = await openDashboard(posthorn, { browser });
    await dashboard.signIn(OWNER);
    const { page } = dashboard;
    const devtools = await dashboard.context.newCDPSession(page);
    await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
    await dashboard.open('/channels', 'live');
    const time = page.getByRole('grid', { name: 'Channels' }).locator('time').first();
    const told = (zone: RegExp) => async (): Promise<void> => {
      await time.hover();
      await page.getByText(zone).first().waitFor();
      await page.mouse.move(0, 0);
    };
    const inTokyo = told(/\d\d:\d\d:\d\d\.\d{3} UTC\+09:00 \(\d\d:\d\d:\d\d UTC\)/);
    await told(/\d\d:\d\d:\d\d\.\d{3} UTC \(\d\d:\d\d:\d\d local\)/)();
    await page.getByRole('button', { name: 'Time zone: UTC. Change to local time' }).click();
    await inTokyo();
    await page.reload();
    await inTokyo();
    await page.getByRole('button', { name: 'Time zone: Local time. Change to UTC' }).waitFor();
    await dashboard.close();
  });

  test('anything is found by its id, in whichever environment it is, and a page by its name', async () => {
    const dashboard = await openDashboard(posthorn, { browser });
    await dashboard.signIn(OWNER);
    const { page } = dashboard;
    const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', '/v1/messages?limit=1');
    const id = body.data[0]?.id ?? '';
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search for an ID, a name or a payload value' });
    expect(await dashboard.violations()).toEqual([]);
    // As it stands in the log of a receiver.
    await field.fill(`10:14:03 POST /hook webhook-id=${id} 503`);
    await field.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(`/live/messages/${id}`));
    await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
    await page.keyboard.press('/');
    await field.fill('msg_00000000000000000000000000');
    await field.press('Enter');
    await page.getByText('No match for msg_00000000000000000000000000 in your apps').waitFor();
    await field.fill('replay');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Replays', level: 1 }).waitFor();
    expect(dashboard.faults).toEqual([]);
    await dashboard.close();
  });

  test('who opens a page before signing in comes back to it, and never to another host', async () => {
    const dashboard = await openDashboard(posthorn, { browser });
    await dashboard.signIn(OWNER);
    const { page } = dashboard;
    await dashboard.open('/channels?status=archived', 'live');
    await page.getByText('No channels match').waitFor();
    const address = page.url();
    await dashboard.context.clearCookies();
    const signIn = async (): Promise<void> => {
      await page.getByLabel('Email').fill(OWNER.email);
      await page.getByLabel('Password').fill(OWNER.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.goto(address);
    await signIn();
    await page.getByText('No channels match').waitFor();
    expect(page.url()).toBe(address);
    for (const foreign of [
      '//example.com/',
      'https://example.com/',
      '/\\example.com',
      '/.//example.com',
      '/\t/example.com',
    ]) {
      await dashboard.context.clearCookies();
      await page.goto(`${posthorn.url}/dashboard/sign-in?${new URLSearchParams({ returnTo: foreign }).toString()}`);
      await signIn();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(new URL(page.url()).origin).toBe(posthorn.url);
    }
    await dashboard.close();
  });
});
