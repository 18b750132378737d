import { existsSync, readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { getDomain } from 'tldts';
import {
  ConfigError,
  listOf,
  type EncryptionKey,
  readEncryptionKeys,
  readSecrets,
  parseEnvironmentFile,
  readTls,
  type TemporalTls,
} from './reading.ts';
import { readSingleSignOn, type SingleSignOnSettings } from './single-sign-on.ts';
import { readTraces, type TracesSettings } from './traces.ts';
import { misspeltSetting, unknownSettings } from './setting-names.ts';
import { type LOG_LEVELS, MOST_PROCESSES, variables } from './variables.ts';
import { usableCores } from '../machine.ts';
import { parseUrl } from '../../kernel/values/http.ts';

export { ConfigError } from './reading.ts';
export { ENCRYPTION_KEY_ID, type EncryptionKey, readEncryptionKeys } from './reading.ts';
export type LogLevel = (typeof LOG_LEVELS)[number];

/** All settings, read once. Nothing else reads the environment. */
export type Config = {
  /** 0 picks a free port. */
  readonly port: number;
  /** Address at which the API and the metrics listen. If absent, they listen on every address of this machine. */
  readonly listenHost?: string;
  /** Port of /metrics and of probes, for every command. If absent, nothing is counted or served there. */
  readonly metricsPort?: number;
  /** Whether PORT was set: a port in use is then an error and is never replaced by another one. */
  readonly isPortChosen: boolean;
  /** Without a trailing slash. */
  readonly publicBaseUrl: string;
  /** Whether every DPoP proof must contain a nonce of ours. */
  readonly dpopNonces: boolean;
  /** Whether the API serves the pages of the dashboard: not with DASHBOARD=off, and not if they are hosted elsewhere. */
  readonly isDashboardServed: boolean;
  /** A dashboard at another address of the same site, without a trailing slash. */
  readonly dashboardUrl?: string;
  /** If absent, links are only shown. */
  readonly mail?: MailSettings;
  /** If absent, users sign in only with what this service stores. */
  readonly singleSignOn?: SingleSignOnSettings;
  /** PostgreSQL itself. If absent, `start` runs an embedded one. */
  readonly databaseUrl?: string;
  /** PgBouncer in transaction mode in front of it, for connections that need no session. */
  readonly pooledDatabaseUrl?: string;
  /** Connections of one service process, if set. */
  readonly pools: { readonly statements?: number; readonly prisma?: number };
  readonly temporal: TemporalConfig;
  /** Path of the `temporal` command line tool, for the embedded server. */
  readonly temporalCli?: string;
  readonly redisUrl?: string;
  /** The first key encrypts, all of them decrypt. If empty, `start` creates one in the data folder. */
  readonly encryptionKeys: readonly EncryptionKey[];
  /** Number of proxies in front of the service that append to X-Forwarded-For. With 0, the address of the socket counts. */
  readonly trustedProxyHops: number;
  readonly webhookAllowCidrs: readonly string[];
  readonly allowHttpWebhooks: boolean;
  /** Whether users on other machines may sign in over plain http. On loopback they always may. */
  readonly allowHttpSignIn: boolean;
  readonly logLevel: LogLevel;
  /** If absent, nothing is traced. */
  readonly traces?: TracesSettings;
  /** Where `start` keeps its databases, keys and state; relative to the working directory. */
  readonly dataFolder: string;
  /**
   * The direct path takes over first attempts when more than this many are due for one subscription, or five times as many in total; 0
   * means always, off never.
   */
  readonly deliveryBurstThreshold: number | 'off';
  /**
   * A first attempt that has waited longer than this for its own Temporal workflow, in ms, is also sent directly. Absent if a threshold
   * was set.
   */
  readonly ownWorkflowWithinMs?: number;
  /** Maximum requests in flight in one worker process, over all subscriptions. If absent, memory and file descriptors decide. */
  readonly deliveriesInFlight?: number;
  /** Service processes of one `start`, `api` or `worker`; `auto` means half of the cores, at least 1. */
  readonly processes: number;
};

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(variables.shape);

/**
 * Reads the settings: `environment` over `defaults` (those of a command, such as http targets for `start`). An empty value counts as
 * not set, because `NAME=` in a compose file means that. Throws ConfigError for the first invalid value, and for a misspelt name.
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
  return deepFreeze({
    port,
    ...(value.METRICS_PORT !== undefined && { metricsPort: value.METRICS_PORT }),
    ...(value.LISTEN_HOST !== undefined && { listenHost: value.LISTEN_HOST }),
    isPortChosen: value.PORT !== undefined,
    publicBaseUrl,
    dpopNonces: value.DPOP_NONCES,
    isDashboardServed: value.DASHBOARD && dashboardUrl === undefined,
    ...(dashboardUrl !== undefined && { dashboardUrl }),
    ...(mail !== undefined && { mail }),
    ...(singleSignOn !== undefined && { singleSignOn }),
    ...readDatabaseUrls(value.DATABASE_URL, value.DIRECT_DATABASE_URL),
    pools: {
      ...(value.DATABASE_POOL_DELIVERY !== undefined && { statements: value.DATABASE_POOL_DELIVERY }),
      ...(value.DATABASE_POOL_API !== undefined && { prisma: value.DATABASE_POOL_API }),
    },
    temporal: readTemporal(value, given),
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

/** DATABASE_URL is PostgreSQL itself, unless DIRECT_DATABASE_URL is set. */
function readDatabaseUrls(
  url: string | undefined,
  direct: string | undefined,
): Pick<Config, 'databaseUrl' | 'pooledDatabaseUrl'> {
  if (direct === undefined) return url === undefined ? {} : { databaseUrl: url };
  if (url === undefined)
    throw new ConfigError('DIRECT_DATABASE_URL requires DATABASE_URL, which is then the URL of PgBouncer');
  return { databaseUrl: direct, pooledDatabaseUrl: url };
}

// Under normal load a workflow starts within a few ms, and people do not notice 50 ms.
const BURST_DEFAULTS = { deliveryBurstThreshold: 100, ownWorkflowWithinMs: 50 };

const burstSettings = (
  chosen: number | 'off' | undefined,
): Pick<Config, 'deliveryBurstThreshold' | 'ownWorkflowWithinMs'> =>
  chosen === undefined ? BURST_DEFAULTS : { deliveryBurstThreshold: chosen };

/**
 * Adds the settings of a file `.env` in the working directory; variables that are already set take precedence. Throws ConfigError for a
 * misspelt name.
 */
export function readEnvironmentFile(): void {
  if (!existsSync('.env')) return;
  const found = parseEnvironmentFile(readFileSync('.env'));
  if (found === undefined) throw new ConfigError('.env must be UTF-8 text; save it with that encoding');
  refuseMisspelt(found, 'own file');
  for (const [name, value] of Object.entries(found)) process.env[name] ??= value;
}

/** Names in the environment that look like settings of this service but are not. */
export const ignoredSettings = (environment: EnvironmentVariables = process.env): string[] =>
  unknownSettings(environment, SETTINGS);

function refuseMisspelt(environment: EnvironmentVariables, source: 'own file' | 'environment'): void {
  const misspelt = misspeltSetting(environment, SETTINGS, source);
  if (misspelt === undefined) return;
  const place = source === 'own file' ? ' in .env' : '';
  throw new ConfigError(
    `${misspelt.name}${place} is not a setting. Did you mean ${misspelt.meant}? Correct or remove it`,
  );
}

/** Half of the cores; the others are for PostgreSQL, Temporal and the receivers of a first try-out. */
export const processesFor = (cores: number): number => Math.min(MOST_PROCESSES, Math.max(1, Math.floor(cores / 2)));

/** The variables of this process plus some more, for a child process that needs them (PATH, HOME, proxies). */
export function childEnvironment(added: EnvironmentVariables = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...added };
}

function readCidrs(text: string): string[] {
  return listOf(text).map((cidr) => {
    if (!ipaddr.isValidCIDR(cidr))
      throw new ConfigError(`WEBHOOK_ALLOW_CIDRS contains ${cidr}, which is not an address range such as 10.0.0.0/8`);
    return cidr;
  });
}

const withoutEmpty = (environment: EnvironmentVariables): EnvironmentVariables =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));

/** Freezes objects and arrays recursively. Skips bytes, because a typed array with elements cannot be frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/**
 * Returns the address of a separate dashboard without a trailing slash. Throws ConfigError unless it and the API are both https and on
 * the same site, because browsers send the session cookie to no other. A site is what one owner can register according to the public
 * suffix list, including its private part, so that two customers of one host are different sites.
 */
export function readDashboardUrl(given: string | undefined, publicBaseUrl: string): string | undefined {
  if (given === undefined) return undefined;
  const [dashboard, own] = [parseUrl(given), parseUrl(publicBaseUrl)];
  if (dashboard?.protocol !== 'https:' || own?.protocol !== 'https:')
    throw new ConfigError('DASHBOARD_URL and PUBLIC_BASE_URL must both begin with https://');
  if (dashboard.search !== '' || dashboard.hash !== '')
    throw new ConfigError('DASHBOARD_URL must not have a query or a fragment, because pages are paths below it');
  if (siteOf(dashboard.hostname) !== siteOf(own.hostname))
    throw new ConfigError(
      `DASHBOARD_URL must be on the same site as PUBLIC_BASE_URL (${siteOf(own.hostname)}), because browsers send its cookies to no other site`,
    );
  return given.replace(/\/+$/, '');
}

/** The registrable domain. An IP address, or a name without such a domain, is a site by itself. */
const siteOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host;

/** The operator's mail server, and the sender of every mail (identity/people/members/mailing.ts). */
export type MailSettings = { readonly url: string; readonly from: string };

/** Throws ConfigError if only one of the two is set. */
function readMail(url: string | undefined, from: string | undefined): MailSettings | undefined {
  if (url === undefined && from === undefined) return undefined;
  if (url === undefined || from === undefined) throw new ConfigError('SMTP_URL and MAIL_FROM must be set together');
  return { url, from };
}

/** How to reach Temporal, and the keys that encrypt what it stores. */
export type TemporalConfig = {
  /** host:port. If absent, `start` runs an embedded server and the other commands refuse to start. */
  readonly address?: string;
  readonly namespace: string;
  /** Temporal's UI in a browser, without a trailing slash. If absent, the dashboard has no links to it. */
  readonly uiUrl?: string;
  readonly tls?: TemporalTls;
  readonly apiKey?: string;
  /**
   * Keys that encrypt everything Temporal stores for us: the first one encrypts, all of them decrypt. If absent, it is stored
   * unencrypted.
   */
  readonly codecKeys?: readonly EncryptionKey[];
};

type GivenTemporal = {
  readonly TEMPORAL_ADDRESS?: string | undefined;
  readonly TEMPORAL_NAMESPACE: string;
  readonly TEMPORAL_UI_URL?: string | undefined;
  readonly TEMPORAL_API_KEY?: string | undefined;
  readonly TEMPORAL_TLS: boolean;
  readonly TEMPORAL_CODEC_KEYS: string;
};

/** `files` contains the paths of TEMPORAL_TLS_…_FILE. Throws ConfigError for a file that cannot be read, and for invalid keys. */
function readTemporal(given: GivenTemporal, files: Readonly<Record<string, string | undefined>>): TemporalConfig {
  const tls = readTls(given.TEMPORAL_TLS, files);
  const codecKeys = readEncryptionKeys(given.TEMPORAL_CODEC_KEYS, 'TEMPORAL_CODEC_KEYS');
  return {
    ...(given.TEMPORAL_ADDRESS !== undefined && { address: given.TEMPORAL_ADDRESS }),
    namespace: given.TEMPORAL_NAMESPACE,
    ...(given.TEMPORAL_UI_URL !== undefined && { uiUrl: given.TEMPORAL_UI_URL.replace(/\/+$/, '') }),
    ...(tls !== undefined && { tls }),
    ...(given.TEMPORAL_API_KEY !== undefined && { apiKey: given.TEMPORAL_API_KEY }),
    ...(codecKeys.length > 0 && { codecKeys }),
  };
}
