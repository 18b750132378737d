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

/** Every setting, read once. Nothing else looks at the environment. */
export type Config = {
  /** 0 takes any free port. */
  readonly port: number;
  /** Address at which the API and the metrics listen. Absent: every address of this machine. */
  readonly listenHost?: string;
  /** Port of /metrics and of probes, for every role. Absent: nothing is counted or served there. */
  readonly metricsPort?: number;
  /** PORT was set: a port in use is then an error, never replaced by another one. */
  readonly isPortChosen: boolean;
  /** Without a slash at its end. */
  readonly publicBaseUrl: string;
  /** Every DPoP proof must hold a nonce of ours. */
  readonly dpopNonces: boolean;
  /** The API process answers with the pages of the dashboard: not with DASHBOARD=off, and not where they live at another address. */
  readonly isDashboardServed: boolean;
  /** A dashboard at another address of the same site, without a slash at its end. */
  readonly dashboardUrl?: string;
  /** Absent: links are only shown. */
  readonly mail?: MailSettings;
  /** Absent: people sign in with what this service keeps alone. */
  readonly singleSignOn?: SingleSignOnSettings;
  /** PostgreSQL itself. Absent: `start` runs its own. */
  readonly databaseUrl?: string;
  /** PgBouncer in front of it, in its mode `transaction`: connections that need no session go there. */
  readonly pooledDatabaseUrl?: string;
  /** Connections of one service process, where they were chosen. */
  readonly pools: { readonly statements?: number; readonly prisma?: number };
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

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

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

/** DATABASE_URL is PostgreSQL itself, unless DIRECT_DATABASE_URL is. */
function readDatabaseUrls(
  url: string | undefined,
  direct: string | undefined,
): Pick<Config, 'databaseUrl' | 'pooledDatabaseUrl'> {
  if (direct === undefined) return url === undefined ? {} : { databaseUrl: url };
  if (url === undefined) throw new ConfigError('DIRECT_DATABASE_URL goes with DATABASE_URL, which is PgBouncer then');
  return { databaseUrl: direct, pooledDatabaseUrl: url };
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

/**
 * The address of a dashboard beside the API, without a slash at its end. Throws ConfigError unless both are https and of the same site:
 * browsers send the session's cookie to no other. A site is what one owner can register, by the public suffix list with its private
 * part, so that two customers of one host are two sites.
 */
export function readDashboardUrl(given: string | undefined, publicBaseUrl: string): string | undefined {
  if (given === undefined) return undefined;
  const [dashboard, own] = [parseUrl(given), parseUrl(publicBaseUrl)];
  if (dashboard?.protocol !== 'https:' || own?.protocol !== 'https:')
    throw new ConfigError('DASHBOARD_URL must begin with https://, and so must PUBLIC_BASE_URL beside it');
  if (dashboard.search !== '' || dashboard.hash !== '')
    throw new ConfigError('DASHBOARD_URL must have neither a query nor a fragment: pages are paths below it');
  if (siteOf(dashboard.hostname) !== siteOf(own.hostname))
    throw new ConfigError(
      `DASHBOARD_URL must be of the same site as PUBLIC_BASE_URL, which is ${siteOf(own.hostname)}: browsers send its cookies nowhere else`,
    );
  return given.replace(/\/+$/, '');
}

/** The registrable domain; an address, or a name without one, is a site by itself. */
const siteOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host;

/** A mail server of the operator's and the sender of every mail (identity/people/members/mailing.ts). */
export type MailSettings = { readonly url: string; readonly from: string };

/** Throws ConfigError for one of the two without the other. */
function readMail(url: string | undefined, from: string | undefined): MailSettings | undefined {
  if (url === undefined && from === undefined) return undefined;
  if (url === undefined || from === undefined) throw new ConfigError('SMTP_URL and MAIL_FROM go together');
  return { url, from };
}

/** How Temporal is reached, and the keys of what is kept in it. */
export type TemporalConfig = {
  /** host:port. Absent: `start` runs its own server, the other roles refuse to start. */
  readonly address?: string;
  readonly namespace: string;
  /** Temporal's UI, as people reach it, without a slash at its end. Absent: the dashboard leads nowhere. */
  readonly uiUrl?: string;
  readonly tls?: TemporalTls;
  readonly apiKey?: string;
  /** Encrypt everything that Temporal keeps of ours: the first one writes, all of them read. Absent: Temporal keeps it as it is. */
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

/** `files` holds the paths of TEMPORAL_TLS_…_FILE. Throws ConfigError for one that cannot be read, and for keys that are none. */
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
