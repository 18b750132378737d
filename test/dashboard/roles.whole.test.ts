import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { SCOPES_OF_ROLE } from '../../src/kernel/words/rights.ts';
import { routes } from '../../src/process/routes.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { joinAs, setUpAnew } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { type Dashboard, openDashboard } from '../support/world/dashboard.ts';

describeWithBrowser('roles in a browser', () => {
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

  test('who may only read sees no way to write and no credentials, and each request for one is refused', async () => {
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
    expect(await page.getByRole('link', { name: 'Create channel' }).count()).toBe(0);
    await dashboard.open(`/messages/${published.id}`, 'live');
    await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Send to subscription…' }).count()).toBe(0);
    // The reason stood behind a button that took the right to publish.
    const missed = page.getByRole('list', { name: 'Not delivered to' }).getByRole('listitem');
    await missed.filter({ hasText: 'Till' }).getByText("Filter doesn't match").waitFor();
    for (const [path, role] of [
      ['/api-keys', 'Admin'],
      ['/machine-credentials', 'Admin'],
      ['/secrets', 'Admin'],
      ['/audit', 'Admin'],
      ['/messages/new', 'Developer'],
      ['/channels/new', 'Developer'],
      ['/subscriptions/new', 'Developer'],
    ] as const) {
      await dashboard.open(path, 'live');
      await page.getByRole('heading', { name: "You don't have access" }).waitFor();
      await page.getByText(`You need the ${role} role to do this.`).waitFor();
    }
    // Buttons that are hidden hinder nobody who writes the request: the service refuses each one that the session of this page sends.
    const { id: appId } = viewer.me.organisations[0]?.apps[0] ?? { id: '' };
    const asked = routes.flatMap(({ method, path, access }) =>
      typeof access === 'object' && access.level !== 'organisation' && !SCOPES_OF_ROLE.viewer.has(access.scope)
        ? [{ method, path: path.replaceAll(/:\w+/g, channel.id) }]
        : [],
    );
    expect(asked.length).toBeGreaterThan(60);
    const answers = await page.evaluate(
      ({ all, headers }) =>
        Promise.all(
          all.map(async ({ method, path }) => {
            const sent =
              method === 'GET' ? { headers } : { headers: { ...headers, 'content-type': 'application/json' } };
            const answer = await fetch(path, { ...sent, method, ...(method !== 'GET' && { body: '{}' }) });
            return [`${method} ${path}`, answer.status, /"code":"(\w+)"/.exec(await answer.text())?.[1]];
          }),
        ),
      { all: asked, headers: { 'posthorn-app': appId, 'posthorn-environment': 'live' } },
    );
    expect(answers).toEqual(asked.map(({ method, path }) => [`${method} ${path}`, 403, 'FORBIDDEN']));
    // Nobody is led to what is not allowed.
    await dashboard.open('/overview');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Get started' }).count()).toBe(0);
  });

  // The list of connections is for administrators: the choice was empty, and nothing could be written in its place.
  test('a developer writes the id of a connection, and chooses everything else by its name', async () => {
    const { owner, organisation } = await setUpAnew(posthorn);
    const email = 'developer@example.com';
    const { password } = await joinAs(posthorn, owner.browser, organisation, { role: 'developer', email });
    await dashboard.context.clearCookies();
    await dashboard.signIn({ email, password });
    const { page } = dashboard;
    const refused: string[] = [];
    page.on('response', (response) => response.url().includes('/v1/connections') && refused.push(response.url()));
    await dashboard.open('/workflows/new?template=empty');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = page.getByRole('textbox', { name: 'Definition', exact: true });
    await json.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(
      JSON.stringify({
        name: 'Tell',
        steps: [{ id: 'tell', type: 'action', config: { action: 'connector', connectorId: 'github' } }],
      }),
    );
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    await page.locator('[data-node="tell"]').click();
    const step = page.getByRole('region', { name: 'Step tell' });
    await step.getByLabel('Connection', { exact: true }).fill('cxn_1');
    await step.getByRole('combobox', { name: 'Connector' }).getByText('GitHub').waitFor();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await waitFor('the id is in the JSON', async () =>
      /"connectionId": ?"cxn_1"/.test((await json.locator('.cm-line').allTextContents()).join('')),
    );
    expect(await dashboard.violations()).toEqual([]);
    expect(refused).toEqual([]);
  });
});
