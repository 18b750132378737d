import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('run retries in a browser', () => {
  /** Retries of a run from a step of it, at its page. */
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

  test('a failed run begins again at a step that has ended, whose earlier steps keep their results', async () => {
    const { page } = dashboard;
    const receiver = await scene.startReceiver();
    receiver.answerWith([200, 503, 200]);
    const crm = { action: 'http', url: receiver.url, body: {}, retryPolicy: { maxRetries: 0 } };
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Tell the CRM twice',
      status: 'active',
      trigger: { type: 'manual' },
      steps: [
        { id: 'sum', type: 'transform', config: { set: { total: 12 } }, next: 'each' },
        { id: 'each', type: 'foreach', config: { items: '[1]', body: 'note' }, next: 'first' },
        { id: 'note', type: 'action', config: { action: 'log' } },
        { id: 'first', type: 'action', config: crm, next: 'second' },
        { id: 'second', type: 'action', config: crm },
      ],
    });
    const runId = await scene.make(`/v1/workflows/${workflowId}/runs`, {});
    await dashboard.open(`/runs/${runId}`);
    await page.locator('.sentence').getByText('Failed').waitFor();
    const step = (id: string) =>
      page.getByRole('listitem').filter({ has: page.locator('summary strong', { hasText: new RegExp(`^${id}$`) }) });
    // A step of a loop is no place to begin at.
    await step('note').locator('summary').click();
    await step('note').getByText('Out', { exact: true }).waitFor();
    expect(
      await step('note')
        .getByRole('button', { name: /^Retry from/ })
        .count(),
    ).toBe(0);
    await step('first').locator('summary').click();
    await step('first').getByRole('button', { name: 'Retry from first' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry this run from first?' });
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(receiver.requests).toHaveLength(2);
    await step('first').getByRole('button', { name: 'Retry from first' }).click();
    await dialog.getByRole('button', { name: 'Retry from first' }).click();
    await page.getByText('Retry asked for').waitFor();
    await page.locator('.sentence').getByText('Completed').waitFor();
    expect(receiver.requests).toHaveLength(4);
    // A run that has completed begins again at none.
    await step('first').getByRole('button', { name: 'Retry from first' }).waitFor({ state: 'detached' });
  });
});
