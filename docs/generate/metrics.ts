import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricObject } from 'prom-client';
import { parse } from 'yaml';
import { createDatabaseGauges } from '../../src/platform/observe/database-figures.ts';
import { createMeters } from '../../src/platform/observe/meters.ts';
import { createProcessFigures } from '../../src/process/supervisor/observe.ts';
import { code, page, table } from './markdown.ts';

const INTRO = `
# Metrics

Set \`METRICS_PORT\` on every command, and \`GET /metrics\` at that port returns one Prometheus page for all its service processes. [Observability](../operate/observability.md) explains how to scrape it, and [Troubleshooting](../operate/troubleshooting.md) what to do when an alert fires.

"Alert" names the rules of \`deploy/observe/alerts.yml\` that use the metric. Histograms are exported as \`_bucket\`, \`_sum\` and \`_count\`.
`;

const COUNTED = `
## Counted by each process

The page has the sum over the service processes of the command. A process that does not respond is shown with its last values, and the counters of a process that died are kept.
`;

const READ = `
## Read from PostgreSQL

These values describe the whole deployment, so every command exports the same ones: aggregate them with \`max\`, never with \`sum\`. They are queried at most every 10 s, those of tables every minute and \`posthorn_retention_overdue_seconds\` every 5 minutes.
`;

const OTHERS = `
## Other metrics on the page

\`process_*\` and \`nodejs_*\` are the standard metrics of Node.js, summed over the processes; the event-loop lag is that of the slowest one. \`temporal_*\` are the metrics of Temporal's SDK.
`;

const ALERTS = `
## Alert rules

The rules expect a scrape job named \`posthorn\`.
`;

type Rule = { alert: string; expr: string; for?: string; labels: { severity: string } };
type Described = { name: string; help: string; type: string; labelNames: readonly string[] };

const readRules = (): Rule[] => {
  const path = join(import.meta.dirname, '../../deploy/observe/alerts.yml');
  // `as`: promtool checks the form of the file (test/observe).
  return (parse(readFileSync(path, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
};

const usesMetric = ({ expr }: Rule, name: string): boolean =>
  new RegExp(String.raw`\b${name}(?:_bucket|_sum|_count)?\b`).test(expr);

export function metricsPage(): string {
  const rules = readRules();
  const rowsOf = (metrics: readonly MetricObject[]): string[][] =>
    // `as`: prom-client declares its metrics as the values that it exports.
    (metrics as unknown as Described[])
      .filter(({ name }) => name.startsWith('posthorn_'))
      .map(({ name, help, type, labelNames }) => [
        code(name),
        type,
        labelNames.map(code).join(', '),
        help,
        rules
          .filter((rule) => usesMetric(rule, name))
          .map(({ alert }) => alert)
          .join(', '),
      ]);
  const head = ['Metric', 'Type', 'Labels', 'Meaning', 'Alert'];
  const ofProcesses = [createMeters().registry, createProcessFigures(() => []).registry];
  return page(
    'src/platform/observe, src/process/supervisor/observe.ts and deploy/observe/alerts.yml',
    INTRO,
    COUNTED,
    table(head, rowsOf(ofProcesses.flatMap((registry) => registry.getMetricsAsArray()))),
    READ,
    table(head, rowsOf(createDatabaseGauges().registry.getMetricsAsArray())),
    OTHERS,
    ALERTS,
    table(
      ['Alert', 'Severity', 'For', 'Fires when'],
      rules.map(({ alert, expr, for: lasting = 'at once', labels }) => [alert, labels.severity, lasting, code(expr)]),
    ),
  );
}
