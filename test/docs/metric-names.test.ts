import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createMeters } from '../../src/observe/meters.ts';
import { readPage, ROOT, tableRowsOf } from './code-blocks.ts';

const PAGES = ['docs/troubleshooting.md', 'docs/sizing.md', 'docs/performance.md', 'docs/upgrading.md'];
const SYMPTOMS = 15;
const alerts = new Set(
  [...readFileSync(`${ROOT}deploy/observe/alerts.yml`, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name),
);

/** Ours as the table of operations.md has them, which test/observe compares with the page, and those of Node. */
const metrics = new Set([
  ...tableRowsOf('docs/operations.md', 'Metrics').map(([name = '']) => name.replaceAll('`', '')),
  ...createMeters()
    .registry.getMetricsAsArray()
    .map(({ name }) => name),
]);
const namedIn = (text: string): { metrics: string[]; alerts: string[] } => ({
  metrics: [...text.matchAll(/\b(?:posthorn|nodejs|process)_[a-z0-9_]+\b/g)].map(([name]) => name),
  alerts: [...text.matchAll(/\bPosthorn[A-Z]\w+/g)].map(([name]) => name),
});

test.each(PAGES)('%s names metrics and alerts that exist', (page) => {
  const named = namedIn(readPage(page));
  expect(named.metrics.filter((name) => !metrics.has(name))).toEqual([]);
  expect(named.alerts.filter((name) => !alerts.has(name))).toEqual([]);
});

test('each symptom names its metric and its alert, or that there is none', () => {
  const symptoms = tableRowsOf('docs/troubleshooting.md', 'Metrics and alerts of each symptom');
  expect(symptoms).toHaveLength(SYMPTOMS);
  for (const [symptom = '', metric = '', alert = ''] of symptoms) {
    expect([symptom, metric.startsWith('none') || namedIn(metric).metrics.length > 0]).toEqual([symptom, true]);
    expect([symptom, alert === 'none' || namedIn(alert).alerts.length > 0]).toEqual([symptom, true]);
  }
});

test('each alert stands beside the symptom that it tells', () => {
  const named = new Set(namedIn(readPage('docs/troubleshooting.md')).alerts);
  expect([...alerts].filter((name = '') => !named.has(name))).toEqual([]);
});

test('a name that no metric has is found', () => {
  expect(namedIn('`posthorn_no_such_total` and PosthornNoSuchAlert')).toEqual({
    metrics: ['posthorn_no_such_total'],
    alerts: ['PosthornNoSuchAlert'],
  });
  expect(metrics.has('posthorn_no_such_total')).toBe(false);
});
