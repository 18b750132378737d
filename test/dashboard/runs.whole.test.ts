import { expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('runs in a browser', () => {
  /** Runs of workflows, as the pages show them. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered), { withWorker: true });

  const runsOf = async (query: string): Promise<{ id: string; status: string }[]> => {
    const path = `/v1/runs?${query}`;
    const { body } = await scene.posthorn.request<{ data: { id: string; status: string }[] }>(
      'GET',
      path,
      undefined,
      scene.key,
    );
    return body.data;
  };
  const change = async (method: string, path: string, body?: object): Promise<void> => {
    const { status } = await scene.posthorn.request(method, path, body, scene.key);
    expect([path, status]).toEqual([path, 200]);
  };

  test('a message leads to the runs that it began; one shows the filter that ended it and its definition as it was then', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Paid orders',
      status: 'active',
      trigger: { type: 'event', config: { channelId } },
      steps: [
        { id: 'paid', type: 'filter', config: { expression: 'event.payload.isPaid' } },
        { id: 'tell-once', type: 'action', config: { action: 'log', text: 'Paid' } },
      ],
    });
    const order = { eventType: 'order.created', payload: { isPaid: false } };
    const messageId = await scene.make(`/v1/channels/${channelId}/messages`, order);
    const other = await scene.make('/v1/channels', { name: 'refunds' });
    const aside = await scene.make(`/v1/channels/${other}/messages`, order);
    await waitFor('the run has ended', async () => (await runsOf(`messageId=${messageId}`))[0]?.status === 'completed');
    await change('PATCH', `/v1/workflows/${workflowId}`, {
      steps: [{ id: 'another', type: 'action', config: { action: 'log', text: 'Since' } }],
    });

    const asked = page.waitForResponse((answer) => answer.url().includes(`messageId=${aside}`));
    await dashboard.open(`/messages/${aside}`);
    await asked;
    await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
    expect(await page.getByRole('region', { name: 'Runs' }).count()).toBe(0);
    await dashboard.open(`/messages/${messageId}`);
    const row = page.getByRole('row', { name: /Paid orders/ });
    await row.getByText('Filtered').waitFor();
    await row.getByRole('link').click();
    await page.locator('.sentence').getByText('Filtered').waitFor();
    await page.getByText('The filter paid let it go no further.').waitFor();

    const then = page.getByRole('region', { name: 'The definition of this run' });
    await then.getByText('As it was then: version 1.').waitFor();
    await then.getByText('paid (Filter, Completed) → tell-once').waitFor({ state: 'attached' });
    await then.getByText('Definition', { exact: true }).click();
    expect(await then.getByLabel('Definition', { exact: true }).innerText()).toContain('tell-once');
    expect(await then.innerText()).not.toContain('another');
    await then.getByRole('link', { name: 'The workflow as it is today' }).click();
    await page.getByRole('heading', { name: 'Paid orders', level: 1 }).waitFor();

    await dashboard.open(`/runs?workflow=${workflowId}`);
    await page
      .getByRole('row', { name: /Filtered.*The filter paid let it go no further/ })
      .first()
      .waitFor();
  });

  test('the runs of a workflow are cancelled by one button, once a person has read how many they are', async () => {
    const { page } = dashboard;
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Rest',
      status: 'active',
      trigger: { type: 'manual' },
      steps: [{ id: 'rest', type: 'delay', config: { for: '1h' } }],
    });
    for (let run = 0; run < 3; run += 1) await scene.make(`/v1/workflows/${workflowId}/runs`, {});
    const statuses = async (): Promise<string[]> =>
      (await runsOf(`workflowId=${workflowId}`)).map(({ status }) => status);
    await waitFor('three runs wait', async () => (await statuses()).every((status) => status === 'waiting'));

    await dashboard.open(`/runs?workflow=${workflowId}`);
    const open = page.getByRole('button', { name: 'Cancel 3 runs', exact: true });
    await open.click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 3 runs?' });
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await statuses()).toEqual(['waiting', 'waiting', 'waiting']);

    // Runs that the list does not show are not cancelled with it.
    const until = '2026-01-31T12:00:00.000Z';
    // The page that is left asks the same address every few seconds, without a time.
    const counted = page.waitForRequest(
      (request) =>
        request.url().endsWith(`/${workflowId}/runs/cancel`) && request.postData()?.includes('until') === true,
    );
    await dashboard.open(`/runs?workflow=${workflowId}&until=${until}`);
    expect((await counted).postDataJSON()).toEqual({ until, dryRun: true });
    await page.getByRole('button', { name: 'Cancel 0 runs' }).waitFor();
    await page.getByText('Retention has ended it').waitFor();
    await dashboard.open(`/runs?workflow=${workflowId}`);

    await open.click();
    await dialog.getByRole('button', { name: 'Cancel 3 runs' }).click();
    await page.getByText('Runs cancelled').waitFor();
    expect(await statuses()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const none = page.getByRole('button', { name: 'Cancel 0 runs' });
    await none.waitFor();
    expect(await none.isDisabled()).toBe(true);
    // Runs that have ended cannot be cancelled: a list of those has no such button.
    await dashboard.open(`/runs?workflow=${workflowId}&status=completed`);
    await page.getByText('None match').first().waitFor();
    expect(await page.getByRole('button', { name: /^Cancel \d+ runs?$/ }).count()).toBe(0);
  });

  // The count was asked under another name each minute, so a question of whoever read it said "Cancel 0 runs?" for a moment.
  test('the question before runs of the last hour are cancelled keeps its number while minutes pass', async () => {
    const { page } = dashboard;
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Rest',
      status: 'active',
      trigger: { type: 'manual' },
      steps: [{ id: 'rest', type: 'delay', config: { for: '1h' } }],
    });
    await scene.make(`/v1/workflows/${workflowId}/runs`, {});
    await dashboard.open(`/runs?workflow=${workflowId}&since=1h`);
    await page.getByRole('button', { name: 'Cancel 1 run', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 1 run?' });
    await dialog.getByText('The newest of them:').waitFor();
    const begun = Date.now() - 3_600_000;
    const isLater = (request: Request): boolean =>
      // `as`: the page asks with a time.
      Date.parse((request.postDataJSON() as { since: string }).since) > begun;
    // Later counts have no answer. One that was asked for before has one: none is asked for beside it.
    await page.route(`**/${workflowId}/runs/cancel`, (route) =>
      isLater(route.request()) ? undefined : route.continue(),
    );
    const later = page.waitForRequest(
      (request) => request.url().endsWith(`/${workflowId}/runs/cancel`) && isLater(request),
    );
    await page.clock.setFixedTime(Date.now() + 150_000);
    await later;
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'Leave it' }).click();
  });

  // Its end was unknown, and so it had taken 0 ms.
  test('a step that waits says how long it has waited so far, and its bar goes on to the present', async () => {
    const { page } = dashboard;
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Rest',
      status: 'active',
      trigger: { type: 'manual' },
      steps: [
        { id: 'say', type: 'action', config: { action: 'log', text: 'Said' } },
        { id: 'rest', type: 'delay', config: { for: '1h' } },
      ],
    });
    const runId = await scene.make(`/v1/workflows/${workflowId}/runs`, {});
    await waitFor('the run waits', async () => (await runsOf(`workflowId=${workflowId}`))[0]?.status === 'waiting');
    await dashboard.open(`/runs/${runId}`);
    // The diagram names its steps, too.
    const step = page.getByRole('listitem').filter({ has: page.locator('summary', { hasText: 'rest' }) });
    const soFar = async (): Promise<number> => Number(/· (\d+) s so far/.exec(await step.innerText())?.[1] ?? '-1');
    await waitFor('the wait is counted', async () => (await soFar()) > 1);
    const before = await soFar();
    await waitFor('the count goes on', async () => (await soFar()) > before);
    const bar = step.locator('rect').nth(1);
    await waitFor('most of the run was this wait', async () => Number(await bar.getAttribute('width')) > 200);
  });

  // The list of keys says "what is open", and a run that was open did nothing at it.
  test('r retries the failed step of the run that is open', async () => {
    const { page } = dashboard;
    const receiver = await scene.startReceiver();
    receiver.answerWith([503, 200]);
    const crm = { action: 'http', url: receiver.url, body: {}, retryPolicy: { maxRetries: 0 } };
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Tell the CRM',
      status: 'active',
      trigger: { type: 'manual' },
      steps: [{ id: 'crm', type: 'action', config: crm }],
    });
    const runId = await scene.make(`/v1/workflows/${workflowId}/runs`, {});
    await dashboard.open(`/runs/${runId}`);
    await page.locator('.sentence').getByText('Failed').waitFor();
    await page.keyboard.press('r');
    await page.getByText('Retry asked for').waitFor();
    await page.locator('.sentence').getByText('Completed').waitFor();
    expect(receiver.requests).toHaveLength(2);
  });

  // A run said when it began and ended, and a step that was tried again how often.
  test('a run says how long it has taken, and a step what is kept of its attempts', async () => {
    const { page } = dashboard;
    const receiver = await scene.startReceiver();
    receiver.answerWith([503, 200]);
    const retryPolicy = { maxRetries: 1, initialDelay: 100, maxDelay: 100 };
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Tell the till',
      status: 'active',
      trigger: { type: 'manual' },
      steps: [{ id: 'till', type: 'action', config: { action: 'http', url: receiver.url, body: {}, retryPolicy } }],
    });
    const runId = await scene.make(`/v1/workflows/${workflowId}/runs`, {});
    await dashboard.open(`/runs/${runId}`);
    await page.locator('.sentence').getByText('Completed').waitFor();
    const facts = page.locator('.facts');
    await facts.getByText('Took').waitFor();
    await facts.getByText(/^\d+(\.\d+)? m?s$/).waitFor();
    const step = page.getByRole('listitem').filter({ hasText: '2 tries' });
    await step.getByText('till', { exact: true }).click();
    await step.getByText('Attempt 2 was the last one so far.').waitFor();
    expect(await dashboard.violations()).toEqual([]);
  });

  const SUM = { set: { twice: '{{ event.payload.total * 2 }}' } };

  test('a failed run is retried under the latest definition where there is a later one', async () => {
    const { page } = dashboard;
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Sum',
      status: 'active',
      trigger: { type: 'manual' },
      steps: [{ id: 'sum', type: 'transform', config: SUM }],
    });
    const begin = (): Promise<string> => scene.make(`/v1/workflows/${workflowId}/runs`, {});
    const [oldest, middle, runId] = [await begin(), await begin(), await begin()];
    await waitFor('all runs have failed', async () =>
      (await runsOf(`workflowId=${workflowId}`)).every(({ status }) => status === 'failed'),
    );
    const mended = { id: 'sum', type: 'transform', config: { set: { twice: '{{ 2 }}' } } };
    await change('PATCH', `/v1/workflows/${workflowId}`, { steps: [mended] });
    await dashboard.open(`/runs/${runId}`);
    const latest = page.getByRole('checkbox', { name: 'Use the latest definition: version 2' });
    await latest.press('Space');
    await page.getByText('Otherwise the retry uses version 1.').waitFor();
    await page.getByRole('button', { name: 'Retry from the failed step' }).press('Enter');
    await page.getByText('Retry asked for').waitFor();
    await page.locator('.sentence').getByText('Completed').waitFor();
    await page.locator('.facts').getByText('version 2').waitFor();
    await latest.waitFor({ state: 'detached' });

    // The tick stayed for the next run that the panel shows.
    await dashboard.open(`/runs?workflow=${workflowId}&open=${middle}`);
    const panel = page.getByRole('complementary', { name: 'Details' });
    await panel.getByRole('heading', { name: middle }).waitFor();
    await latest.check();
    await page.getByRole('grid', { name: 'Runs' }).focus();
    for (const key of ['j', 'j']) await page.keyboard.press(key);
    await panel.getByRole('heading', { name: oldest }).waitFor();
    await latest.waitFor();
    expect(await latest.isChecked()).toBe(false);
  });
});
