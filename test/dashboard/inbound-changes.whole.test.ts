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
    await page.getByRole('tab', { name: 'Settings' }).press('Enter');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await page.getByLabel('Name', { exact: true }).fill('Till of the shop');
    await page.getByLabel('Signed content', { exact: true }).fill('{timestamp}');
    await save.click();
    await page.getByText('must contain {body}').first().waitFor();
    await page.getByLabel('Signed content', { exact: true }).fill('{timestamp}.{body}');
    const eventType = page.getByRole('group', { name: 'Event type' });
    await eventType.getByRole('combobox', { name: 'From' }).click();
    await page.getByRole('option', { name: 'JSON Pointer' }).click();
    await eventType.getByLabel('JSON Pointer').fill('/kind');
    await save.click();
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
    const rows = page.getByRole('grid', { name: 'Requests' }).locator('[aria-rowindex]:not([aria-rowindex="1"])');
    const marked = page.locator('[data-since="New since your last visit"]');
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
    expect(await rows.nth(1).getAttribute('data-since')).toBe('New since your last visit');
    const isChosen = (index: number): Promise<boolean> =>
      waitFor(`row ${index} to be chosen`, async () => (await rows.nth(index).getAttribute('data-chosen')) === 'true');
    for (const [key, index] of [
      ['j', 1],
      ['j', 2],
      ['k', 1],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key);
      await isChosen(index);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Request' }).getByRole('link', { name: 'View message' }).click();
    await page.waitForURL(/\/messages\/msg_/);
  });

  test('a refused request whose signature was good is downloaded and accepted at its row', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'refused' });
    const id = await scene.make('/v1/webhooks', { name: 'Kept', channelId, provider: 'github' });
    const requestId = await seedRefusedRequest(scene.posthorn, id);
    await fetch(`${scene.posthorn.url}/v1/webhooks/${id}`, { method: 'POST', body: '{}' });
    await dashboard.open(`/inbound/${id}`);
    const rows = page.getByRole('grid', { name: 'Requests' }).locator('[aria-rowindex]:not([aria-rowindex="1"])');
    await waitFor('both requests', async () => (await rows.count()) === 2);
    const panel = page.getByRole('complementary', { name: 'Request' });
    // Nothing was kept of the other one, which nobody has signed.
    await rows.filter({ hasText: 'Missing signature' }).click();
    await panel.getByText('Missing signature.').waitFor();
    expect(await panel.getByRole('button', { name: /Download|Accept/ }).count()).toBe(0);
    await rows.filter({ hasText: 'Mapping failed' }).click();
    await panel.getByText('Mapping failed.').waitFor();
    const saved = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Download body' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe(`${requestId}.json`);
    expect(readFileSync(await file.path(), 'utf8')).toBe('{"mark":"kept"}');
    await panel.getByRole('button', { name: 'Accept request' }).click();
    await page.getByText('Request accepted').first().waitFor();
    await panel.getByRole('link', { name: 'View message' }).waitFor();
    await panel.getByText('Rejected at first: Mapping failed. Accepted later.').waitFor();
    expect(await panel.getByRole('button', { name: /Download|Accept/ }).count()).toBe(0);
    // Another row is that of the message: it was received when it was accepted.
    const accepted = rows.filter({ hasText: 'rejected at first: Mapping failed' });
    // Old mechanism: it still said Refused, in red.
    await accepted.getByText('Accepted', { exact: true }).waitFor();
    expect(await accepted.getByText('seeded-kept', { exact: true }).count()).toBe(1);
  });

  test('a request that is refused again when it is accepted shows the new reason at once', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'strict', schema: { type: 'object', required: ['n'] } });
    const id = await scene.make('/v1/webhooks', { name: 'Twice', channelId, provider: 'github' });
    await seedRefusedRequest(scene.posthorn, id);
    await dashboard.open(`/inbound/${id}`);
    const row = page.getByRole('grid', { name: 'Requests' }).locator('[aria-rowindex="2"]');
    await row.getByText('Mapping failed').waitFor();
    // From now on nothing is read by time: only the failed act can bring the new reason.
    await page.getByRole('button', { name: 'Pause auto-refresh' }).first().click();
    await row.click();
    const panel = page.getByRole('complementary', { name: 'Request' });
    const accept = panel.getByRole('button', { name: 'Accept request' });
    await accept.click();
    await row.getByText('Payload rejected by schema').waitFor();
    await panel.getByText('Payload rejected by schema.').waitFor();
    expect(await row.getByText('Mapping failed').count()).toBe(0);
    await row.getByText('Rejected', { exact: true }).waitFor();
    await accept.waitFor();
  });
});
