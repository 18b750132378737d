import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { readConfig, SETTINGS } from '../../../src/platform/config/config.ts';
import { blockWith } from '../../docs/code-blocks.ts';
import { faultsOf, type Manifest, render, renderBy } from './manifests.ts';
import { CPU, EVERYTHING, LEAST, VALUES } from './values.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = 'docs/operate/deployment.md';
type Container = {
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  securityContext: object;
  volumeMounts?: { mountPath: string }[];
};
type Pod = {
  spec: {
    containers: [Container];
    securityContext: object;
    terminationGracePeriodSeconds?: number;
    volumes?: unknown[];
  };
};
const found = (manifests: readonly Manifest[], kind: string, end = ''): Manifest & Record<string, unknown> => {
  const manifest = manifests.find((each) => each.kind === kind && each.metadata.name.endsWith(end));
  if (manifest === undefined) throw new Error(`There is no ${kind} …${end}`);
  // `as`: further fields are asked by those who know them.
  return manifest as Manifest & Record<string, unknown>;
};
/** Every pod: those of Deployments, of the Job, and the one of `helm test`. */
const podsOf = (manifests: readonly Manifest[]): [string, Pod][] =>
  manifests.flatMap((manifest) => {
    // `as`: only kinds with pods have them.
    const { spec } = manifest as unknown as { spec?: { template?: Pod } & Pod['spec'] };
    if (manifest.kind === 'Pod') return [[manifest.metadata.name, manifest as unknown as Pod]];
    return spec?.template === undefined ? [] : [[manifest.metadata.name, spec.template]];
  });
/** Variables of the first container, as that process would have them; a secret is its place. */
const environmentOf = ({ spec }: Pod): Record<string, string> =>
  Object.fromEntries((spec.containers[0].env ?? []).map(({ name, value }) => [name, value ?? 'a secret']));

test('the values and the command of docs/operate/deployment.md render a chart without a fault', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-chart-page-'));
  symlinkSync(join(ROOT, 'deploy'), join(folder, 'deploy'));
  writeFileSync(join(folder, 'my-values.yaml'), blockWith(PAGE, 'image: { repository:'));
  const [command = ''] = blockWith(PAGE, 'helm template posthorn').split('\n');
  const manifests = renderBy(command, folder);
  expect(manifests.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['Deployment', 'Ingress', 'Job', 'PrometheusRule', 'ServiceMonitor']),
  );
  expect(faultsOf(manifests)).toEqual([]);
  rmSync(folder, { recursive: true });
});

describe.each(VALUES)('with %s', (_, values) => {
  const manifests = render(values);

  test('every manifest is one that Kubernetes knows, without a field that it does not', () => {
    expect(faultsOf(manifests)).toEqual([]);
  });

  test('no two things of a kind have one name', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('no container is root, writes to its own file system, has a right, or holds a token of Kubernetes', () => {
    const pods = podsOf(manifests);
    expect(pods.map(([name]) => name)).toEqual(
      expect.arrayContaining(['ph-posthorn-api', 'ph-posthorn-worker', 'ph-posthorn-migrate', 'ph-posthorn-ready']),
    );
    for (const [, { spec }] of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.containers[0]).toMatchObject({ resources: { limits: { memory: expect.any(String) } } });
    }
  });

  test('the variables of each role are settings, and the service reads them', () => {
    for (const role of ['api', 'worker', 'migrate']) {
      const [, pod] = podsOf(manifests).find(([name]) => name.endsWith(role)) ?? [];
      if (pod === undefined) throw new Error(`There is no pod of ${role}`);
      const environment = environmentOf(pod);
      const extra = 'extraEnv' in values ? ['NODE_EXTRA_CA_CERTS'] : [];
      expect(Object.keys(environment).filter((name) => !SETTINGS.includes(name) && !extra.includes(name))).toEqual([]);
      // Secrets and certificates are files of the cluster, or come from it.
      const plain = Object.entries(environment).filter(
        ([name, value]) => !name.endsWith('_FILE') && value !== 'a secret',
      );
      const mail = environment['MAIL_FROM'] === undefined ? {} : { SMTP_URL: 'smtps://mail.example.com' };
      const config = readConfig({ ...Object.fromEntries(plain), ...mail });
      expect([config.port, config.metricsPort, config.temporal.address]).toEqual([3000, 9464, 'temporal:7233']);
    }
  });
});

test('a secret of every name is passed on, from its own Secret where it has one', () => {
  const [, pod] = podsOf(render(EVERYTHING)).find(([name]) => name.endsWith('api')) ?? [];
  if (pod === undefined) throw new Error('There is no API');
  const environment = environmentOf(pod);
  const files = SETTINGS.filter((name) => name.endsWith('_FILE'));
  expect(files.filter((name) => environment[name] === undefined)).toEqual([]);
  expect(pod.spec.volumes).toContainEqual({
    name: 'secrets',
    projected: {
      defaultMode: 0o440,
      sources: expect.arrayContaining([
        { secret: { name: 'orders-db-app', items: [{ key: 'uri', path: 'DATABASE_URL' }] } },
        { secret: { name: 'posthorn', items: [{ key: 'redis', path: 'REDIS_URL' }] } },
      ]) as unknown,
    },
  });
  const mounted = pod.spec.containers[0].volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
  for (const name of files) expect(mounted.some((path) => environment[name]?.startsWith(`${path}/`))).toBe(true);
});

test('secrets may be variables instead, and then nothing is mounted', () => {
  const [, pod] = podsOf(render(CPU)).find(([name]) => name.endsWith('worker')) ?? [];
  expect(pod?.spec.containers[0].env).toContainEqual({
    name: 'DATABASE_URL',
    valueFrom: { secretKeyRef: { name: 'posthorn', key: 'DATABASE_URL' } },
  });
  expect(pod?.spec.containers[0].volumeMounts).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
});

test('a setting of one role is of that role alone', () => {
  const pods = new Map(podsOf(render(EVERYTHING)));
  const levelOf = (name: string): unknown => environmentOf(pods.get(name) as Pod)['LOG_LEVEL'];
  expect([levelOf('ph-posthorn-api'), levelOf('ph-posthorn-worker')]).toEqual(['debug', undefined]);
});

test('the migration is a hook before installs and upgrades, and needs nothing of the chart', () => {
  const job = found(render(LEAST), 'Job');
  expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  expect(JSON.stringify(job)).not.toContain('serviceAccountName');
  expect(render({ ...LEAST, migrate: { enabled: false } }).some(({ kind }) => kind === 'Job')).toBe(false);
});

test('a role that scales by itself has no number of replicas, and workers follow the age of the backlog by KEDA or processors alone', () => {
  const everything = render(EVERYTHING);
  for (const role of ['api', 'worker'])
    expect(found(everything, 'Deployment', role)['spec']).not.toHaveProperty('replicas');
  expect(found(everything, 'ScaledObject')['spec']).toMatchObject({
    triggers: [
      { type: 'cpu' },
      {
        metadata: {
          query:
            'max(posthorn_oldest_due_delivery_age_seconds{job="posthorn",namespace="shop",state=~"first_attempt|retry"})',
        },
      },
    ],
  });
  expect(everything.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toHaveLength(1);
  const byProcessors = render(CPU);
  expect(byProcessors.some(({ kind }) => kind === 'ScaledObject')).toBe(false);
  expect(found(byProcessors, 'HorizontalPodAutoscaler', 'worker')['spec']).toMatchObject({ minReplicas: 2 });
});

test('the alerts are those of deploy/observe, untouched by templates, and Prometheus takes them', () => {
  const { spec } = found(render(EVERYTHING), 'PrometheusRule') as unknown as { spec: object };
  expect(spec).toEqual(parse(readFileSync(join(ROOT, 'deploy/observe/alerts.yml'), 'utf8')));
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-chart-'));
  try {
    writeFileSync(join(folder, 'rules.yml'), stringify(spec));
    const { error, status, stderr } = spawnSync('promtool', ['check', 'rules', join(folder, 'rules.yml')], {
      encoding: 'utf8',
    });
    // Without Prometheus the comparison above is enough: test/observe runs every expression of that file.
    if (error === undefined) expect([status, stderr]).toEqual([0, '']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('Helm refuses values that could not work, with a sentence that names them', () => {
  expect(() => render({})).toThrow('settings.TEMPORAL_ADDRESS must be host:port of your Temporal server');
  expect(() => render({ ...LEAST, secrets: { DATABASE_URL: null } })).toThrow(
    'secrets.DATABASE_URL must say where it stands',
  );
  expect(() => render({ ...LEAST, existingSecret: '' })).toThrow('existingSecret must name the Secret');
  expect(() => render({ settings: { ...LEAST.settings, LOG_LEVLE: 'info' } })).toThrow("'LOG_LEVLE' not allowed");
  expect(() => render({ ...LEAST, worker: { terminationGracePeriodSeconds: 30 } })).toThrow(
    'terminationGracePeriodSeconds',
  );
  expect(() => render({ ...LEAST, ingress: { enabled: true } })).toThrow(
    'ingress.host must be the name that callers use',
  );
});

test('a fault in a manifest is found', () => {
  const [first] = render(LEAST).filter(({ kind }) => kind === 'Deployment');
  if (first === undefined) throw new Error('There is no Deployment');
  const misspelt = JSON.parse(JSON.stringify(first).replace('"readinessProbe"', '"readynessProbe"')) as Manifest;
  const wrong = JSON.parse(JSON.stringify(first).replace(/"replicas":\d+/, '"replicas":"two"')) as Manifest;
  expect(faultsOf([misspelt]).join()).toContain(`'"readynessProbe"' does not exist`);
  expect(faultsOf([wrong]).join()).toContain('replicas');
});
