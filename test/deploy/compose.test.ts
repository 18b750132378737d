import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { findFreePort } from '../../local/ports.ts';
import { childEnvironment, readConfig, SETTINGS } from '../../src/platform/config/config.ts';
import { codeBlocksOf, tableRowsOf } from '../docs/code-blocks.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { describeWithRedis } from '../support/service/redis.ts';
import { compose, environmentOf, interpolated, read, ROOT, services } from './compose-file.ts';
import { baseOf, readDockerfile } from './image/dockerfile.ts';
import { expectSmall, partsOf } from './image/size.ts';

describe('compose', () => {
  const PAGE = 'docs/operate/deployment.md';
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
    // Regression: 13 settings stood in a list of the test, TEMPORAL_ADDRESS was written out: a value in .env was ignored in silence.
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

  test.each(['OWN_POSTGRES', 'OWN_REDIS', 'OWN_TEMPORAL'])(
    '%s=0 leaves services out, and stands on the page',
    (name) => {
      const used = services.filter(([, { deploy }]) => deploy.replicas === `\${${name}:-1}`);
      expect(used.length).toBeGreaterThan(0);
      expect(read(PAGE)).toContain(`\`${name}=0\``);
    },
  );

  test('each image has an exact tag', () => {
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+:\S+)/gm)].map(([, image = '']) => image);
    const used = new Set([...bases, ...services.map(([, { image }]) => image)].filter((image) => image !== 'posthorn'));
    expect(bases.length).toBeGreaterThan(0);
    for (const image of used) expect(image).toMatch(EXACT);
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
});

describe('chart', () => {
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
      const drain = boundOf('src/api/http/server.ts', 'DRAIN_TIMEOUT_MS');
      expect(drain).toBe(25);
      expect(values.api.terminationGracePeriodSeconds).toBeGreaterThan(
        drain + (values.api.preStopSleepSeconds ?? 0) + 5,
      );
      expect(rolesOf(schema)['api']?.properties['terminationGracePeriodSeconds']?.minimum).toBeGreaterThan(drain + 5);
    });

    test('is longer than the drain of a worker, and no value may be shorter', () => {
      const drain = 35;
      expect(readFileSync(join(ROOT, 'docs/operate/running.md'), 'utf8')).toContain(
        `finishes and records its attempts, in at most ${drain} s`,
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
});

describe('ci run', () => {
  /**
   * Runs `.ci/run` of a folder in which npm ends every command at once: with the given code where its words are there, otherwise with 0.
   * Servers that it would install are there already.
   */
  function runWith(codes: Readonly<Record<string, number>>) {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-ci-'));
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    cpSync(join(ROOT, '.ci/run'), join(folder, '.ci/run'));
    const cases = Object.entries(codes).map(([words, code]) => `'${words}') exit ${code} ;;`);
    const npm = `[ "$1" = --version ] && exit\necho "$*" >>'${folder}/asked'\ncase "$*" in\n'test') echo 'Tests: 3 passed, 3 total' ;;\n${cases.join('\n')}\nesac`;
    for (const [name, script] of Object.entries({
      npm,
      node: 'echo v26.0.0',
      'redis-server': '',
      prometheus: '',
      pgbouncer: '',
    })) {
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(programs, name), 0o755);
    }
    const { PATH = '', ...variables } = childEnvironment();
    const { status, stdout } = spawnSync(join(folder, '.ci/run'), [], {
      env: { ...variables, PATH: `${programs}${delimiter}${PATH}` },
      encoding: 'utf8',
    });
    const lines = stdout.trimEnd().split('\n');
    return {
      status,
      last: lines.at(-1),
      lines,
      asked: readFileSync(join(folder, 'asked'), 'utf8').trimEnd().split('\n'),
    };
  }

  test('every step runs where its programs can be had', () => {
    const { status, last, asked } = runWith({});
    expect([status, last]).toEqual([0, '3 passed, 0 failed']);
    expect(asked).toEqual([
      'ci',
      'run check:static',
      'test',
      'run --silent fuzz -- --prepare',
      'run fuzz -- --seconds 120 --seed 13',
      'run --silent generators -- --prepare',
      'run generators',
      'run --silent faults -- --prepare --quick --development',
      'run faults -- --quick --development',
    ]);
  });

  test('a step whose command ends its --prepare with 69 is left out, which the end says', () => {
    const { status, last, lines, asked } = runWith({ 'run --silent fuzz -- --prepare': 69 });
    expect([status, last]).toEqual([0, '3 passed, 0 failed']);
    expect(lines.at(-2)).toMatch(/^Left out: npm run fuzz, /);
    expect(asked).not.toContain('run fuzz -- --seconds 120 --seed 13');
    expect(asked).toContain('run generators');
  });

  // Every failure of a --prepare was once taken for a missing program, and a command that could not start was left out in silence.
  test.each([1, 2, 127, 137])('a --prepare that ends with %d counts as failed', (code) => {
    const { status, last, lines, asked } = runWith({ 'run --silent faults -- --prepare --quick --development': code });
    expect([status, last]).toEqual([1, '3 passed, 1 failed']);
    expect(lines).toContain(`== npm run faults -- --prepare --quick --development: failed with ${code}`);
    expect(asked).not.toContain('run faults -- --quick --development');
  });

  test('a step that fails without a test of its own counts as one', () => {
    const { status, last } = runWith({ 'run generators': 3 });
    expect([status, last]).toEqual([1, '3 passed, 1 failed']);
  });
});

describe('image size', () => {
  const base = baseOf(readDockerfile(read('Dockerfile')));
  const tini = { from: 'tini', bytes: 1e6 };

  // Regression: the sum had our layers alone, with a bound that left a guess for the base in a comment, and nothing for tini.
  test('the size of the image is that of the stated base, of tini and of our layers together', () => {
    const layers = [
      { from: 'packages', bytes: 60e6 },
      { from: 'service', bytes: 40e6 },
    ];
    const parts = partsOf({ base, layers }, tini);
    expect(parts.map(({ bytes }) => bytes)).toEqual([80e6, 1e6, 60e6, 40e6]);
    expect(expectSmall(parts)).toBe(181e6);
  });

  test('an image of more than 250 MB is refused, and so is a base of which nobody has said how large it is', () => {
    const layers = [{ from: 'packages', bytes: 169e6 + 1 }];
    expect(() => expectSmall(partsOf({ base, layers }, tini))).toThrow('250000001 bytes, 250000000 are allowed');
    expect(() => partsOf({ base: 'node:28.0.0-bookworm-slim', layers }, tini)).toThrow(
      'must state how large node:28.0.0',
    );
  });
});

describe('redis password', () => {
  /** Each of them means something to Redis, to a shell, to sed or in a URL. */
  const PASSWORD = `a@b "c" \\d\\n %25 $HOME & 'e' #/:é`;
  const SCRIPT = 'deploy/compose/make-secrets.sh';

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-redis-password-'));
    mkdirSync(join(folder, 'deploy/compose'), { recursive: true });
    mkdirSync(join(folder, 'secrets'));
    cpSync(join(ROOT, SCRIPT), join(folder, SCRIPT));
    writeFileSync(join(folder, 'secrets/redis_password'), `${PASSWORD}\n`);
    execFileSync('sh', [join(folder, SCRIPT)], { stdio: 'ignore' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The command of the container of Redis, with the secret at its place here and another last command. */
  function commandWith(last: string): string[] {
    const [shell = '', flag = '', script = ''] = compose.services['redis']?.command ?? [];
    const ours = interpolated(script, {})
      .replace('/run/secrets/redis_password', join(folder, 'secrets/redis_password'))
      .replace('exec redis-server -', last);
    expect(ours).toContain(last);
    return [shell, flag, ours];
  }

  // Regression: the password stood in the configuration as it was, and a quote or a backslash in it ended the server with an error of
  // syntax.
  test('Redis reads its configuration as the password that was chosen, whatever stands in it', () => {
    const [shell = '', ...parameters] = commandWith('cat');
    const [line = ''] = execFileSync(shell, parameters, { encoding: 'utf8' }).split('\n');
    // Between quotes Redis reads \" and \\ as the second character, and every other character but these two as itself.
    const [, quoted] = /^requirepass "((?:[^"\\]|\\["\\])*)"$/.exec(line) ?? [];
    expect(quoted?.replaceAll(/\\(.)/g, '$1')).toBe(PASSWORD);
  });

  describeWithRedis('a Redis that docker-compose.yml starts', () => {
    let server: ChildProcess | undefined;
    afterAll(async () => {
      if (server?.pid === undefined || server.exitCode !== null) return;
      const ended = once(server, 'exit');
      // The whole group: the server is a child of the shell with the pipe.
      process.kill(-server.pid, 'SIGKILL');
      await ended;
    });

    test('lets in the URL that make-secrets.sh has made, and nobody without the password', async () => {
      const port = await findFreePort();
      const [shell = '', ...parameters] = commandWith(`exec redis-server - --port ${port} --bind 127.0.0.1`);
      server = spawn(shell, parameters, { stdio: 'ignore', cwd: folder, detached: true });
      const url = readFileSync(join(folder, 'secrets/redis_url'), 'utf8').trim();
      const redis = new Redis(url.replace('@redis:6379', `@127.0.0.1:${port}`), { retryStrategy: () => 50 });
      redis.on('error', () => undefined);
      await waitFor('an answer of Redis', async () => (await redis.ping()) === 'PONG');
      const stranger = new Redis({ port, host: '127.0.0.1' });
      stranger.on('error', () => undefined);
      await expect(stranger.ping()).rejects.toThrow('NOAUTH');
      redis.disconnect();
      stranger.disconnect();
    });
  });
});
