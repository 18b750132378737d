import type { Page } from 'playwright-core';

/** Resolves when what was begun is drawn: with the second frame. A text, since tests know nothing of the types of a browser. */
export const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))';

/**
 * Measures for how long an act keeps the thread of a page at work until it is drawn, in ms: scripts, layout and painting, without the waits
 * for frames. Other work of the machine makes it longer, so that one is compared with another by turns.
 */
export async function workOf(page: Page): Promise<(act: () => Promise<unknown>) => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const workedMs = async (): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
  };
  return async (act) => {
    const before = await workedMs();
    await act();
    await page.evaluate(DRAWN);
    return (await workedMs()) - before;
  };
}

/** The least of several measurements: other work of the machine only adds to one. */
export const least = (values: readonly number[] = []): number => Math.min(...values);
