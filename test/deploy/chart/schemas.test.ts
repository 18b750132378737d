import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { type Manifest, render } from './manifests.ts';
import { LEAST, VALUES } from './values.ts';

const { POSTHORN_CHART_KUBECONFORM: kubeconform = 'kubeconform', POSTHORN_CHART_SCHEMAS: schemas = '' } =
  childEnvironment();

/** The oldest Kubernetes of Chart.yaml, the one that render.test.ts asks for, and the newest that has schemas. */
const KUBERNETES = ['1.27.0', '1.31.0', '1.37.0'];
/** Kinds of operators, whose schemas no package has: render.test.ts holds them to their types. */
const OF_OPERATORS = ['ScaledObject', 'PrometheusRule', 'ServiceMonitor'];

/** Faults that kubeconform finds in each manifest, and how many manifests are valid. */
function judge(manifests: readonly Manifest[], version: string): { faults: string[]; valid: number } {
  const { error, stdout, stderr } = spawnSync(
    kubeconform,
    [
      '-strict',
      '-summary',
      '-output',
      'json',
      '-schema-location',
      join(schemas, `v${version}-local-strict`, '{{ .ResourceKind }}{{ .KindSuffix }}.json'),
      '-skip',
      OF_OPERATORS.join(','),
      '-',
    ],
    { input: manifests.map((each) => JSON.stringify(each)).join('\n---\n'), encoding: 'utf8' },
  );
  if (error !== undefined || stderr !== '') throw new Error(stderr, { cause: error });
  // `as`: kubeconform's own form.
  const { resources = [], summary } = JSON.parse(stdout) as {
    resources?: { kind: string; name: string; msg: string }[];
    summary: { valid: number };
  };
  return { faults: resources.map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`), valid: summary.valid };
}

describe.each(KUBERNETES)('on Kubernetes %s', (version) => {
  test.each(VALUES)('every manifest fits its schema with %s', (_, values) => {
    const manifests = render(values, version);
    const ours = manifests.filter(({ kind }) => !OF_OPERATORS.includes(kind));
    expect(judge(manifests, version)).toEqual({ faults: [], valid: ours.length });
  });

  test('a field that Kubernetes does not know, and a value of another type, are found', () => {
    const [first] = render(LEAST, version).filter(({ kind }) => kind === 'Deployment');
    if (first === undefined) throw new Error('There is no Deployment');
    const misspelt = JSON.parse(JSON.stringify(first).replace('"readinessProbe"', '"readynessProbe"')) as Manifest;
    const wrong = JSON.parse(JSON.stringify(first).replace(/"replicas":\d+/, '"replicas":"two"')) as Manifest;
    expect(judge([misspelt], version).faults.join()).toContain('readynessProbe');
    expect(judge([wrong], version).faults.join()).toContain('replicas');
  });
});
