import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('decisions in a browser', () => {
  /** Decisions that runs wait for, at their pages. */
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

  // The schema stood there as JSON, and its answers had to be written as JSON.
  test('an approval with a form has a field for each answer, and a bad one is told beside its field', async () => {
    const { page } = dashboard;
    const form = {
      type: 'object',
      required: ['amount', 'reason'],
      properties: {
        amount: { type: 'number', title: 'Amount', description: 'In euros.', maximum: 100 },
        reason: { enum: ['late', 'broken'], title: 'Reason' },
        note: { type: 'string', title: 'Note' },
      },
    };
    const workflowId = await scene.make('/v1/workflows', {
      name: 'Refund',
      trigger: { type: 'manual', config: {} },
      steps: [{ id: 'ask', type: 'approval', config: { title: 'Refund I-8?', form } }],
    });
    await scene.posthorn.request('POST', `/v1/workflows/${workflowId}/activate`, undefined, scene.key);
    const runId = await scene.make(`/v1/workflows/${workflowId}/runs`, {});
    await dashboard.open(`/runs/${runId}`);
    const decision = page.getByRole('region', { name: 'Refund I-8?' });
    const approve = decision.getByRole('button', { name: 'Approve' });
    const amount = decision.getByLabel('Amount', { exact: true });
    await amount.fill('a lot');
    await approve.click();
    await decision.getByText('Enter a number, for example 12.50').waitFor();
    await decision.getByText('Required to approve').waitFor();
    await decision.getByRole('combobox', { name: 'Reason' }).click();
    await page.getByRole('option', { name: 'late' }).click();
    await amount.fill('120');
    await approve.click();
    // The bound is the service's to know.
    await decision.getByText(/100/).waitFor();
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    await amount.fill('12.50');
    await approve.click();
    await page.getByRole('heading', { level: 1 }).getByText('Completed', { exact: true }).waitFor();
    const answer = await fetch(`${scene.posthorn.url}/v1/approvals?runId=${runId}`, {
      headers: { authorization: `Bearer ${scene.posthorn.keys.test}` },
    });
    expect(await answer.text()).toContain('"data":{"amount":12.50,"reason":"late"}');
  });
});
