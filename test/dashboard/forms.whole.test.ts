import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { OWNER } from '../support/make/people.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('forms in a browser', () => {
  /** Forms over a thing that somebody else changes meanwhile. A form was made anew by then, and all that was written in it was gone. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const noted = () => dashboard.page.locator('form [aria-live]').filter({ hasText: 'Someone else changed this' });
  const save = () => dashboard.page.getByRole('button', { name: 'Save', exact: true });

  /** Somebody else changes a thing. */
  async function change(path: string, body: object, key = scene.key): Promise<void> {
    const { status } = await scene.posthorn.request('PATCH', path, body, key);
    expect(status).toBe(200);
  }

  async function stored<T extends object>(path: string): Promise<T> {
    const { body } = await scene.posthorn.request<T>('GET', path, undefined, scene.key);
    return body;
  }

  /** The page reads anew all that is older than a second, as it does when the network is there again, until it knows. */
  const untilKnown = (what: string, isKnown: () => Promise<boolean>): Promise<boolean> =>
    waitFor(what, async () => {
      if (await isKnown()) return true;
      await dashboard.page.evaluate("dispatchEvent(new Event('offline')); dispatchEvent(new Event('online'))");
      return isKnown();
    });

  const makeChannel = (): Promise<string> =>
    scene.make('/v1/channels', { name: 'orders', description: 'Orders of the shop' });

  test('the form of a subscription keeps what was written while it is changed elsewhere, and saves that alone', async () => {
    const { page } = dashboard;
    const channelId = await makeChannel();
    const made = { channelId, name: 'Till', webhookUrl: 'https://example.com/hook', retryPolicy: { maxRetries: 3 } };
    const path = `/v1/subscriptions/${await scene.make('/v1/subscriptions', made)}`;
    await dashboard.open(`${path.slice('/v1'.length)}?tab=settings`);
    const name = page.getByLabel('Name', { exact: true });
    const filter = page.getByRole('textbox', { name: 'Filter', exact: true });
    const newer = page.getByText('Someone else changed this');
    await name.waitFor();
    // Nothing is written yet: the form follows.
    await change(path, { filter: 'payload.total > 1' });
    await untilKnown('the filter is shown', async () => (await filter.innerText()) === 'payload.total > 1');
    expect(await newer.count()).toBe(0);

    await name.fill('Till of the shop');
    await page.getByRole('button', { name: 'Retry policy' }).click();
    await page.getByLabel('Max retries').fill('5');
    await change(path, { filter: 'payload.total > 2', retryPolicy: { initialDelay: 2_000 } });
    await newer.waitFor();
    // It stands at the button that would overwrite, which is always in view.
    const { top, bottom } = await newer.evaluate((element) => element.getBoundingClientRect());
    expect(top).toBeGreaterThan(0);
    expect(bottom).toBeLessThan(page.viewportSize()?.height ?? 0);
    const note = await newer.locator('..').innerText();
    expect(note).toContain(': Filter, Initial delay.');
    expect(note).not.toContain('Saving overwrites');
    expect(await name.inputValue()).toBe('Till of the shop');
    expect(await page.getByLabel('Max retries').inputValue()).toBe('5');
    // Fields that were not touched follow.
    expect(await filter.innerText()).toBe('payload.total > 2');
    expect(await dashboard.violations()).toEqual([]);
    // Nobody else has changed what was written: it stays when the change was seen.
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await newer.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Till of the shop');

    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save().click();
    expect((await sent).postDataJSON()).toEqual({ name: 'Till of the shop', retryPolicy: { maxRetries: 5 } });
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored(path)).toMatchObject({
      name: 'Till of the shop',
      filter: 'payload.total > 2',
      retryPolicy: { maxRetries: 5, initialDelay: 2_000 },
    });
  });

  test('a save over a change that the page has not told of is not sent, and is sent once it has', async () => {
    const { page } = dashboard;
    const path = `/v1/channels/${await makeChannel()}`;
    await dashboard.open(`${path.slice('/v1'.length)}?tab=settings`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('orders of Berlin');
    await change(path, { name: 'orders of Bonn', retentionDays: 9 });
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postData() ?? ''));
    await save().click();
    await noted().getByText('Saving overwrites: Name.').waitFor();
    expect(sent).toEqual([]);
    expect(await name.inputValue()).toBe('orders of Berlin');
    expect(await page.getByLabel('Retention').inputValue()).toBe('9');
    expect(await stored(path)).toMatchObject({ name: 'orders of Bonn' });
    await save().click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored(path)).toMatchObject({
      name: 'orders of Berlin',
      retentionDays: 9,
      description: 'Orders of the shop',
    });
  });

  test('a button of the page itself leaves the form of a channel as it was written, and tells of no other change', async () => {
    const { page } = dashboard;
    const path = `/v1/channels/${await makeChannel()}`;
    await dashboard.open(`${path.slice('/v1'.length)}?tab=settings`);
    await page.getByLabel('Description').fill('Orders of both shops');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Activate' }).waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Orders of both shops');
    expect(await noted().count()).toBe(0);
  });

  test('schemas that are being written stay, and the newer state is taken over by its button', async () => {
    const { page } = dashboard;
    const path = `/v1/channels/${await makeChannel()}`;
    await change(path, { schema: { type: 'object' }, schemaMode: 'warn' });
    await dashboard.open(`${path.slice('/v1'.length)}?tab=schemas`);
    const text = page.getByRole('textbox', { name: 'JSON Schema of all event types' });
    const mode = page.getByRole('group', { name: 'Invalid payloads' }).getByRole('button', { pressed: true });
    await text.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"required": ["total"]}');
    await change(path, { schema: { required: ['id'] }, schemaMode: 'enforce' });
    await untilKnown('the change is told', () => noted().isVisible());
    expect(await text.innerText()).toBe('{"required": ["total"]}');
    expect(await mode.innerText()).toBe('Reject');
    await noted().getByText('Saving overwrites: Schema of all event types.').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Load latest' }).click();
    await noted().waitFor({ state: 'detached' });
    await waitFor('the newer schema', async () => (await text.innerText()).includes('"id"'));
    // An untouched form follows again.
    await change(path, { schema: { required: ['sku'] } });
    await untilKnown('the schema is shown', async () => (await text.innerText()).includes('sku'));
    expect(await noted().count()).toBe(0);
  });

  test('the form of an app and its question stay open while the app is changed elsewhere', async () => {
    const { page } = dashboard;
    const { rows } = await scene.posthorn.deps.pool.query<{ id: string; name: string }>('SELECT id, name FROM apps');
    const [app] = rows;
    const live = { key: scene.posthorn.keys.live };
    await dashboard.open(`/apps?open=${app?.id}`);
    // Behind the question it is hidden from readers of the screen.
    const drawer = page.getByRole('dialog', { name: app?.name ?? '', exact: true, includeHidden: true });
    const description = drawer.getByLabel('Description');
    await drawer.getByLabel('Max retries').fill('7');
    await drawer.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suspend app…' }).click();
    const question = page.getByRole('dialog', { name: `Suspend ${app?.name}?` });
    const typed = question.getByLabel(`Type ${app?.name} to confirm`);
    await typed.fill('half');
    await change(`/v1/apps/${app?.id}`, { description: 'Orders of the shop' }, live);
    await untilKnown('the description is shown', async () => (await description.inputValue()) === 'Orders of the shop');
    expect(await typed.inputValue()).toBe('half');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await drawer.getByText('Someone else changed this').waitFor();
    expect(await drawer.getByLabel('Max retries').inputValue()).toBe('7');
    await change(`/v1/apps/${app?.id}`, { description: null }, live);
  });

  // The label had the zone of today, and an hour that comes twice was the first one in silence.
  test('a drawer in which something was written asks before it closes, and one without closes at once', async () => {
    const { page } = dashboard;
    await makeChannel();
    await dashboard.open('/messages/new');
    const form = page.getByRole('dialog', { name: /^Publish message/ });
    await form.getByLabel('Event type').waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    await dashboard.open('/messages/new');
    const type = form.getByLabel('Event type');
    await type.fill('order.created');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' });
    await question.waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await type.inputValue()).toBe('order.created');
    await form.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
  });

  test('the Back button asks before it takes what was written, and what was sent is not asked for', async () => {
    const { page } = dashboard;
    await dashboard.open('/channels');
    await page.getByRole('link', { name: 'Create channel' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create channel' });
    await form.getByLabel('Name').fill('orders');
    await page.goBack();
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name').inputValue()).toBe('orders');
    expect(new URL(page.url()).pathname).toMatch(/channels\/new$/);
    await page.goBack();
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toMatch(/channels$/);
    await page.goForward();
    await form.waitFor();
    // What was sent is not asked for.
    await form.getByLabel('Name').fill('orders');
    await form.getByRole('button', { name: 'Create channel' }).click();
    await form.waitFor({ state: 'detached' });
    await page.goBack();
    expect(await question.count()).toBe(0);
  });

  test('a session that ends while a form is open is begun again over it, and what was pressed is done then', async () => {
    const { page } = dashboard;
    await dashboard.open('/channels');
    await page.getByRole('link', { name: 'Create channel' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create channel' });
    await form.getByLabel('Name').fill('orders');
    await page.evaluate("fetch('/v1/session', { method: 'DELETE' })");
    await form.getByRole('button', { name: 'Create channel' }).click();
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.getByLabel('Password').fill('not the password');
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.getByRole('alert').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await again.getByLabel('Password').fill(OWNER.password);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.waitFor({ state: 'detached' });
    // What was pressed is done, without another press.
    await form.waitFor({ state: 'detached' });
    const { body } = await scene.posthorn.request<{ data: { name: string }[] }>(
      'GET',
      '/v1/channels',
      undefined,
      scene.key,
    );
    expect(body.data.map(({ name }) => name)).toContain('orders');
  });

  test('a time is written in the zone as it is then, and one at which clocks change says which time is meant', async () => {
    const { page, context } = dashboard;
    const browser = await context.newCDPSession(page);
    await browser.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
    await dashboard.open('/overview');
    await page.getByRole('button', { name: /^Time zone: UTC/ }).click();
    await page.getByRole('button', { name: 'Mark deployment' }).click();
    const dialog = page.getByRole('dialog');
    const when = dialog.getByLabel(/^Deployed at/);
    const labelled = (zone: string) => dialog.getByText(`Deployed at (${zone})`, { exact: true });
    const unclear = dialog.getByText('Clocks change around this time.');
    await when.fill('2026-01-31T12:00:00');
    await labelled('UTC+01:00').waitFor();
    await when.fill('2026-07-31T12:00:00');
    await labelled('UTC+02:00').waitFor();
    expect(await unclear.count()).toBe(0);
    await when.fill('2026-10-25T02:30:00');
    await dialog.getByText('This means 2026-10-25 02:30:00.000 UTC+02:00').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    // An hour that no clock shows.
    await when.fill('2026-03-29T02:30:00');
    await dialog.getByText('This means 2026-03-29 03:30:00.000 UTC+02:00').waitFor();
    await when.fill('2026-03-29T03:30:00');
    await unclear.waitFor({ state: 'detached' });
  });
});
