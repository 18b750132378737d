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
  /** The status in the head of the page of a run. */
  const status = (word: string) => dashboard.page.getByRole('heading', { level: 1 }).getByText(word, { exact: true });
  const chooseMore = async (item: string): Promise<void> => {
    await dashboard.page.getByRole('button', { name: 'More actions' }).click();
    await dashboard.page.getByRole('menuitem', { name: item }).click();
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
    await status('Filtered').waitFor();
    await page.getByRole('region', { name: 'Status' }).getByText('Stopped by filter paid.').waitFor();

    const path = page.getByRole('group', { name: 'Path taken' });
    await path.getByRole('button', { name: /^paid/ }).getByText('Completed').waitFor({ state: 'attached' });
    await path.getByRole('button', { name: /^tell-once/ }).waitFor();
    expect(await path.getByRole('button', { name: /^another/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Definition of this step' }).click();
    await page.getByRole('group', { name: 'Definition' }).first().getByText('event.payload.isPaid').waitFor();
    await page.getByRole('link', { name: 'latest is 2' }).click();
    await page.getByRole('heading', { name: 'Paid orders', level: 1 }).waitFor();

    await dashboard.open(`/runs?workflow=${workflowId}`);
    await page
      .getByRole('row', { name: /Filtered.*Stopped by filter paid/ })
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
    const open = page.getByRole('button', { name: 'Cancel 3 runs…', exact: true });
    await open.click();
    const dialog = page.getByRole('dialog', { name: /^Cancel 3 runs\?/ });
    await dialog.getByRole('button', { name: 'Keep runs' }).click();
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
    await page.getByRole('button', { name: 'Cancel 0 runs…' }).waitFor();
    await page.getByText('Outside the retention period').waitFor();
    await dashboard.open(`/runs?workflow=${workflowId}`);

    await open.click();
    await dialog.getByRole('button', { name: 'Cancel 3 runs' }).click();
    await page.getByText('3 runs cancelled').waitFor();
    expect(await statuses()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const none = page.getByRole('button', { name: 'Cancel 0 runs…' });
    await none.waitFor();
    expect(await none.isDisabled()).toBe(true);
    // Runs that have ended cannot be cancelled: a list of those has no such button.
    await dashboard.open(`/runs?workflow=${workflowId}&status=completed`);
    await page.getByText('No runs match').waitFor();
    expect(await page.getByRole('button', { name: /^Cancel \d+ runs?/ }).count()).toBe(0);
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
    await page.getByRole('button', { name: 'Cancel 1 run…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /^Cancel 1 run\?/ });
    await dialog.getByText('Newest').waitFor();
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
    await dialog.getByRole('button', { name: 'Keep run' }).click();
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
    const step = page.getByRole('list', { name: 'Steps' }).getByRole('button', { name: /rest/ });
    const soFar = async (): Promise<number> => Number(/(\d+) s\s/.exec(await step.innerText())?.[1] ?? '-1');
    await waitFor('the wait is counted', async () => (await soFar()) > 1);
    const before = await soFar();
    await waitFor('the count goes on', async () => (await soFar()) > before);
    const part = async (): Promise<number> =>
      step.locator('[data-bar]').evaluate((bar) => bar.clientWidth / (bar.parentElement?.clientWidth ?? 1));
    await waitFor('most of the run was this wait', async () => (await part()) > 0.4);
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
    await status('Failed').waitFor();
    await page.getByRole('region', { name: 'Status' }).getByText('crm failed').waitFor();
    await page.keyboard.press('r');
    await page.getByText('Retry queued').waitFor();
    await status('Completed').waitFor();
    expect(receiver.requests).toHaveLength(2);
    // The error was gone with the retry, and nobody saw any more why it was made.
    const earlier = page.getByRole('list', { name: 'Earlier failures' });
    await earlier.getByText('HTTP_503', { exact: true }).waitFor();
    await earlier.getByRole('link', { name: 'crm failed after 1 attempt' }).waitFor();
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
    await status('Completed').waitFor();
    await page.getByText(/, took \d+(\.\d+)? m?s/).waitFor();
    await page
      .getByRole('list', { name: 'Steps' })
      .getByRole('button', { name: /till.*2 attempts/ })
      .click();
    await page.getByText('Only the last attempt is stored.').waitFor();
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
    await status('Failed').waitFor();
    await chooseMore('Retry under version 2…');
    const dialog = page.getByRole('dialog', { name: /^Retry from sum\?/ });
    await dialog.getByText('Version 2 must have every step').waitFor();
    await dialog.getByRole('button', { name: 'Retry from sum' }).press('Enter');
    await page.getByText('Retry queued').waitFor();
    await status('Completed').waitFor();
    await page.getByText('version 2, latest').waitFor();

    // A choice for one run stayed for the next that the panel shows.
    await dashboard.open(`/runs?workflow=${workflowId}&open=${middle}`);
    const panel = page.getByRole('complementary', { name: 'Run' });
    const shows = (id: string) => panel.getByRole('button', { name: new RegExp(`^Copy ID .*${id}`) }).waitFor();
    await shows(middle);
    await chooseMore('Restart run…');
    const restarting = page.getByRole('dialog', { name: /^Restart this run\?/ });
    await restarting.getByRole('button', { name: 'Version 2, latest' }).click();
    await restarting.getByRole('button', { name: 'Cancel' }).click();
    await restarting.waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Runs' }).focus();
    for (const key of ['j', 'j']) await page.keyboard.press(key);
    await shows(oldest);
    // The button of the run retries from the step that failed: the step has none of its own.
    expect(await panel.getByRole('button', { name: /^Retry from here/ }).count()).toBe(0);
    await chooseMore('Restart run…');
    const latest = restarting.getByRole('button', { name: 'Version 2, latest' });
    expect(await latest.getAttribute('aria-pressed')).toBe('false');
    await restarting.getByRole('button', { name: 'Cancel' }).click();
  });
});
