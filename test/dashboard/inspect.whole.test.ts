import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { OWNER } from '../support/make/people.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';

describeWithBrowser('inspectors and the signature debugger in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  onEachDashboard((entered) => ({ scene, dashboard, receiver } = entered), { withWorker: true });

  const panel = (): Locator => dashboard.page.getByRole('complementary', { name: 'Request' });

  test('requests of a subscription are seen as they arrive, and answered with an error', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open('/inspect');
    await page.getByRole('button', { name: 'Create inspector' }).first().click();
    const dialog = page.getByRole('dialog', { name: /^Create inspector/ });
    await dialog.getByLabel('Name').fill('First look');
    await dialog.getByRole('button', { name: 'Create inspector' }).click();
    await page.getByRole('heading', { name: 'First look', level: 1 }).waitFor();
    await page.getByText('No requests yet').waitFor();
    const url = (await page.getByRole('group', { name: 'Endpoint URL' }).innerText()).trim();
    expect(url).toMatch(/^http:\/\/localhost:\d+\/inspect\/ins_/);
    const link = page.getByRole('link', { name: 'Use as endpoint' });
    expect(new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams.get('target')).toBe(url);
    await scene.make('/v1/subscriptions', { channelId, webhookUrl: url, name: 'Look' });

    const publish = (eventType: string): Promise<string> =>
      scene.make(`/v1/channels/${channelId}/messages`, { eventType, payload: { total: 12.5 } });
    await publish('order.created');
    await page.getByRole('row', { name: /Valid POST/ }).click();
    await panel().getByText('A secret of the subscription has signed exactly this body.').waitFor();
    await panel().getByText('12.5', { exact: false }).first().waitFor();
    await panel().getByText('webhook-signature', { exact: true }).waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Response: 200' }).click();
    await page.getByLabel('Status code').fill('99');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByLabel('Status code').fill('503');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Response: 503' }).waitFor();
    await publish('order.paid');
    // The new request waits behind a button: nothing moves under the reader.
    await page.getByRole('button', { name: /^\d+ new$/ }).click();
    await page
      .getByRole('row', { name: /Valid POST .*503/ })
      .first()
      .waitFor();

    const choose = async (item: string, go: string): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: go }).click();
    };
    await choose('Clear requests…', 'Clear requests');
    await page.getByText('Requests cleared').waitFor();
    await choose('Delete…', 'Delete inspector');
    await page.getByText('No inspectors yet').waitFor();
  });

  test('requests are filtered by the status of their signature', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/inspectors', { name: 'Verdicts' });
    const send = (headers: Record<string, string>) =>
      fetch(`${scene.posthorn.url}/inspect/${id}`, { method: 'POST', body: 'x', headers });
    await send({});
    await send({ 'webhook-signature': 'v1,odd' });
    await dashboard.open(`/inspect/${id}`);
    await page.getByRole('row', { name: /Unsigned/ }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('row', { name: /Unsigned/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Invalid/ }).click();
    await panel().getByText('Invalid.').waitFor();
    expect(new URL(page.url()).searchParams.get('signatureStatus')).toBe('failed');
    await dashboard.open(`/inspect/${id}?signatureStatus=verified`);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('row', { name: /Unsigned/ }).waitFor();
  });

  test('hostile bytes in path, headers and body are shown as text', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/inspectors', { name: '<img src=x onerror=alert(1)>' });
    await fetch(`${scene.posthorn.url}/inspect/${id}/%3Cscript%3E?a=<b>`, {
      method: 'POST',
      headers: { 'x-note': '<img src=x onerror=alert(2)>' },
      body: '<img src=x onerror=alert(3)>',
    });
    await dashboard.open(`/inspect/${id}`);
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>', level: 1 }).waitFor();
    await page.getByRole('row', { name: /Unsigned POST/ }).click();
    await panel().getByText('<img src=x onerror=alert(2)>').waitFor();
    await panel().getByText('<img src=x onerror=alert(3)>').waitFor();
  });

  test('an endpoint that rejects a signature finds out why while its request is pasted', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'tills' });
    const subscriptionId = await scene.make('/v1/subscriptions', {
      channelId,
      webhookUrl: receiver.url,
      name: 'Till',
    });
    const messageId = await scene.make(`/v1/channels/${channelId}/messages`, {
      eventType: 'order.created',
      payload: { total: 12.5, who: `Zoë's` },
      metadata: { region: 'eu' },
    });
    const { headers, body } = await waitFor('the request', () => receiver.requests[0]);
    await dashboard.open('/doctor');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Find out why a signature check fails').waitFor();
    await page.getByLabel('Headers', { exact: true }).fill(`webhook-id: ${messageId}`);
    await result.getByText('webhook-timestamp and webhook-signature').waitFor();
    await page.getByLabel('Headers', { exact: true }).fill(JSON.stringify(headers));
    await page.getByLabel('Body').fill(body);
    await result.getByText('Signature valid.').waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await page.getByLabel('Body').fill(body.replace('12.5', '12.50'));
    await page.getByLabel("Your endpoint's secret").fill(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
    await page.getByLabel("Your endpoint's clock").fill(new Date(Date.now() + 3_600_000).toISOString().slice(0, 19));
    await result.getByText('Body was modified.').waitFor();
    await result.getByText('Different secret.').waitFor();
    await result.getByText('Clock skew.').waitFor();

    // A delivery leads there with both of its IDs. In another environment the page says where the message is.
    const { id: deliveryId } = await scene.posthorn.deps.db.delivery.findFirstOrThrow({ where: { messageId } });
    await dashboard.open(`/deliveries/${deliveryId}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Check signature' }).click();
    await page.getByRole('heading', { name: 'Signature debugger', level: 1 }).waitFor();
    expect((await page.getByLabel('Headers', { exact: true }).inputValue()).trim()).toBe(`webhook-id: ${messageId}`);
    await page.getByRole('combobox', { name: 'Subscription' }).getByText('Till').waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect(searchParams.get('subscription')).toBe(subscriptionId);
    await dashboard.open(`/doctor?message=${messageId}`, 'live');
    await result.getByText('This message is in another app or environment.').waitFor();
    await result.getByRole('link', { name: 'Open signature debugger there' }).click();
    await page.waitForURL((url) => url.pathname === pathname);
  });

  test('the secret is read once its person has proven who they are, and never asked for while one is pasting', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'proofs' });
    await scene.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url, name: 'Proof' });
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    const { headers, body } = await waitFor('the request', () => receiver.requests[0]);
    await scene.posthorn.deps.pool.query("UPDATE sessions SET authenticated_at = now() - interval '1 hour'");
    await dashboard.open('/doctor');
    await page.getByLabel('Headers', { exact: true }).fill(JSON.stringify(headers));
    await page.getByLabel('Body').fill(body);
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText("You'll be asked to confirm your identity.").waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await result.getByRole('button', { name: 'Check signature' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm your identity' });
    await proof.getByLabel('Password').fill(OWNER.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await result.getByText('Signature valid.').waitFor();
  });
});
