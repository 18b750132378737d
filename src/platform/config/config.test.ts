import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError, processesFor, readConfig, SETTINGS, readDashboardUrl } from './config.ts';
import { usableCores } from '../machine.ts';
import { parseEnvironmentFile } from './reading.ts';

const ENV_EXAMPLE = new URL('../../../.env.example', import.meta.url);
const key = Buffer.alloc(32, 7).toString('base64');
const pemOf = (name: string): string => `-----BEGIN ${name}-----`;

describe('readConfig', () => {
  test('has a default for everything except addresses', () => {
    expect(readConfig({})).toEqual({
      deliveryBurstThreshold: 100,
      ownWorkflowWithinMs: 50,
      isDashboardServed: true,
      port: 3000,
      isPortChosen: false,
      publicBaseUrl: 'http://localhost:3000',
      dpopNonces: false,
      pools: {},
      temporal: { namespace: 'default' },
      encryptionKeys: [],
      trustedProxyHops: 0,
      webhookAllowCidrs: [],
      allowHttpWebhooks: false,
      allowHttpSignIn: false,
      logLevel: 'info',
      dataFolder: '.data',
      processes: processesFor(usableCores()),
    });
  });

  test.each([
    [0.5, 1],
    [1, 1],
    [2, 1],
    [3.5, 1],
    [4, 2],
    [64, 32],
    [400, 64],
  ])('half of the cores are for service processes, and at least one is: of %d cores %d', (cores, processes) => {
    expect(processesFor(cores)).toBe(processes);
  });

  test("an empty value counts as not set, and a set value overrides the command's default", () => {
    expect(readConfig({ PORT: '', LOG_LEVEL: '' }, { LOG_LEVEL: 'warn' })).toMatchObject({
      port: 3000,
      logLevel: 'warn',
    });
    expect(readConfig({ ALLOW_HTTP_WEBHOOKS: 'false' }, { ALLOW_HTTP_WEBHOOKS: 'true' }).allowHttpWebhooks).toBe(false);
  });

  test('reads every variable', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    const file = (name: string): string => {
      writeFileSync(join(folder, name), pemOf(name));
      return join(folder, name);
    };
    const config = readConfig({
      PORT: '8080',
      PUBLIC_BASE_URL: 'https://api.example.com/',
      DATABASE_URL: 'postgresql://a:b@db/posthorn',
      TEMPORAL_ADDRESS: 'temporal:7233',
      TEMPORAL_NAMESPACE: 'webhooks',
      TEMPORAL_API_KEY: 'secret',
      TEMPORAL_CODEC_KEYS: `codec:${key}`,
      LISTEN_HOST: '::1',
      DATABASE_POOL_DELIVERY: '30',
      DATABASE_POOL_API: '4',
      TEMPORAL_TLS_CA_FILE: file('ca'),
      TEMPORAL_TLS_CERT_FILE: file('cert'),
      TEMPORAL_TLS_KEY_FILE: file('key'),
      TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com',
      TEMPORAL_CLI: '/opt/temporal',
      REDIS_URL: 'redis://redis',
      ENCRYPTION_KEYS: `new:${key}, old:${key}`,
      TRUSTED_PROXY_HOPS: '2',
      WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, fd00::/8',
      ALLOW_HTTP_WEBHOOKS: '1',
      LOG_LEVEL: 'debug',
      DATA_FOLDER: '/data',
      PROCESSES: '3',
    });
    rmSync(folder, { recursive: true });
    expect(config).toMatchObject({
      port: 8080,
      isPortChosen: true,
      publicBaseUrl: 'https://api.example.com',
      databaseUrl: 'postgresql://a:b@db/posthorn',
    });
    expect(config).toMatchObject({
      temporalCli: '/opt/temporal',
      redisUrl: 'redis://redis',
      trustedProxyHops: 2,
      webhookAllowCidrs: ['10.0.0.0/8', 'fd00::/8'],
    });
    expect(config).toMatchObject({ allowHttpWebhooks: true, logLevel: 'debug', dataFolder: '/data', processes: 3 });
    expect(config.encryptionKeys.map(({ kid, key: bytes }) => [kid, bytes.length])).toEqual([
      ['new', 32],
      ['old', 32],
    ]);
    expect(config).toMatchObject({ listenHost: '::1', pools: { statements: 30, prisma: 4 } });
    expect(config.temporal).toEqual({
      address: 'temporal:7233',
      namespace: 'webhooks',
      apiKey: 'secret',
      codecKeys: [{ kid: 'codec', key: Buffer.from(key, 'base64') }],
      tls: {
        serverRootCACertificate: Buffer.from(pemOf('ca')),
        clientCertPair: { crt: Buffer.from(pemOf('cert')), key: Buffer.from(pemOf('key')) },
        serverNameOverride: 'temporal.example.com',
      },
    });
  });

  test('DATABASE_URL is PostgreSQL itself, or PgBouncer together with DIRECT_DATABASE_URL', () => {
    const [itself, pooler] = ['postgresql://db/posthorn', 'postgresql://pooler:6432/posthorn'];
    const { databaseUrl, pooledDatabaseUrl } = readConfig({ DATABASE_URL: itself });
    expect([databaseUrl, pooledDatabaseUrl]).toEqual([itself, undefined]);
    const both = readConfig({ DATABASE_URL: pooler, DIRECT_DATABASE_URL: itself });
    expect([both.databaseUrl, both.pooledDatabaseUrl]).toEqual([itself, pooler]);
  });

  test('cannot be changed, at any depth', () => {
    const config = readConfig({ ENCRYPTION_KEYS: `a:${key}` });
    const parts = [config, config.temporal, config.encryptionKeys, config.encryptionKeys[0], config.webhookAllowCidrs];
    expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([]);
  });

  test.each([
    ['PORT', '70000', 'PORT must be a whole number from 0 to 65535'],
    ['PORT', '-1', 'PORT must be a whole number from 0 to 65535'],
    ['PORT', '80a', 'PORT must be a whole number from 0 to 65535'],
    ['PUBLIC_BASE_URL', 'api.example.com', 'PUBLIC_BASE_URL must be a URL that begins with http:// or https://'],
    [
      'DATABASE_URL',
      'postgresql://a:50%@db/posthorn',
      'DATABASE_URL must percent-encode its user name and password (%25 for %)',
    ],
    ['TEMPORAL_TLS_CA_FILE', 'package.json', 'TEMPORAL_TLS_CA_FILE names package.json, which is not a PEM file'],
    ['DATABASE_URL', 'mysql://db', 'DATABASE_URL must be a URL that begins with postgresql:// or postgres://'],
    ['TEMPORAL_ADDRESS', 'http://temporal:7233', 'TEMPORAL_ADDRESS must be host:port'],
    ['TEMPORAL_TLS', 'yes', 'TEMPORAL_TLS must be true or false'],
    ['TEMPORAL_TLS_CERT_FILE', '/cert', 'TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE must be set together'],
    ['TEMPORAL_CODEC_KEYS', 'k1', 'TEMPORAL_CODEC_KEYS must be <name>:<base64 of 32 bytes>, separated by commas'],
    ['LISTEN_HOST', 'machine', 'LISTEN_HOST must be an address of this machine, such as 127.0.0.1, or localhost'],
    ['DATABASE_POOL_DELIVERY', '7', 'DATABASE_POOL_DELIVERY must be a whole number from 8 to 1000'],
    ['DATABASE_POOL_API', '3', 'DATABASE_POOL_API must be a whole number from 4 to 1000'],
    [
      'DIRECT_DATABASE_URL',
      'postgresql://db/posthorn',
      'DIRECT_DATABASE_URL requires DATABASE_URL, which is then the URL of PgBouncer',
    ],
    ['TEMPORAL_TLS_CA_FILE', '/nowhere/ca', 'TEMPORAL_TLS_CA_FILE names /nowhere/ca, which cannot be read'],
    ['REDIS_URL', 'redis', 'REDIS_URL must be a URL that begins with redis:// or rediss://'],
    ['TRUSTED_PROXY_HOPS', '11', 'TRUSTED_PROXY_HOPS must be a whole number from 0 to 10'],
    [
      'WEBHOOK_ALLOW_CIDRS',
      '10.0.0.0',
      'WEBHOOK_ALLOW_CIDRS contains 10.0.0.0, which is not an address range such as 10.0.0.0/8',
    ],
    ['PROCESSES', '0', 'PROCESSES must be auto or a whole number from 1 to 64'],
    ['PROCESSES', '65', 'PROCESSES must be auto or a whole number from 1 to 64'],
    ['PROCESSES', 'all', 'PROCESSES must be auto or a whole number from 1 to 64'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent'],
    ['ENCRYPTION_KEYS', 'short:c2VjcmV0', 'ENCRYPTION_KEYS must be <name>:<base64 of 32 bytes>, separated by commas'],
    ['ENCRYPTION_KEYS', `a.b:${key}`, 'ENCRYPTION_KEYS must be <name>:<base64 of 32 bytes>, separated by commas'],
    ['ENCRYPTION_KEYS', `a:${key},a:${key}`, 'ENCRYPTION_KEYS must not name a key twice'],
  ])('refuses %s=%s', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(message);
  });

  describe('a secret in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };

    test('is read as if it were set, without its trailing line break', () => {
      const config = readConfig({
        DATABASE_URL_FILE: file('database', 'postgresql://a:b@db/posthorn\n'),
        REDIS_URL_FILE: file('redis', '\uFEFFredis://redis\r\n'),
        ENCRYPTION_KEYS_FILE: file('keys', `new:${key}\n`),
        TEMPORAL_API_KEY_FILE: file('api-key', 'secret\n'),
      });
      expect(config).toMatchObject({
        databaseUrl: 'postgresql://a:b@db/posthorn',
        redisUrl: 'redis://redis',
        encryptionKeys: [{ kid: 'new' }],
        temporal: { apiKey: 'secret' },
      });
    });

    test.each([
      [
        { DATABASE_URL: 'postgresql://db', DATABASE_URL_FILE: '/x' },
        'DATABASE_URL and DATABASE_URL_FILE must not both be set',
      ],
      [{ REDIS_URL_FILE: '/nowhere/redis' }, 'REDIS_URL_FILE names /nowhere/redis, which cannot be read'],
      [
        { ENCRYPTION_KEYS_FILE: file('empty', '\n') },
        `ENCRYPTION_KEYS_FILE names ${join(folder, 'empty')}, which is empty`,
      ],
      [
        { DATABASE_URL_FILE: file('wrong', 'x') },
        'DATABASE_URL_FILE names a file whose content must be a URL that begins',
      ],
    ])('is refused by the name of its setting: %j', (variables, message) => {
      expect(() => readConfig(variables)).toThrow(ConfigError);
      expect(() => readConfig(variables)).toThrow(message);
    });
  });

  test('.env.example names every setting with its default', () => {
    const lines = readFileSync(ENV_EXAMPLE, 'utf8').match(/^#?[A-Z_]+=.*$/gm) ?? [];
    const example = Object.fromEntries(lines.map((line) => line.replace('#', '').split('=') as [string, string]));
    expect(Object.keys(example).sort()).toEqual([...SETTINGS].sort());
    expect(lines).toHaveLength(SETTINGS.length);
    expect(readConfig(example)).toEqual({ ...readConfig({}), isPortChosen: true });
  });

  // Old: its defaults went over those of docker-compose.yml: with TRUSTED_PROXY_HOPS=0 all strangers had the proxy's address and its limit.
  test('.env.example sets nothing if it is copied unchanged', () => {
    const copied = parseEnvironmentFile(readFileSync(ENV_EXAMPLE));
    expect(Object.entries(copied ?? { unread: 'yes' }).filter(([, value]) => value !== '')).toEqual([]);
  });

  test('requires a sender with a mail server, and a mail server with a sender', () => {
    const [SMTP_URL, MAIL_FROM] = ['smtps://mail.example.com', 'posthorn@example.com'];
    expect(readConfig({ SMTP_URL, MAIL_FROM }).mail).toEqual({ url: SMTP_URL, from: MAIL_FROM });
    for (const half of [{ SMTP_URL }, { MAIL_FROM }]) expect(() => readConfig(half)).toThrow('set together');
    expect(() => readConfig({ SMTP_URL: 'https://mail.example.com', MAIL_FROM })).toThrow('SMTP_URL must be a URL');
  });

  test('serves the dashboard unless it is off or hosted elsewhere', () => {
    expect(readConfig({}).isDashboardServed).toBe(true);
    for (const DASHBOARD of ['off', 'false']) expect(readConfig({ DASHBOARD }).isDashboardServed).toBe(false);
    const elsewhere = { PUBLIC_BASE_URL: 'https://api.example.com', DASHBOARD_URL: 'https://dash.example.com' };
    expect(readConfig(elsewhere).isDashboardServed).toBe(false);
    expect(() => readConfig({ DASHBOARD: 'no' })).toThrow('DASHBOARD must be on or off');
  });

  test('accepts only a dashboard on its own site over https', () => {
    const PUBLIC_BASE_URL = 'https://api.example.com';
    const DASHBOARD_URL = 'https://dash.example.com/';
    expect(readConfig({ PUBLIC_BASE_URL, DASHBOARD_URL }).dashboardUrl).toBe('https://dash.example.com');
    expect(() => readConfig({ DASHBOARD_URL })).toThrow('PUBLIC_BASE_URL');
    expect(() => readConfig({ PUBLIC_BASE_URL, DASHBOARD_URL: 'https://other.example' })).toThrow('same site');
    for (const more of ['?a=b', '#a'])
      expect(() => readConfig({ PUBLIC_BASE_URL, DASHBOARD_URL: DASHBOARD_URL + more })).toThrow(
        'must not have a query',
      );
  });
});

const OWN = 'https://api.example.co.uk';

test.each([
  ['https://dash.example.co.uk/', OWN, 'https://dash.example.co.uk'],
  ['https://example.co.uk/posthorn', OWN, 'https://example.co.uk/posthorn'],
  ['https://api.example.co.uk:8443', OWN, 'https://api.example.co.uk:8443'],
  ['https://10.0.0.1:8443', 'https://10.0.0.1', 'https://10.0.0.1:8443'],
])('%s is a dashboard of %s', (given, own, expected) => {
  expect(readDashboardUrl(given, own)).toBe(expected);
});

test.each([
  ['http://dash.example.co.uk', OWN, 'https'],
  ['https://dash.example.co.uk', 'http://api.example.co.uk', 'https'],
  ['https://dash.other.co.uk', OWN, 'same site'],
  ['https://co.uk', OWN, 'same site'],
  ['https://two.github.io', 'https://one.github.io', 'same site'],
  ['https://10.0.0.2', 'https://10.0.0.1', 'same site'],
])('%s is none of %s', (given, own, problem) => {
  expect(() => readDashboardUrl(given, own)).toThrow(problem);
});

test('without the setting there are none', () => {
  expect(readDashboardUrl(undefined, OWN)).toBeUndefined();
});
