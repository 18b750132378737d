import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

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
