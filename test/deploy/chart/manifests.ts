import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { childEnvironment } from '../../../src/platform/config/config.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CHART = join(ROOT, 'deploy/helm/posthorn');
const TSC = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');
const { POSTHORN_CHART_HELM: helm = 'helm', POSTHORN_CHART_MODELS: models = '' } = childEnvironment();

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
};

/** The module of each kind's type and validator. */
const MODULES: Readonly<Record<string, string>> = {
  'v1 Pod': 'kubernetes-models/v1',
  'v1 Service': 'kubernetes-models/v1',
  'v1 ServiceAccount': 'kubernetes-models/v1',
  'apps/v1 Deployment': 'kubernetes-models/apps/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'kubernetes-models/autoscaling/v2',
  'batch/v1 Job': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1 Ingress': 'kubernetes-models/networking.k8s.io/v1',
  'networking.k8s.io/v1 NetworkPolicy': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1 PodDisruptionBudget': 'kubernetes-models/policy/v1',
  'keda.sh/v1alpha1 ScaledObject': '@kubernetes-models/keda/keda.sh/v1alpha1',
  'monitoring.coreos.com/v1 PrometheusRule': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  'monitoring.coreos.com/v1 ServiceMonitor': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
};

/** Renders the chart for that Kubernetes as the release `ph` in the namespace `shop`. Throws what Helm says of values that it refuses. */
export function render(values: object, kubernetes = '1.31.0'): Manifest[] {
  const { status, stdout, stderr } = spawnSync(
    helm,
    ['template', 'ph', CHART, '--namespace', 'shop', '--kube-version', kubernetes, '--values', '-'],
    { input: JSON.stringify(values), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return manifestsOf(stdout);
}

/** Renders a chart by that command of a page, which begins with `helm`, in that folder. */
export function renderBy(command: string, cwd: string): Manifest[] {
  const [, ...words] = command.split(' ');
  // A Helm that Go builds takes the cluster for one of 1.20 where there is none to ask.
  const { status, stdout, stderr } = spawnSync(helm, [...words, '--kube-version', '1.31.0'], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return manifestsOf(stdout);
}

function manifestsOf(stdout: string): Manifest[] {
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors.join('\n')}\n${stdout}`);
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

/**
 * Faults of manifests, none where all are good. The compiler finds fields that Kubernetes does not know or that are missing, and values
 * of another type; the validators find the wrong form of a text. Both look at one file.
 */
export function faultsOf(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    const module = MODULES[`${apiVersion} ${kind}`];
    if (module === undefined) throw new Error(`manifests.ts has no module for ${apiVersion} ${kind}`);
    return [
      `import { ${kind} as Model${index}, type I${kind} as Form${index} } from '${module}';`,
      `const manifest${index}: Form${index} = ${JSON.stringify(manifest)};`,
      `try { new Model${index}(manifest${index}).validate(); } catch (failure) { console.log('${kind}', String(failure)); }`,
    ].join('\n');
  });
  // Outside node_modules, where Node strips no types.
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-chart-'));
  const run = (...parameters: string[]): string[] => {
    const { stdout, stderr } = spawnSync(process.execPath, [...parameters, 'manifests.mts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  };
  try {
    symlinkSync(join(models, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'manifests.mts'), `${lines.join('\n')}\n`);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
    return [...run(TSC, ...options), ...run('--no-warnings')];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
