import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { seedRefusedRequest } from '../support/make/seeded-refusal.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('inbound changes in a browser', () => {
  /** Inbound webhooks that are changed at their pages. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  beforeAll(async () => {
    scene = await setDashboardScene({ withWorker: false });
  });
  afterAll(() => scene.end());
  beforeEach(async () => {
    ({ dashboard } = await scene.enter());
  });
  afterEach(() => scene.leave());

  // The page showed what was set, and only the API could change it.
  test('a webhook is changed at its page, and a bad value is told beside its field', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'payments' });
    const id = await scene.make('/v1/webhooks', {
      name: 'Till',
      channelId,
      scheme: 'hmac',
      signature: { header: 'X-Signature' },
      eventType: { literal: 'payment.made' },
    });
    await dashboard.open(`/inbound/${id}`);
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Change' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change Till' });
    await dialog.getByLabel('Name').fill('Till of the shop');
    await dialog.getByLabel('Signed text', { exact: true }).fill('{timestamp}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must contain {body}', { exact: true }).waitFor();
    await dialog.getByLabel('Signed text', { exact: true }).fill('{timestamp}.{body}');
    const eventType = dialog.getByRole('group', { name: 'Event type' });
    await eventType.getByLabel('From').selectOption({ label: 'JSON Pointer' });
    await eventType.getByLabel('JSON Pointer').fill('/kind');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Till of the shop', level: 1 }).waitFor();
    const { body } = await scene.posthorn.request('GET', `/v1/webhooks/${id}`, undefined, scene.key);
    expect(body).toMatchObject({
      name: 'Till of the shop',
      signature: { header: 'X-Signature', template: '{timestamp}.{body}' },
      eventType: { pointer: '/kind' },
    });
  });

  test('requests that came since a look stand above a line, and the keyboard goes through them', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'deploys' });
    const id = await scene.make('/v1/webhooks', { name: 'Builds', channelId, provider: 'github' });
    const sample = (): Promise<string> => scene.make(`/v1/webhooks/${id}/sample`, {});
    const rows = page.locator('tbody tr');
    const marked = page.locator('tr[data-since="New since you looked"]');
    const shown = async (count: number): Promise<void> => {
      await dashboard.open(`/inbound/${id}`);
      await waitFor(`${count} requests`, async () => (await rows.count()) === count);
    };
    await sample();
    await shown(1);
    expect(await marked.count()).toBe(0);
    // Nobody has signed it: the id of a refused request begins otherwise.
    await fetch(`${scene.posthorn.url}/v1/webhooks/${id}`, { method: 'POST', body: '{}' });
    await sample();
    await shown(3);
    expect(await marked.count()).toBe(1);
    expect(await rows.nth(1).getAttribute('data-since')).toBe('New since you looked');
    const hasFocus = (index: number): Promise<boolean> =>
      waitFor(`the focus on row ${index}`, () => rows.nth(index).evaluate((row) => row.matches(':focus-within')));
    await page.keyboard.press('j');
    await hasFocus(0);
    await page.keyboard.press('j');
    await hasFocus(1);
    await page.keyboard.press('j');
    await hasFocus(2);
    await page.keyboard.press('k');
    await hasFocus(1);
    await page.keyboard.press('k');
    await hasFocus(0);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/messages\/msg_/);
  });

  test('a refused request whose signature was good is downloaded and accepted at its row', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'refused' });
    const id = await scene.make('/v1/webhooks', { name: 'Kept', channelId, provider: 'github' });
    const requestId = await seedRefusedRequest(scene.posthorn, id);
    await fetch(`${scene.posthorn.url}/v1/webhooks/${id}`, { method: 'POST', body: '{}' });
    await dashboard.open(`/inbound/${id}`);
    const rows = page.locator('tbody tr');
    await waitFor('both requests', async () => (await rows.count()) === 2);
    const kept = rows.filter({ hasText: 'no message can be made of it' });
    expect(await page.getByRole('button', { name: 'Download' }).count()).toBe(1);
    const saved = page.waitForEvent('download');
    await kept.getByRole('button', { name: 'Download' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe(`${requestId}.json`);
    expect(readFileSync(await file.path(), 'utf8')).toBe('{"mark":"kept"}');
    await kept.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText('The request is a message.').waitFor();
    await waitFor(
      'the row to lead to its message',
      async () => (await page.locator('tbody a[href*="/messages/msg_"]').count()) > 0,
    );
    // Another row is that of the message: it was received when it was accepted.
    const accepted = rows.filter({ hasText: 'Refused at first: no message can be made of it' });
    // Old mechanism: it still said Refused, in red.
    const state = accepted.locator('.state.delivered');
    expect(await state.innerText()).toContain('Accepted');
    expect(await accepted.getByText('seeded-kept', { exact: true }).count()).toBe(1);
    expect(await accepted.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Accept', exact: true }).count()).toBe(0);
  });

  test('a request that is refused again when it is accepted shows the new reason at once', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'strict', schema: { type: 'object', required: ['n'] } });
    const id = await scene.make('/v1/webhooks', { name: 'Twice', channelId, provider: 'github' });
    await seedRefusedRequest(scene.posthorn, id);
    await dashboard.open(`/inbound/${id}`);
    const row = page.locator('tbody tr');
    await row.getByText('no message can be made of it').waitFor();
    // From now on nothing is read by time: only the failed act can bring the new reason.
    await page.getByRole('button', { name: 'Pause auto-refresh' }).first().click();
    await row.getByRole('button', { name: 'Accept', exact: true }).click();
    await row.getByText('payload refused').waitFor();
    expect(await row.getByText('no message can be made of it').count()).toBe(0);
    expect(await row.locator('.state.failed').innerText()).toContain('Refused');
    expect(await row.getByRole('button', { name: 'Accept', exact: true }).count()).toBe(1);
  });
});
