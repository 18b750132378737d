import { describe, expect, test } from '@jest/globals';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countedOf, metricValuesOf, mergePages, mergeTexts } from './metrics-server.ts';

/** A registry with a counter, a histogram and two gauges, as one process has them. */
function processWith(count: number) {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['route'], registers }).inc({ route: '/a' }, count);
  new Histogram({ name: 'call_seconds', help: 'Length.', buckets: [1], registers }).observe(count);
  new Gauge({ name: 'open', help: 'Open.', registers }).set(count);
  new Gauge({ name: 'lag', help: 'Lag.', aggregator: 'max', registers }).set(count);
  return registry;
}

const seriesOf = (page: string): string[] => page.split('\n').filter((line) => /^[a-z]/.test(line));

test('a merged page has sums, or the maximum for gauges that ask for it', async () => {
  const figures = [await metricValuesOf(processWith(2)), await metricValuesOf(processWith(3))];
  expect(seriesOf(await mergePages(figures, []))).toEqual([
    'calls_total{route="/a"} 5',
    'call_seconds_bucket{le="1"} 0',
    'call_seconds_bucket{le="+Inf"} 2',
    'call_seconds_sum 5',
    'call_seconds_count 2',
    'open 5',
    'lag 3',
  ]);
});

// Old mechanism: the aggregation added into the figures of a dead process, which grew with each scrape.
test('the same metrics can be merged again', async () => {
  const figures = [await metricValuesOf(processWith(2)), await metricValuesOf(processWith(3))];
  expect(await mergePages(figures, [])).toBe(await mergePages(figures, []));
});

test('the counters of a dead process are kept, but not its gauges', async () => {
  const kept = countedOf(await metricValuesOf(processWith(2)));
  expect(kept.map(({ name }) => name)).toEqual(['calls_total', 'call_seconds']);
});

test('an empty page is valid', async () => {
  expect(seriesOf(await mergePages([], ['']))).toEqual([]);
});

describe('pages in the form of text', () => {
  const page = (value: number, queue = 'posthorn'): string =>
    `# HELP temporal_request Requests\n# TYPE temporal_request counter\ntemporal_request{operation="Poll",task_queue="${queue}"} ${value}\n`;

  test('are summed series by series, and each family is described once', () => {
    expect(mergeTexts([page(2), page(3)])).toBe(page(5));
  });

  test('have no separate series for each life of a process: its own queue loses the id', () => {
    const text = mergeTexts([page(2, 'posthorn/inc_01aa'), page(3, 'posthorn/inc_01bb')]);
    expect(text).toContain('task_queue="posthorn/process"} 5');
    expect(text).not.toContain('inc_');
  });

  test('may have series without labels, and other lines', () => {
    expect(mergeTexts(['plain 1\n\nnonsense\n', 'plain 2\n'])).toBe('plain 3\n');
  });
});
