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
    await scene.make('/v1/markers', { name: 'Deploy 7', at: new Date(Date.now() - 90 * MINUTE).toISOString() });
    await dashboard.open('/runs');
    const strip = page.getByRole('region', { name: 'Runs by outcome' });
    const outcomes = strip.getByRole('list', { name: 'Runs by outcome' }).getByRole('button');
    await outcomes.filter({ hasText: 'Completed' }).waitFor();
    expect((await outcomes.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Failed 7',
      'Completed 140',
      'Cancelled 2',
      'Unfinished 0',
    ]);
    expect(await dashboard.violations()).toEqual([]);

    // By the keyboard: the step of the failures, what stands in it, and the time that it opens.
    const chart = strip.getByRole('slider', { name: /^Runs by outcome/ });
    const told = async (): Promise<string> => (await chart.getAttribute('aria-valuetext')) ?? '';
    await chart.focus();
    await page.keyboard.press('Home');
    for (let step = 0; step < 200 && !/Failed 7/.test(await told()); step += 1) await page.keyboard.press('ArrowRight');
    expect(await told()).toMatch(/Failed 7.*Cancelled 2/s);

    await outcomes.filter({ hasText: 'Failed' }).click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed');
    await outcomes.filter({ hasText: 'Failed' }).click();
    await page.waitForURL((url) => !url.searchParams.has('status'));
    await outcomes.filter({ hasText: 'Unfinished' }).click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'pending,running,waiting,paused');
    // A status that is no outcome narrows nothing, and the strip says so.
    await strip.getByRole('button', { name: /Not filtered by status/ }).waitFor();

    // Drawing over the bars narrows the list to that time.
    await dashboard.open('/runs');
    const box = await chart.boundingBox();
    if (box === null) throw new Error('the chart has no place');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.9, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.99, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(
      ({ searchParams }) =>
        Date.parse(searchParams.get('since') ?? '') <= failedAt &&
        Date.parse(searchParams.get('until') ?? '') > failedAt,
    );
  });
});
