import { existsSync, readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ConfigError } from './settings/config-error.ts';
import { flag } from './settings/flag.ts';
import { readDashboardUrl } from './settings/dashboard-url.ts';
import { parseEnvironmentFile } from './settings/environment-file.ts';
import { isDecodable } from './settings/database-url.ts';
import { readSecrets, readTls, type TemporalTls } from './settings/setting-files.ts';
import { type MailSettings, readMail } from './settings/mail.ts';
import { readSingleSignOn, singleSignOnVariables, type SingleSignOnSettings } from './settings/single-sign-on.ts';
import { readTraces, type TracesSettings, tracesVariables } from './settings/traces.ts';
import { misspeltSetting, unknownSettings } from './settings/setting-names.ts';
import { parseUrl } from './kernel/parse-url.ts';
import { usableCores } from './machine.ts';

export { ConfigError } from './settings/config-error.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Form of a key's name, which stands between dots in every text that the key has sealed. */
export const ENCRYPTION_KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/** A key that seals secrets at rest: 32 bytes for AES-256, named by `kid` in every sealed text. */
export type EncryptionKey = { readonly kid: string; readonly key: Buffer };

export type TemporalConfig = {
  /** host:port. Absent: `start` runs its own server, the other roles refuse to start. */
  readonly address?: string;
  readonly namespace: string;
  readonly tls?: TemporalTls;
  readonly apiKey?: string;
};

/** Every setting, read once. Nothing else looks at the environment. */
export type Config = {
  /** 0 takes any free port. */
  readonly port: number;
  /** Port of /metrics and of probes, for every role. Absent: nothing is counted or served there. */
  readonly metricsPort?: number;
  /** PORT was set: a port in use is then an error, never replaced by another one. */
  readonly isPortChosen: boolean;
  /** Without a slash at its end. */
  readonly publicBaseUrl: string;
  /** Every DPoP proof must hold a nonce of ours. */
  readonly dpopNonces: boolean;
  /** A dashboard at another address of the same site, without a slash at its end. */
  readonly dashboardUrl?: string;
  /** Absent: links are only shown. */
  readonly mail?: MailSettings;
  /** Absent: people sign in with what this service keeps alone. */
  readonly singleSignOn?: SingleSignOnSettings;
  /** Absent: `start` runs its own PostgreSQL. */
  readonly databaseUrl?: string;
  readonly temporal: TemporalConfig;
  /** Path of the `temporal` command line tool, for the embedded server. */
  readonly temporalCli?: string;
  readonly redisUrl?: string;
  /** The first one writes; all of them read. Empty: `start` makes one in the data folder. */
  readonly encryptionKeys: readonly EncryptionKey[];
  /** Proxies in front of the service that add to X-Forwarded-For. 0 takes the address of the socket. */
  readonly trustedProxyHops: number;
  readonly webhookAllowCidrs: readonly string[];
  readonly allowHttpWebhooks: boolean;
  /** People may sign in over plain http from other machines. Loopback may anyway. */
  readonly allowHttpSignIn: boolean;
  readonly logLevel: LogLevel;
  /** Absent: nothing is traced. */
  readonly traces?: TracesSettings;
  /** Where `start` keeps its databases, keys and state; relative to the working directory. */
  readonly dataFolder: string;
  /**
   * A drain makes first tries when more than this many are due of one subscription, or five times as many in all; 0 always, off never.
   */
  readonly deliveryBurstThreshold: number | 'off';
  /** A first try that has waited for its own Temporal workflow for longer, ms, is drained too. Absent where a threshold was chosen. */
  readonly ownWorkflowWithinMs?: number;
  /** Requests in flight in one worker process, over all subscriptions. Absent: as many as its memory and file descriptors allow. */
  readonly deliveriesInFlight?: number;
  /** Service processes of one `start`, `api` or `worker`; `auto` is read as half of the cores, at least 1. */
  readonly processes: number;
};

/** Beyond this many the one process that accepts their connections has no more to give. */
const MOST_PROCESSES = 64;

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const wholeNumber = (minimum: number, maximum: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,6}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be a whole number from ${minimum} to ${maximum}`);
const urlOf = (...protocols: string[]): z.ZodType<string, string> =>
  z
    .string()
    .refine(
      (value) => protocols.includes(parseUrl(value)?.protocol ?? ''),
      `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );
const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const variables = z.object({
  PORT: wholeNumber(0, 65_535).optional(),
  METRICS_PORT: wholeNumber(1, 65_535).optional(),
  PUBLIC_BASE_URL: urlOf('http:', 'https:').optional(),
  DPOP_NONCES: flag.default(false),
  DASHBOARD_URL: urlOf('https:', 'http:').optional(),
  SMTP_URL: urlOf('smtp:', 'smtps:').optional(),
  SMTP_URL_FILE: z.string().optional(),
  MAIL_FROM: z.string().max(320).optional(),
  ...singleSignOnVariables,
  DATABASE_URL: urlOf('postgresql:', 'postgres:')
    .refine(isDecodable, 'must have %25 for % and so on in its user name and password')
    .optional(),
  DATABASE_URL_FILE: z.string().optional(),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
  TEMPORAL_API_KEY_FILE: z.string().optional(),
  TEMPORAL_TLS: flag.default(false),
  TEMPORAL_TLS_CA_FILE: z.string().optional(),
  TEMPORAL_TLS_CERT_FILE: z.string().optional(),
  TEMPORAL_TLS_KEY_FILE: z.string().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_CLI: z.string().optional(),
  REDIS_URL: urlOf('redis:', 'rediss:').optional(),
  REDIS_URL_FILE: z.string().optional(),
  ENCRYPTION_KEYS: z.string().default(''),
  ENCRYPTION_KEYS_FILE: z.string().optional(),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 10).default(0),
  WEBHOOK_ALLOW_CIDRS: z.string().default(''),
  ALLOW_HTTP_WEBHOOKS: flag.default(false),
  ALLOW_HTTP_SIGN_IN: flag.default(false),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  DATA_FOLDER: z.string().default('.data'),
  ...tracesVariables,
  DELIVERY_BURST_THRESHOLD: z
    .union([z.literal('off'), wholeNumber(0, 100_000)], 'must be off or a whole number from 0 to 100000')
    .optional(),
  DELIVERIES_IN_FLIGHT: wholeNumber(10, 100_000).optional(),
  PROCESSES: z
    .string()
    .refine(
      (value) => value === 'auto' || (/^[1-9]\d?$/.test(value) && Number(value) <= MOST_PROCESSES),
      `must be auto or a whole number from 1 to ${MOST_PROCESSES}`,
    )
    .default('auto'),
});

/** The names of all of them. */
export const SETTINGS: readonly string[] = Object.keys(variables.shape);

/**
 * Reads the settings: `environment` over `defaults` (a role's own, such as http targets for `start`). An empty value counts as not
 * set, because `NAME=` in a compose file means that. Throws ConfigError for the first value that cannot be used, and for a misspelt
 * name.
 */
export function readConfig(
  environment: EnvironmentVariables = process.env,
  defaults: EnvironmentVariables = {},
): Config {
  refuseMisspelt(environment, 'environment');
  const set = withoutEmpty(environment);
  const secrets = readSecrets(set);
  const given = Object.fromEntries(
    Object.entries({ ...defaults, ...set, ...secrets }).filter(([, value]) => value !== undefined),
  );
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0] ?? 'settings');
    const place = name in secrets ? `${name}_FILE names a file whose content` : name;
    throw new ConfigError(`${place} ${issue?.message ?? 'cannot be read'}`);
  }
  const value = parsed.data;
  const port = value.PORT ?? 3000;
  const publicBaseUrl = (value.PUBLIC_BASE_URL ?? `http://localhost:${port}`).replace(/\/+$/, '');
  const dashboardUrl = readDashboardUrl(value.DASHBOARD_URL, publicBaseUrl);
  const mail = readMail(value.SMTP_URL, value.MAIL_FROM);
  const singleSignOn = readSingleSignOn(value);
  const traces = readTraces(value);
  const tls = readTls(value.TEMPORAL_TLS, given);
  return deepFreeze({
    port,
    ...(value.METRICS_PORT !== undefined && { metricsPort: value.METRICS_PORT }),
    isPortChosen: value.PORT !== undefined,
    publicBaseUrl,
    dpopNonces: value.DPOP_NONCES,
    ...(dashboardUrl !== undefined && { dashboardUrl }),
    ...(mail !== undefined && { mail }),
    ...(singleSignOn !== undefined && { singleSignOn }),
    ...(value.DATABASE_URL !== undefined && { databaseUrl: value.DATABASE_URL }),
    temporal: {
      ...(value.TEMPORAL_ADDRESS !== undefined && { address: value.TEMPORAL_ADDRESS }),
      namespace: value.TEMPORAL_NAMESPACE,
      ...(tls !== undefined && { tls }),
      ...(value.TEMPORAL_API_KEY !== undefined && { apiKey: value.TEMPORAL_API_KEY }),
    },
    ...(value.TEMPORAL_CLI !== undefined && { temporalCli: value.TEMPORAL_CLI }),
    ...(value.REDIS_URL !== undefined && { redisUrl: value.REDIS_URL }),
    encryptionKeys: readEncryptionKeys(value.ENCRYPTION_KEYS),
    trustedProxyHops: value.TRUSTED_PROXY_HOPS,
    webhookAllowCidrs: readCidrs(value.WEBHOOK_ALLOW_CIDRS),
    allowHttpWebhooks: value.ALLOW_HTTP_WEBHOOKS,
    allowHttpSignIn: value.ALLOW_HTTP_SIGN_IN,
    logLevel: value.LOG_LEVEL,
    ...(traces !== undefined && { traces }),
    dataFolder: value.DATA_FOLDER,
    ...burstSettings(value.DELIVERY_BURST_THRESHOLD),
    ...(value.DELIVERIES_IN_FLIGHT !== undefined && { deliveriesInFlight: value.DELIVERIES_IN_FLIGHT }),
    processes: value.PROCESSES === 'auto' ? processesFor(usableCores()) : Number(value.PROCESSES),
  });
}

// A calm flow begins a workflow within some ms, and whoever looks at a screen does not see 50 ms.
const BURST_DEFAULTS = { deliveryBurstThreshold: 100, ownWorkflowWithinMs: 50 };

const burstSettings = (
  chosen: number | 'off' | undefined,
): Pick<Config, 'deliveryBurstThreshold' | 'ownWorkflowWithinMs'> =>
  chosen === undefined ? BURST_DEFAULTS : { deliveryBurstThreshold: chosen };

/**
 * Adds the settings of a file `.env` in the working directory; variables that are already set win. Throws ConfigError for a misspelt
 * name.
 */
export function readEnvironmentFile(): void {
  if (!existsSync('.env')) return;
  const found = parseEnvironmentFile(readFileSync('.env'));
  if (found === undefined) throw new ConfigError('.env must be a text in UTF-8: save it as that');
  refuseMisspelt(found, 'own file');
  for (const [name, value] of Object.entries(found)) process.env[name] ??= value;
}

/** Names in the environment that look like settings of this service and are none. */
export const ignoredSettings = (environment: EnvironmentVariables = process.env): string[] =>
  unknownSettings(environment, SETTINGS);

function refuseMisspelt(environment: EnvironmentVariables, source: 'own file' | 'environment'): void {
  const misspelt = misspeltSetting(environment, SETTINGS, source);
  if (misspelt === undefined) return;
  const place = source === 'own file' ? ' in .env' : '';
  throw new ConfigError(`${misspelt.name}${place} is no setting; did you mean ${misspelt.meant}? Correct or remove it`);
}

/** Half of the cores: PostgreSQL, Temporal and the receivers of a trial have the others. */
export const processesFor = (cores: number): number => Math.min(MOST_PROCESSES, Math.max(1, Math.floor(cores / 2)));

/** This process's variables with some added, for a child that needs them (PATH, HOME, proxies). */
export function childEnvironment(added: EnvironmentVariables = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...added };
}

/**
 * Reads `<kid>:<base64 of 32 bytes>`, comma-separated. A kid is 1–32 letters, digits, `_` or `-`, because it stands between dots in
 * sealed texts. Throws ConfigError, which never repeats the key.
 */
export function readEncryptionKeys(text: string): EncryptionKey[] {
  const keys = listOf(text).map((item) => {
    const [kid = '', encoded = ''] = item.split(':');
    const key = Buffer.from(encoded, 'base64');
    if (!ENCRYPTION_KEY_ID.test(kid) || key.length !== 32) {
      throw new ConfigError('ENCRYPTION_KEYS must be <name>:<base64 of 32 bytes>, separated by commas');
    }
    return { kid, key };
  });
  if (new Set(keys.map(({ kid }) => kid)).size !== keys.length)
    throw new ConfigError('ENCRYPTION_KEYS names one key twice');
  return keys;
}

function readCidrs(text: string): string[] {
  return listOf(text).map((cidr) => {
    if (!ipaddr.isValidCIDR(cidr))
      throw new ConfigError(`WEBHOOK_ALLOW_CIDRS has ${cidr}, which is no address range such as 10.0.0.0/8`);
    return cidr;
  });
}

const withoutEmpty = (environment: EnvironmentVariables): EnvironmentVariables =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));

/** Freezes objects and arrays all the way down. Bytes are left out: a view with elements cannot be frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
