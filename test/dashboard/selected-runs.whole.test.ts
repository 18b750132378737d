import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('selected runs in a browser', () => {
  /** Runs of a list that are selected, and all failed ones that its filter lets through. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let receiver: Receiver;
  let appName: string;
  beforeAll(async () => {
    scene = await setDashboardScene();
  });
  afterAll(() => scene.end());
  beforeEach(async () => {
    ({ dashboard, receiver } = await scene.enter());
    ({ name: appName } = await scene.posthorn.deps.db.app.findFirstOrThrow());
  });
  afterEach(() => scene.leave());

  // The list is that of the live environment, in which a name is typed before many things are done at once.
  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: made } = await scene.posthorn.request<{ id: string }>('POST', path, body);
    if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(made)}`);
    return made.id;
  };
  const statusesOf = async (workflowId: string): Promise<string[]> => {
    const { body } = await scene.posthorn.request<{ data: { status: string }[] }>(
      'GET',
      `/v1/runs?workflowId=${workflowId}`,
    );
    return body.data.map(({ status }) => status).toSorted();
  };
  const untilStatuses = (workflowId: string, wanted: string[]): Promise<unknown> =>
    waitFor(`runs that are ${wanted.join()}`, async () => (await statusesOf(workflowId)).join() === wanted.join());

  /** Runs of a workflow of that one step. */
  async function begin(name: string, step: object, count: number): Promise<string> {
    const workflowId = await make('/v1/workflows', {
      name,
      status: 'active',
      trigger: { type: 'manual' },
      steps: [step],
    });
    for (let run = 0; run < count; run += 1) await make(`/v1/workflows/${workflowId}/runs`, {});
    return workflowId;
  }
  const beginResting = (count: number): Promise<string> =>
    begin('Rest', { id: 'rest', type: 'delay', config: { for: '1h' } }, count);
  /** Runs that have failed at a receiver, which takes everything since. */
  async function beginFailed(name: string, count: number): Promise<string> {
    receiver.answerWith([503]);
    const config = { action: 'http', url: receiver.url, body: {}, retryPolicy: { maxRetries: 0 } };
    const workflowId = await begin(name, { id: 'crm', type: 'action', config }, count);
    await untilStatuses(workflowId, Array<string>(count).fill('failed'));
    receiver.answerWith([200]);
    return workflowId;
  }

  // One run after the other was opened for it.
  test('runs are selected, and those that have not ended are cancelled together once the app is named', async () => {
    const { page } = dashboard;
    const resting = await beginResting(3);
    await untilStatuses(resting, ['waiting', 'waiting', 'waiting']);
    const failed = await beginFailed('Tell the CRM', 1);
    await dashboard.open('/runs?status=waiting,failed', 'live');
    const boxes = page.getByRole('checkbox', { name: /^Select row/ });
    await boxes.nth(3).waitFor();
    // The newest is the failed one, which has ended.
    await boxes.nth(0).click();
    const toolbar = page.getByRole('toolbar', { name: 'Selected rows' });
    const none = toolbar.getByRole('button', { name: 'Cancel 0…', exact: true });
    await none.waitFor();
    expect(await none.getAttribute('aria-disabled')).toBe('true');
    for (const row of [1, 2]) await boxes.nth(row).click();
    await page.getByText('3 selected').waitFor();
    const cancel = toolbar.getByRole('button', { name: 'Cancel 2…', exact: true });
    await cancel.click();
    const dialog = page.getByRole('dialog', { name: /^Cancel 2 runs\?/ });
    const go = dialog.getByRole('button', { name: 'Cancel 2 runs', exact: true });
    await go.waitFor();
    expect(await go.isDisabled()).toBe(true);
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByLabel(`Type ${appName} to confirm`).fill(appName);
    await go.click();
    await page.getByText('2 runs cancelled').waitFor();
    expect(await statusesOf(resting)).toEqual(['cancelled', 'cancelled', 'waiting']);
    expect(await statusesOf(failed)).toEqual(['failed']);
    // Nothing is selected any more.
    await cancel.waitFor({ state: 'detached' });
  });

  test('selected runs go on from their failed steps, by a button or by r', async () => {
    const { page } = dashboard;
    const failed = await beginFailed('Tell the CRM', 3);
    await dashboard.open(`/runs?workflow=${failed}&status=failed`, 'live');
    const boxes = page.getByRole('checkbox', { name: /^Select row/ });
    await boxes.nth(2).waitFor();
    await boxes.nth(0).click();
    await page
      .getByRole('toolbar', { name: 'Selected rows' })
      .getByRole('button', { name: /^Retry 1/ })
      .click();
    await page.getByText('Retry queued').waitFor();
    await untilStatuses(failed, ['completed', 'failed', 'failed']);
    await page.getByText('1 selected').waitFor({ state: 'detached' });
    await boxes.first().click();
    await page.getByText('1 selected').waitFor();
    // A box takes keys for itself.
    await page.getByRole('grid').focus();
    await page.keyboard.press('r');
    await untilStatuses(failed, ['completed', 'completed', 'failed']);
  });

  test('all failed runs that a filter matches are counted and retried, and those of other workflows stay', async () => {
    const { page } = dashboard;
    const wanted = await beginFailed('Tell the CRM', 2);
    const other = await beginFailed('Tell the till', 1);
    // Without failed ones among what is shown nothing is offered.
    await dashboard.open('/runs?status=paused', 'live');
    await page.getByRole('heading', { name: 'No runs match' }).waitFor();
    const all = page.getByRole('button', { name: 'Retry all failed…', exact: true });
    expect(await all.count()).toBe(0);
    await dashboard.open(`/runs?status=failed&workflow=${wanted}&since=1h`, 'live');
    await all.click();
    const dialog = page.getByRole('dialog', { name: /^Replay 2 failed runs\?/ });
    await dialog.getByText('The time range counts when a run failed.').waitFor();
    const go = dialog.getByRole('button', { name: 'Replay 2' });
    expect(await go.isDisabled()).toBe(true);
    expect(await dashboard.violations()).toEqual([]);
    await dialog.getByLabel(`Type ${appName} to confirm`).fill(appName);
    await go.click();
    await page.waitForURL(/\/replays\/rpl_/);
    await untilStatuses(wanted, ['completed', 'completed']);
    expect(await statusesOf(other)).toEqual(['failed']);
  });
});
