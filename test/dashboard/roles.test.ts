import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { joinAs, setUpAnew } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { launchBrowser } from '../support/world/chromium.ts';
import { type Dashboard, openDashboard } from '../support/world/dashboard.ts';

let posthorn: TestPosthorn;
let browser: Browser;
let dashboard: Dashboard & { close: () => Promise<void> };
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  browser = await launchBrowser();
  dashboard = await openDashboard(posthorn, { browser });
});
afterAll(async () => {
  const { faults } = dashboard;
  await dashboard.close();
  await browser.close();
  await posthorn.stop();
  expect(faults).toEqual([]);
});

test('who may only read sees no way to write, and no credentials', async () => {
  const { owner, organisation } = await setUpAnew(posthorn);
  const { body: channel } = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'seen' });
  await posthorn.request('POST', '/v1/subscriptions', {
    channelId: channel.id,
    webhookUrl: 'https://example.com/hook',
    name: 'Till',
    filter: 'payload.total > 100',
  });
  const message = { eventType: 'order.created', payload: { total: 1 } };
  const { body: published } = await posthorn.request<{ id: string }>(
    'POST',
    `/v1/channels/${channel.id}/messages`,
    message,
  );
  const viewer = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: 'viewer@example.com' });
  await dashboard.signIn({ email: 'viewer@example.com', password: viewer.password });
  const { page } = dashboard;
  expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  await dashboard.open('/channels', 'live');
  await page.getByRole('link', { name: 'seen' }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Make a channel' }).count()).toBe(0);
  await dashboard.open(`/messages/${published.id}`, 'live');
  await page.getByRole('heading', { name: published.id, level: 1 }).waitFor();
  expect(await page.getByRole('button', { name: 'Replay to…' }).count()).toBe(0);
  // The reason stood behind a button that took the right to publish.
  const missed = page.getByRole('row').filter({ hasText: 'Would not' });
  await missed.getByRole('link', { name: 'Till' }).waitFor();
  expect(await missed.textContent()).toContain('Its filter keeps the message out.');
  for (const path of [
    '/api-keys',
    '/machine-credentials',
    '/messages/new',
    '/channels/new',
    '/subscriptions/new',
    '/audit',
  ]) {
    await dashboard.open(path, 'live');
    await page.getByText('Your role does not allow this: you are Viewer here.').waitFor();
    await page.getByRole('heading', { name: 'Not with your role', level: 1 }).waitFor();
  }
  // Nobody is led to what is not allowed.
  await dashboard.open('/overview');
  await page.getByText('Marked deployments').waitFor();
  expect(await page.getByRole('heading', { name: 'To the first delivery' }).count()).toBe(0);
});
