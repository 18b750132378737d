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
    const status = (word: string) => page.getByRole('heading', { level: 1 }).getByText(word, { exact: true });
    await status('Failed').waitFor();
    const choose = (id: string): Promise<void> =>
      page
        .getByRole('list', { name: 'Steps' })
        .getByRole('button', { name: new RegExp(`\\b${id}\\b`) })
        .first()
        .click();
    // A step of a loop is no place to begin at.
    await choose('note');
    await page.getByRole('group', { name: 'Output' }).first().waitFor();
    await page.waitForURL((url) => url.searchParams.get('step') === 'note');
    expect(await page.getByRole('button', { name: 'Retry from here: note' }).count()).toBe(0);
    await choose('first');
    await page.waitForURL((url) => url.searchParams.get('step') === 'first');
    const retry = page.getByRole('button', { name: 'Retry from here: first' });
    await retry.click();
    const dialog = page.getByRole('dialog', { name: /^Retry from first\?/ });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(receiver.requests).toHaveLength(2);
    await retry.click();
    await dialog.getByRole('button', { name: 'Retry from first' }).click();
    await page.getByText('Retry queued').waitFor();
    await status('Completed').waitFor();
    expect(receiver.requests).toHaveLength(4);
    // A run that has completed begins again at none.
    await retry.waitFor({ state: 'detached' });
  });
});
