import { parseEnv } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { readConfig, SETTINGS } from '../../src/config.ts';
import { codeBlocksOf, tableRowsOf } from '../docs/code-blocks.ts';
import { compose, environmentOf, interpolated, read, services } from './compose-file.ts';

const PAGE = 'docs/deployment.md';
const posthorn = services.filter(([, { image }]) => image === 'posthorn').map(([name]) => name);

/** PostgreSQL's releases have two numbers, the others three. */
const EXACT = /:\d+\.\d+\.\d+[\w.-]*$|^postgres:\d+\.\d+-\w+$/;

/** Settings that the page says are not passed on; a reason stands beside each. */
const notPassed = tableRowsOf(PAGE)
  .filter(([names = '', reason = '']) => /^`[A-Z_]+`(, `[A-Z_]+`)*$/.test(names) && reason !== '')
  .flatMap(([names = '']) => names.replaceAll('`', '').split(', '));
const passed = SETTINGS.filter((name) => !notPassed.includes(name));
/** Every setting by its own name, as a value that tells where it came from. */
const everything = Object.fromEntries(SETTINGS.map((name) => [name, `the ${name} of .env`]));
/** Compose wants a file for each secret. */
const NOT_SET = './deploy/compose/not-set';
/** `as`: a name that a text does not hold is no key of it. */
const readDotEnv = (text: string): Record<string, string> => parseEnv(text) as Record<string, string>;
const inContainer = (secret: string): string => `/run/secrets/${secret}`;
const fileOf = (secret: string, dotEnv: Record<string, string>): string =>
  interpolated(compose.secrets[secret]?.file ?? 'nowhere', dotEnv);

describe.each(posthorn)('the role %s', (name) => {
  // Old: 13 settings stood in a list of the test, TEMPORAL_ADDRESS was written out: a value in .env was ignored in silence.
  test('has every setting of .env, but those that the page names with a reason', () => {
    expect(notPassed.toSorted()).toEqual(['DATA_FOLDER', 'LISTEN_HOST', 'PORT', 'TEMPORAL_CLI']);
    const given = environmentOf(name, everything);
    expect(Object.keys(given).toSorted()).toEqual(passed.toSorted());
    for (const setting of passed.filter((each) => !each.endsWith('_FILE')))
      expect([setting, given[setting]]).toEqual([setting, everything[setting]]);
  });

  test('has each file that .env names as a secret of Compose, which mounts that very file', () => {
    const files = passed.filter((each) => each.endsWith('_FILE'));
    const secrets = files.map((setting) => setting.slice(0, -'_FILE'.length).toLowerCase());
    expect(secrets).toEqual(expect.arrayContaining(['smtp_url', 'oidc_client_secret', 'otel_exporter_otlp_headers']));
    const given = environmentOf(name, everything);
    for (const [index, secret] of secrets.entries()) {
      const setting = files[index] ?? '';
      expect([setting, given[setting]]).toEqual([setting, inContainer(secret)]);
      expect([setting, fileOf(secret, everything)]).toEqual([setting, everything[setting]]);
    }
    expect(compose.services[name]?.secrets.toSorted()).toEqual(secrets.toSorted());
  });

  test('has nothing but the secrets and the defaults of the file where .env is .env.example', () => {
    const copied = readDotEnv(read('.env.example'));
    const given = environmentOf(name, copied);
    expect(given).toEqual(environmentOf(name, {}));
    expect(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))).toEqual({
      DATABASE_URL_FILE: inContainer('database_url'),
      ENCRYPTION_KEYS_FILE: inContainer('encryption_keys'),
      REDIS_URL_FILE: inContainer('redis_url'),
      METRICS_PORT: '9464',
      PROCESSES: '1',
      PUBLIC_BASE_URL: 'http://localhost:3000',
      TEMPORAL_ADDRESS: 'temporal:7233',
      TRUSTED_PROXY_HOPS: '1',
    });
    const { DATABASE_URL_FILE: _a, ENCRYPTION_KEYS_FILE: _b, REDIS_URL_FILE: _c, ...settings } = given;
    expect(readConfig(settings).trustedProxyHops).toBe(1);
  });
});

test('Temporal Cloud needs .env alone: the example of the page reaches the workers, and no server of ours is started', () => {
  const example = codeBlocksOf(PAGE).find(({ text }) => text.includes('tmprl.cloud'))?.text ?? '';
  const dotEnv = readDotEnv(example);
  const { TEMPORAL_API_KEY_FILE: file = '', ...given } = environmentOf('worker', dotEnv);
  expect([file, fileOf('temporal_api_key', dotEnv)]).toEqual([
    inContainer('temporal_api_key'),
    './secrets/temporal_api_key',
  ]);
  const others = Object.entries(given).filter(([name]) => !name.endsWith('_FILE'));
  expect(readConfig({ ...Object.fromEntries(others), TEMPORAL_API_KEY: 'key' }).temporal).toMatchObject({
    address: dotEnv['TEMPORAL_ADDRESS'],
    namespace: dotEnv['TEMPORAL_NAMESPACE'],
    apiKey: 'key',
  });
  const without = services.filter(([, { deploy }]) => interpolated(String(deploy.replicas ?? 1), dotEnv) === '0');
  expect(without.map(([name]) => name)).toEqual(['temporal-schema', 'temporal', 'temporal-ui']);
});

test.each(['OWN_POSTGRES', 'OWN_REDIS', 'OWN_TEMPORAL'])('%s=0 leaves services out, and stands on the page', (name) => {
  const used = services.filter(([, { deploy }]) => deploy.replicas === `\${${name}:-1}`);
  expect(used.length).toBeGreaterThan(0);
  expect(read(PAGE)).toContain(`\`${name}=0\``);
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
    expect(found.read_only).toBe(true);
  });

  if (!isOneShot) test('says whether it is healthy', () => expect(found.healthcheck).toBeDefined());

  test('takes secrets from files, with no default', () => {
    for (const secret of found.secrets) expect(Object.keys(compose.secrets)).toContain(secret);
    for (const [key, value] of Object.entries(found.environment)) {
      if (/PASSWORD|SECRET|_KEYS?(_|$)/.test(key) && !key.endsWith('_FILE'))
        expect([key, value]).toEqual([key, `\${${key}:-}`]);
      const [, secret] = /\/run\/secrets\/(\w+)/.exec(value) ?? [];
      if (secret !== undefined) expect(found.secrets).toContain(secret);
    }
  });

  test('is reached from outside by the proxy alone, and by the operator on this machine', () => {
    for (const port of found.ports) expect(port).toMatch(/127\.0\.0\.1:/);
    expect(found.ports.length > 0).toBe(['proxy', 'temporal-ui'].includes(name));
  });
});

test('every secret has a maker, but those that are not needed: a file that nothing reads stands in for them', () => {
  const script = read('deploy/compose/make-secrets.sh');
  for (const name of Object.keys(compose.secrets)) {
    const file = fileOf(name, {});
    if (file === NOT_SET) continue;
    expect(file).toBe(`./secrets/${name}`);
    expect(script).toContain(`keep ${name} `);
  }
  expect(read(NOT_SET)).toContain('nothing reads it');
  expect(compose.networks['inside']).toEqual({ internal: true });
});
