import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig, SETTINGS } from '../../src/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  command: z.array(z.string()).optional(),
  secrets: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  deploy: z.object({ resources: z.object({ limits: z.object({ cpus: z.string(), memory: z.string() }) }) }),
  healthcheck: z.unknown().optional(),
});
const compose = z
  .object({
    services: z.record(z.string(), service),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    networks: z.record(z.string(), z.object({ internal: z.boolean().optional() }).nullable()),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
const services = Object.entries(compose.services);
const posthorn = services.filter(([, { image }]) => image === 'posthorn');

/** PostgreSQL's releases have two numbers, the others three. */
const EXACT = /:\d+\.\d+\.\d+[\w.-]*$|^postgres:\d+\.\d+-\w+$/;

/** Settings that a container of this file has no use for, and why. */
const NOT_PASSED: Readonly<Record<string, string>> = {
  PORT: 'the proxy and the health check know the port of the container',
  LISTEN_HOST: 'a container listens on all of its own addresses',
  DIRECT_DATABASE_URL: 'no PgBouncer stands before the PostgreSQL of this file',
  DIRECT_DATABASE_URL_FILE: 'as DIRECT_DATABASE_URL',
  DATA_FOLDER: 'for `start` alone',
  TEMPORAL_CLI: 'for `start` alone',
  TEMPORAL_TLS: 'the Temporal server of this file speaks plain gRPC in a network of its own',
  TEMPORAL_TLS_CA_FILE: 'as TEMPORAL_TLS',
  TEMPORAL_TLS_CERT_FILE: 'as TEMPORAL_TLS',
  TEMPORAL_TLS_KEY_FILE: 'as TEMPORAL_TLS',
  TEMPORAL_TLS_SERVER_NAME: 'as TEMPORAL_TLS',
  TEMPORAL_API_KEY: 'as TEMPORAL_TLS',
  TEMPORAL_API_KEY_FILE: 'as TEMPORAL_TLS',
};
/** A secret is passed by its own name, or as the file of a mounted secret. */
const isPassed = (name: string, given: ReadonlySet<string>): boolean =>
  given.has(name) || given.has(`${name}_FILE`) || (name.endsWith('_FILE') && given.has(name.slice(0, -'_FILE'.length)));

test.each(posthorn)('%s has every setting of .env.example, and no other', (_, { environment }) => {
  const listed = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(new Set(listed)).toEqual(new Set(SETTINGS));
  const given = new Set(Object.keys(environment));
  expect(listed.filter((name) => !isPassed(name, given) && !(name in NOT_PASSED))).toEqual([]);
  expect([...given].filter((name) => !SETTINGS.includes(name) || name in NOT_PASSED)).toEqual([]);
});

test('the settings are good ones when nothing is set beside the secrets', () => {
  for (const [name, { environment }] of posthorn) {
    const set = Object.entries(environment).flatMap(([key, value]) => {
      const [, fallback = value] = /^\$\{[A-Z_]+:-(.*)\}$/.exec(value) ?? [];
      return key.endsWith('_FILE') ? [] : [[key, fallback] as const];
    });
    expect([name, readConfig(Object.fromEntries(set)).trustedProxyHops]).toEqual([name, 1]);
  }
});

test('each image has an exact tag, and the page of deployment says where it was looked up', () => {
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+:\S+)/gm)].map(([, image = '']) => image);
  const used = new Set([...bases, ...services.map(([, { image }]) => image)].filter((image) => image !== 'posthorn'));
  expect(bases.length).toBeGreaterThan(0);
  for (const image of used) expect(image).toMatch(EXACT);
  const listed = [...read('docs/deployment.md').matchAll(/^\| `([^`\s]+:[^`\s]+)` \|/gm)].map(
    ([, image = '']) => image,
  );
  expect(listed.toSorted()).toEqual([...used].toSorted());
});

describe.each(services)('the service %s', (name, found) => {
  const isOneShot = ['migrate', 'temporal-schema'].includes(name);

  test('has limits, and no right beyond what it needs', () => {
    expect(found.deploy.resources.limits).toEqual({ cpus: expect.any(String), memory: expect.any(String) });
    expect(found.cap_drop).toEqual(['ALL']);
    expect(found.security_opt).toEqual(['no-new-privileges:true']);
    if (name !== 'temporal-ui') expect(found.read_only).toBe(true);
  });

  if (!isOneShot) test('says whether it is healthy', () => expect(found.healthcheck).toBeDefined());

  test('takes secrets from files, with no default', () => {
    for (const secret of found.secrets) expect(Object.keys(compose.secrets)).toContain(secret);
    for (const [key, value] of Object.entries(found.environment)) {
      if (/PASSWORD|SECRET|_KEYS?(_|$)/.test(key) && !key.endsWith('_FILE'))
        expect([key, value]).toEqual([key, `\${${key}:-}`]);
      if (value.startsWith('/run/secrets/')) expect(found.secrets).toContain(value.slice('/run/secrets/'.length));
    }
  });

  test('is reached from outside by the proxy alone, and by the operator on this machine', () => {
    for (const port of found.ports) expect(port).toMatch(/127\.0\.0\.1:/);
    expect(found.ports.length > 0).toBe(['proxy', 'temporal-ui'].includes(name));
  });
});

test('every secret has a maker', () => {
  const script = read('deploy/compose/make-secrets.sh');
  for (const [name, { file }] of Object.entries(compose.secrets)) {
    expect(file).toBe(`./secrets/${name}`);
    expect(script).toContain(`keep ${name} `);
  }
  expect(compose.networks['inside']).toEqual({ internal: true });
});
