import { beforeEach, expect, test } from '@jest/globals';
import { RUN_CODES } from '../../src/kernel/words/outcomes.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('run outcomes in a browser', () => {
  const MINUTE = 60_000;
  let scene: DashboardScene;
  let dashboard: Dashboard;
  let workflowId: string;
  let failedAt: number;

  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    const steps = [{ id: 'note', type: 'action', config: { action: 'log', noted: true } }];
    workflowId = await scene.make('/v1/workflows', { name: 'Refunds', trigger: { type: 'manual' }, steps });
    await storeDay();
  });

  /** A day in which a run completes each ten minutes, and an hour ago seven failed and two were cancelled. */
  async function storeDay(): Promise<void> {
    const { pool, db } = scene.posthorn.deps;
    await pool.query('TRUNCATE stat_counts');
    const { environmentId } = await db.workflow.findUniqueOrThrow({ where: { id: workflowId } });
    const begun = Math.floor(Date.now() / MINUTE) * MINUTE;
    failedAt = begun - 60 * MINUTE;
    const at = (minutes: number) => new Date(begun - minutes * MINUTE);
    const counted = [
      ...Array.from({ length: 140 }, (_, n) => ({ at: at(n * 10), code: RUN_CODES.completed, count: 1 })),
      ...Array.from({ length: 140 }, (_, n) => ({ at: at(n * 10), code: RUN_CODES.started, count: 1 })),
      { at: at(60), code: RUN_CODES.failed, count: 7 },
      { at: at(60), code: RUN_CODES.cancelled, count: 2 },
    ];
    for (const ofId of [workflowId, `${environmentId}/runs`])
      await pool.query(
        `INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
       SELECT $1, $2, m.minutes, date_bin(make_interval(mins => m.minutes), at, 'epoch') AS begun, code, 63, sum(count) FROM unnest($3::timestamptz[], $4::int[], $5::int[]) AS f (at, code, count),
         (VALUES (1), (60)) AS m (minutes) GROUP BY m.minutes, begun, code`,
        [
          ofId,
          environmentId,
          counted.map((each) => each.at),
          counted.map(({ code }) => code),
          counted.map(({ count }) => count),
        ],
      );
  }

  test('runs are drawn by outcome; an outcome is a filter, and a step narrows the span', async () => {
    const { page } = dashboard;
    await scene.make('/v1/marks', { name: 'Deploy 7', at: new Date(Date.now() - 90 * MINUTE).toISOString() });
    await dashboard.open('/runs');
    const chart = page.getByRole('figure', { name: 'Runs by outcome' });
    await chart.getByText('140 started · 0 not ended yet').waitFor();
    const outcomes = chart.locator('.legend').getByRole('button');
    expect((await outcomes.allInnerTexts()).map((text) => text.trim())).toEqual(['Completed', 'Failed', 'Cancelled']);
    // A marked deployment is a line in it.
    await chart.locator('.mark title').filter({ hasText: 'Deploy 7' }).waitFor({ state: 'attached' });
    expect(await dashboard.violations()).toEqual([]);

    // By the keyboard: the step of the failures, and what stands in it.
    const slider = page.getByRole('slider', { name: 'Runs by outcome.' });
    await slider.focus();
    for (let step = 0; step < 8; step += 1) {
      if ((await slider.getAttribute('aria-valuetext'))?.includes('Failed 7') === true) break;
      await page.keyboard.press('ArrowLeft');
    }
    expect(await slider.getAttribute('aria-valuetext')).toContain('Failed 7, Cancelled 2');

    await outcomes.filter({ hasText: 'Failed' }).click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed');
    await chart.locator('.legend').getByText('Completed').waitFor({ state: 'detached' });
    await chart.getByRole('button', { name: 'Show as a table' }).press('Enter');
    expect(await chart.getByRole('columnheader').allInnerTexts()).toEqual(['From', 'Failed']);
    await chart
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: '7', exact: true }) })
      .getByRole('button')
      .click();
    await page.waitForURL(
      ({ searchParams }) =>
        Date.parse(searchParams.get('since') ?? '') <= failedAt &&
        Date.parse(searchParams.get('until') ?? '') > failedAt,
    );

    // A state that is no outcome narrows nothing, and the chart says so.
    await dashboard.open('/runs?status=waiting');
    await chart.getByText('All runs that ended in this span are counted, without the filter State.').waitFor();
  });
});
