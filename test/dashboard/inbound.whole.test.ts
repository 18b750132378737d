import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { github } from '../support/make/inbound-calls.ts';
import { seedRefusedRequest } from '../support/make/seeded-refusal.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

describeWithBrowser('inbound webhooks in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const list = (): Locator => dashboard.page.getByRole('grid', { name: 'Requests' });
  const rows = (): Locator =>
    list()
      .getByRole('row')
      .filter({ has: dashboard.page.getByRole('gridcell') });
  const panel = (): Locator => dashboard.page.getByRole('complementary', { name: 'Request' });
  const makeChannel = (name: string): Promise<string> => scene.make('/v1/channels', { name });

  test('a provider is chosen, its steps stand beside its requests until one was accepted, and a rejected one says why', async () => {
    const { page } = dashboard;
    await makeChannel('orders');
    await dashboard.open('/inbound');
    await page.getByRole('link', { name: 'Create inbound webhook' }).first().click();
    await page.getByRole('heading', { name: 'Which service sends the requests?' }).waitFor();
    await page.getByLabel('Search providers').fill('git');
    expect(await page.getByRole('button', { name: 'Stripe' }).count()).toBe(0);
    await page.getByRole('button', { name: 'GitHub', exact: true }).click();
    await page.getByLabel('Name').fill('Deploys');
    await page.getByRole('button', { name: 'Create inbound webhook' }).click();
    await page.getByRole('heading', { name: 'Deploys Active', level: 1 }).waitFor();
    const setup = page.getByRole('complementary', { name: 'Setup' });
    await setup.getByRole('heading', { name: 'Set up GitHub' }).waitFor();
    await setup.getByText('Settings → Webhooks → Add webhook', { exact: false }).waitFor();
    const address = new URL((await page.getByRole('group', { name: 'Webhook URL' }).innerText()).trim());
    await setup.getByRole('button', { name: 'Reveal' }).click();
    const secret = (await setup.getByRole('group', { name: 'Secret' }).innerText()).trim();

    const body = '{"ref":"refs/heads/main","total":12.50}';
    const send = (by: string): Promise<Response> =>
      fetch(scene.posthorn.url + address.pathname, { method: 'POST', headers: github(body, 'delivery-1', by), body });
    expect((await send('another secret')).status).toBe(400);
    await rows().filter({ hasText: 'Invalid signature' }).waitFor();
    const accepted = await send(secret);
    expect(accepted.status).toBe(200);
    const { messageId } = (await accepted.json()) as { messageId: string };
    expect((await send(secret)).status).toBe(200);
    // New rows wait: the reason that is being read stays where it is.
    const fresh = page.getByRole('button', { name: '2 new', exact: true });
    await fresh.waitFor();
    expect(await rows().count()).toBe(1);
    await fresh.click();
    await rows().filter({ hasText: 'Duplicate' }).waitFor();
    await setup.getByRole('button', { name: 'Setup steps for GitHub' }).waitFor();
    expect(await setup.getByText('Settings → Webhooks', { exact: false }).count()).toBe(0);
    expect(await dashboard.violations()).toEqual([]);

    await page.getByRole('combobox', { name: 'Filter' }).fill('outcome:received');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await waitFor('one request', async () => (await rows().count()) === 1);
    await rows().first().click();
    await panel().getByText('delivery-1').waitFor();
    await panel().getByRole('group', { name: 'Payload' }).getByText('12.50').waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await panel().getByRole('link', { name: 'View message' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/messages/${messageId}`));
  });

  test('a test request becomes a message before the provider sends anything, and one that is rejected says why', async () => {
    const { page } = dashboard;
    const channelId = await makeChannel('samples');
    const webhook = { name: 'Shop payments', channelId, provider: 'stripe', secrets: ['whsec_test'] };
    await dashboard.open(`/inbound/${await scene.make('/v1/webhooks', webhook)}`);
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
    await page.getByRole('button', { name: 'Send test request' }).last().click();
    const dialog = page.getByRole('dialog', { name: /^Send test request/ });
    await dialog.getByText('Creates a real message').waitFor();
    const field = dialog.getByLabel('Body', { exact: true });
    await field.fill((await field.inputValue()).replace('1250', '12.50'));
    const send = dialog.getByRole('button', { name: 'Send test request', exact: true });
    await send.click();
    const link = dialog.getByRole('link', { name: /^View msg_/ });
    await link.waitFor();
    const first = await link.getAttribute('href');
    // The same text again has the same event ID.
    await send.click();
    await dialog.getByText('Duplicate:').waitFor();
    expect(await link.getAttribute('href')).toBe(first);
    await dialog.getByLabel('Headers').fill('no header');
    await send.click();
    await dialog.getByText('Write each line as name: value').waitFor();
    await dialog.getByRole('button', { name: 'Regenerate IDs' }).click();
    await dialog.getByText('Write each line as name: value').waitFor({ state: 'detached' });
    await send.click();
    await link.waitFor();
    expect(await link.getAttribute('href')).not.toBe(first);
    await field.fill('{');
    await link.waitFor({ state: 'detached' });
    await send.click();
    await dialog.getByText("Body can't be parsed.").waitFor();
    await dialog.getByText('Stripe would receive 400.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await rows().filter({ hasText: "Body can't be parsed" }).getByText('Test request').waitFor();
  });

  test('a webhook whose sender alone can sign offers no test request, and says why', async () => {
    const { page } = dashboard;
    const channelId = await makeChannel('topics');
    const secrets = ['arn:aws:sns:eu-west-1:123456789012:orders'];
    const webhook = { name: 'Topic', channelId, provider: 'sns', secrets };
    await dashboard.open(`/inbound/${await scene.make('/v1/webhooks', webhook)}`);
    await page.getByText('only Amazon SNS has its private key').waitFor();
    expect(await page.getByRole('button', { name: 'Send test request' }).count()).toBe(0);
  });

  test('settings are changed, and a bad value is told at its field', async () => {
    const { page } = dashboard;
    const channelId = await makeChannel('payments');
    const id = await scene.make('/v1/webhooks', {
      name: 'Till',
      channelId,
      scheme: 'hmac',
      signature: { header: 'X-Signature' },
      eventType: { literal: 'payment.made' },
    });
    await dashboard.open(`/inbound/${id}?tab=settings`);
    await page.getByLabel('Name').fill('Till of the shop');
    await page.getByLabel('Signed content', { exact: true }).fill('{timestamp}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must contain {body}', { exact: true }).waitFor();
    await page.getByLabel('Signed content', { exact: true }).fill('{timestamp}.{body}');
    const eventType = page.getByRole('group', { name: 'Event type' });
    await eventType.getByRole('combobox').click();
    await page.getByRole('option', { name: 'JSON Pointer' }).click();
    await eventType.getByLabel('JSON Pointer').fill('/kind');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: /^Till of the shop/, level: 1 }).waitFor();
    const { body } = await scene.posthorn.request('GET', `/v1/webhooks/${id}`, undefined, scene.key);
    expect(body).toMatchObject({
      name: 'Till of the shop',
      signature: { header: 'X-Signature', template: '{timestamp}.{body}' },
      eventType: { pointer: '/kind' },
    });
  });

  test('a line parts requests that came since the last visit, and the keyboard goes through them', async () => {
    const { page } = dashboard;
    const channelId = await makeChannel('builds');
    const id = await scene.make('/v1/webhooks', { name: 'Builds', channelId, provider: 'github' });
    const sample = (): Promise<string> => scene.make(`/v1/webhooks/${id}/sample`, {});
    const marked = page.locator('[data-since="New since your last visit"]');
    const shown = async (count: number): Promise<void> => {
      await dashboard.open(`/inbound/${id}`);
      await waitFor(`${count} requests`, async () => (await rows().count()) === count);
    };
    await sample();
    await shown(1);
    expect(await marked.count()).toBe(0);
    // Nobody has signed it: the ID of a rejected request begins otherwise.
    await fetch(`${scene.posthorn.url}/v1/webhooks/${id}`, { method: 'POST', body: '{}' });
    await sample();
    await shown(3);
    expect(await marked.count()).toBe(1);
    expect(await rows().nth(1).getAttribute('data-since')).toBe('New since your last visit');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await panel().getByText('Missing signature.').waitFor();
    await page.keyboard.press('k');
    await panel().getByRole('link', { name: 'View message' }).waitFor();
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
  });

  test('a rejected request whose signature was valid is downloaded and accepted, and shows a new reason if it is rejected again', async () => {
    const { page } = dashboard;
    const channelId = await makeChannel('kept');
    const id = await scene.make('/v1/webhooks', { name: 'Kept', channelId, provider: 'github' });
    const requestId = await seedRefusedRequest(scene.posthorn, id);
    await fetch(`${scene.posthorn.url}/v1/webhooks/${id}`, { method: 'POST', body: '{}' });
    await dashboard.open(`/inbound/${id}`);
    await waitFor('both requests', async () => (await rows().count()) === 2);
    await rows().filter({ hasText: 'Missing signature' }).click();
    await panel().getByText('Missing signature.').waitFor();
    expect(await panel().getByRole('button', { name: 'Accept request' }).count()).toBe(0);
    await rows().filter({ hasText: 'Mapping failed' }).click();
    await panel().getByText('Mapping failed.').waitFor();
    const saved = page.waitForEvent('download');
    await panel().getByRole('button', { name: 'Download body' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe(`${requestId}.json`);
    expect(readFileSync(await file.path(), 'utf8')).toBe('{"mark":"kept"}');
    await panel().getByRole('button', { name: 'Accept request' }).click();
    await page.getByText('Request accepted').waitFor();
    await panel().getByText('Rejected at first: Mapping failed.').waitFor();
    await panel()
      .getByRole('heading', { name: /Accepted$/ })
      .waitFor();
    expect(await panel().getByRole('button', { name: 'Accept request' }).count()).toBe(0);

    const schema = { type: 'object', required: ['n'] };
    const strict = await scene.make('/v1/channels', { name: 'strict', schema });
    const twice = await scene.make('/v1/webhooks', { name: 'Twice', channelId: strict, provider: 'github' });
    await seedRefusedRequest(scene.posthorn, twice);
    await dashboard.open(`/inbound/${twice}`);
    await rows().filter({ hasText: 'Mapping failed' }).click();
    // From now on nothing is read by time: only the failed act can bring the new reason.
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).first().click();
    await panel().getByRole('button', { name: 'Accept request' }).click();
    await rows().filter({ hasText: 'Payload rejected by schema' }).waitFor();
    await panel().getByText('Payload rejected by schema.').waitFor();
    await panel().getByRole('button', { name: 'Accept request' }).waitFor();
  });
});
