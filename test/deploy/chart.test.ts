import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { readConfig, SETTINGS } from '../../src/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHART = join(ROOT, 'deploy/helm/posthorn');
const read = (path: string): string => readFileSync(join(CHART, path), 'utf8');

type Role = { terminationGracePeriodSeconds: number; preStopSleepSeconds?: number };
type Values = {
  settings: Record<string, string>;
  secrets: Record<string, { key: string } | null>;
  api: Role;
  worker: Role;
};
// `as`: the schema beside it holds this form, and the first test asks it.
const values = parse(read('values.yaml')) as Values;
const schema = JSON.parse(read('values.schema.json')) as object;
const isGood = new Ajv({ allowUnionTypes: true }).compile(schema);

/** Settings that a pod gets from the chart itself, or has no use for, and why. */
const NOT_A_VALUE: Readonly<Record<string, string>> = {
  PORT: '`ports.api`, which the Service and the probes know too',
  METRICS_PORT: '`ports.metrics`, as PORT',
  LISTEN_HOST: 'every address of the pod, which the Service and the probes reach',
  TEMPORAL_TLS_CA_FILE: '`temporalTls.ca`',
  TEMPORAL_TLS_CERT_FILE: '`temporalTls.certificate`',
  TEMPORAL_TLS_KEY_FILE: '`temporalTls.key`',
  TEMPORAL_CLI: 'for `start` alone',
  DATA_FOLDER: 'for `start` alone',
};

test('the values of the chart fit its schema, and a name that it does not know is refused', () => {
  expect([isGood(values), isGood.errors]).toEqual([true, null]);
  expect(isGood({ ...values, settings: { LOG_LEVLE: 'info' } })).toBe(false);
  expect(isGood({ ...values, workers: {} })).toBe(false);
});

test('each setting is a value, a secret or given by the chart', () => {
  const isGiven = (name: string): boolean => name in values.settings || name in values.secrets || name in NOT_A_VALUE;
  const isSecretFile = (name: string): boolean =>
    name.endsWith('_FILE') && name.slice(0, -'_FILE'.length) in values.secrets;
  expect(SETTINGS.filter((name) => !isGiven(name) && !isSecretFile(name))).toEqual([]);
  const given = [...Object.keys(values.settings), ...Object.keys(values.secrets), ...Object.keys(NOT_A_VALUE)];
  expect(given.filter((name) => !SETTINGS.includes(name))).toEqual([]);
  expect(new Set(given).size).toBe(given.length);
});

test('a secret is no value: each can stand in a file, and none among the settings', () => {
  for (const name of Object.keys(values.secrets)) expect(SETTINGS).toContain(`${name}_FILE`);
  const hidden = SETTINGS.filter((name) => SETTINGS.includes(`${name}_FILE`));
  expect(Object.keys(values.secrets).toSorted()).toEqual(hidden.toSorted());
});

test('the settings are good ones when the address of Temporal alone is set', () => {
  const config = readConfig({ ...values.settings, TEMPORAL_ADDRESS: 'temporal:7233' });
  expect([config.processes, config.temporal.address]).toEqual([1, 'temporal:7233']);
});

describe('the time that a pod has for its end', () => {
  const boundOf = (path: string, constant: string): number => {
    const [, found] = new RegExp(`const ${constant} = ([\\d_]+);`).exec(readFileSync(join(ROOT, path), 'utf8')) ?? [];
    return Number(found?.replaceAll('_', '')) / 1000;
  };
  const rolesOf = (schemaOfAll: object): Record<string, { properties: Record<string, { minimum: number }> }> =>
    // `as`: draft 7, as the file is written.
    (schemaOfAll as { properties: Record<string, { properties: Record<string, { minimum: number }> }> }).properties;

  test('is longer than the drain of the API and the pause before it, and no value may be shorter', () => {
    const drain = boundOf('src/http/server.ts', 'DRAIN_TIMEOUT_MS');
    expect(drain).toBe(25);
    expect(values.api.terminationGracePeriodSeconds).toBeGreaterThan(drain + (values.api.preStopSleepSeconds ?? 0) + 5);
    expect(rolesOf(schema)['api']?.properties['terminationGracePeriodSeconds']?.minimum).toBeGreaterThan(drain + 5);
  });

  test('is longer than the drain of a worker, and no value may be shorter', () => {
    const drain = 35;
    expect(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')).toContain(
      `ends its tries and records them, in ${drain} s at most`,
    );
    expect(values.worker.terminationGracePeriodSeconds).toBeGreaterThan(drain);
    expect(rolesOf(schema)['worker']?.properties['terminationGracePeriodSeconds']?.minimum).toBeGreaterThan(drain);
  });
});

test('the chart has the alerts of deploy/observe themselves, and no copy', () => {
  const path = join(CHART, 'files/alerts.yml');
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(realpathSync(path)).toBe(realpathSync(join(ROOT, 'deploy/observe/alerts.yml')));
});

test('the chart is of this release', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(parse(read('Chart.yaml'))).toMatchObject({ name: 'posthorn', appVersion: version });
});
