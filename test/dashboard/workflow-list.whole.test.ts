import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('workflow list in a browser', () => {
  /** The list of workflows, and the trial of one on a real message. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  beforeAll(async () => {
    scene = await setDashboardScene();
  });
  afterAll(() => scene.end());
  beforeEach(async () => {
    ({ dashboard } = await scene.enter());
  });
  afterEach(() => scene.leave());

  test('an environment without a workflow offers three to begin with', async () => {
    const { page } = dashboard;
    await dashboard.open('/workflows');
    await page.getByText('No workflow yet').waitFor();
    await page.getByRole('link', { name: 'At set times' }).click();
    await page.getByRole('heading', { name: 'Make a workflow', level: 1 }).waitFor();
    expect(await page.getByLabel('Definition', { exact: true }).inputValue()).toContain('"cron"');
  });

  test('the list shows the last run of each workflow, all by one request', async () => {
    const { page } = dashboard;
    const make = (name: string) =>
      scene.make('/v1/workflows', {
        name,
        status: 'active',
        trigger: { type: 'manual' },
        steps: [{ id: 'only', type: 'filter', config: { expression: 'event.payload.isGood' } }],
      });
    await make('Idle');
    const busy = await make('Busy');
    for (const isGood of [true, false]) await scene.make(`/v1/workflows/${busy}/runs`, { payload: { isGood } });
    const runs = async () =>
      (
        await scene.posthorn.request<{ data: { id: string; status: string }[] }>(
          'GET',
          `/v1/runs?workflowId=${busy}`,
          undefined,
          scene.key,
        )
      ).body.data;
    await waitFor('both have ended', async () => (await runs()).every(({ status }) => status === 'completed'));
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/v1\/(?:stats\/workflows|runs|workflows\/)/.test(pathname)) asked.push(pathname);
    });
    await dashboard.open('/workflows');
    const row = page.getByRole('row', { name: /Busy/ });
    await row.getByText('Filtered').waitFor();
    expect(
      await page
        .getByRole('row', { name: /Idle/ })
        .getByText(/Filtered|Completed/)
        .count(),
    ).toBe(0);
    expect([...new Set(asked)]).toEqual(['/v1/stats/workflows']);
    await row.locator(`a[href$="${(await runs())[0]?.id}"]`).click();
    await page.getByText('The filter only let it go no further.').waitFor();
  });

  test('a trial takes a real message of the channel, with its payload digit for digit', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const other = await scene.make('/v1/channels', { name: 'refunds' });
    const publish = (channel: string, eventType: string): Promise<string> =>
      scene.make(`/v1/channels/${channel}/messages`, { eventType, payload: { total: 1 }, metadata: { shop: 'north' } });
    await publish(other, 'refund.asked');
    const messageId = await publish(channelId, 'order.paid');
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Paid',
      trigger: { type: 'event', config: { channelId } },
      steps: [{ id: 'note', type: 'action', config: { action: 'log', text: '{{ event.metadata.shop }}' } }],
    });
    await dashboard.open(`/workflows/${workflowId}?tab=trial`);
    const choice = page.getByLabel('Message', { exact: true });
    await choice.locator(`option[value=${messageId}]`).waitFor({ state: 'attached' });
    // The other channel is none of its trigger's.
    expect(await choice.locator('option').count()).toBe(2);
    await choice.selectOption(messageId);
    const payload = page.getByLabel('Payload', { exact: true });
    await waitFor('the payload is there', async () => (await payload.inputValue()) === '{\n  "total": 1\n}');
    expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('order.paid');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    const step = page.getByRole('listitem').filter({ has: page.locator('summary', { hasText: 'note' }) });
    await step.locator('summary').click();
    await step.getByText('north').first().waitFor();
  });

  // The trigger was not asked, and nothing said so: a message that begins no run was tried as if it did.
  test('a trial says whether the trigger would take the message, and why not', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Large',
      trigger: { type: 'event', config: { channelId, eventTypes: ['order.*'], filter: 'payload.total > 100' } },
      steps: [{ id: 'note', type: 'action', config: { action: 'log', text: 'Large' } }],
    });
    await dashboard.open(`/workflows/${workflowId}?tab=trial`);
    const tryWith = async (eventType: string, payload: string): Promise<void> => {
      await page.getByLabel('Type', { exact: true }).fill(eventType);
      await page.getByLabel('Payload', { exact: true }).fill(payload);
      await page.getByRole('button', { name: 'Try it', exact: true }).click();
    };
    const verdict = page.locator('section p.note');
    await tryWith('order.paid', '{"total": 250}');
    await verdict.getByText('Such a message would begin the workflow once it is active.').waitFor();
    expect(await verdict.innerText()).toContain('The message has to come in on a channel that the trigger names.');
    await tryWith('order.paid', '{"total": 7}');
    await verdict.getByText('would not begin the workflow. Its steps were tried all the same.').waitFor();
    expect(await verdict.innerText()).toContain('The filter of the trigger keeps it out.');
    await page.locator('.sentence').getByText('Completed').waitFor();
    await tryWith('invoice.paid', '{"total": 250}');
    await verdict.getByText('The trigger does not take this type.').waitFor();
    await page.getByText('begins with order.*').waitFor();
    await tryWith('order.paid', '{}');
    await verdict.getByText('The filter of the trigger fails on it.').waitFor();
    // The browser's own words stood in an alert, in English for everybody.
    await tryWith('order.paid', '{"total": ');
    await page.locator('.problem').getByText(/JSON/).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await dashboard.violations()).toEqual([]);
  });

  test('the page of a workflow with a schedule says when its next run begins, or why none does', async () => {
    const { page } = dashboard;
    const id = await scene.make('/v1/workflows', {
      name: 'Report',
      status: 'active',
      trigger: { type: 'schedule', config: { cron: '0 9 1 1 *' } },
      steps: [{ id: 'only', type: 'action', config: { action: 'log' } }],
    });
    await dashboard.open(`/workflows/${id}`);
    await page.getByText('Next run', { exact: true }).waitFor();
    const standing = page.locator('p.sentence').first();
    expect(await standing.innerText()).toMatch(/Active\s+Runs begin as its trigger says\./);
    await waitFor('Temporal to have it, and then to refuse it', async () => {
      const { rowCount } = await scene.posthorn.deps.pool.query(
        `UPDATE workflow_schedules SET problem = 'no such calendar', top_up_at = NULL WHERE workflow_id = $1 AND synced = revision`,
        [id],
      );
      return rowCount === 1;
    });
    await dashboard.open(`/workflows/${id}`);
    await page.getByText('no such calendar').waitFor();
    // Old mechanism: it said in green, above the problem, that runs begin.
    expect(await standing.innerText()).toMatch(/Active\s+No run begins at the times of its schedule\./);
    expect(await standing.locator('.state.failed').count()).toBe(1);
    expect(await page.getByText('Next run', { exact: true }).count()).toBe(0);
    expect(await dashboard.violations()).toEqual([]);
  });
});
