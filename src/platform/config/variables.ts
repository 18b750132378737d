import { z } from 'zod';
import { parseUrl } from '../../kernel/values/http.ts';
import { flagSetting } from './reading.ts';
import { singleSignOnVariables } from './single-sign-on.ts';
import { tracesVariables } from './traces.ts';

/** Drivers decode both; a password with a bare % would fail there, without the name of the setting. */
function isDecodable(url: string): boolean {
  try {
    const { username, password } = new URL(url);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Folder of everything that `posthorn start` stores, relative to the folder it is started in. */
export const DEFAULT_DATA_FOLDER = '.data';

/** With more, the one process that accepts connections for all of them is the bottleneck. */
export const MOST_PROCESSES = 64;

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
const databaseUrl = urlOf('postgresql:', 'postgres:').refine(
  isDecodable,
  'must percent-encode its user name and password (%25 for %)',
);

/** Every setting as an environment variable: name, schema and default. */
export const variables = z.object({
  PORT: wholeNumber(0, 65_535).optional(),
  LISTEN_HOST: z
    .union(
      [z.ipv4(), z.ipv6(), z.literal('localhost')],
      'must be an address of this machine, such as 127.0.0.1, or localhost',
    )
    .optional(),
  METRICS_PORT: wholeNumber(1, 65_535).optional(),
  PUBLIC_BASE_URL: urlOf('http:', 'https:').optional(),
  DPOP_NONCES: flagSetting.default(false),
  // YAML reads a bare `off` as false, which arrives here as the text false.
  DASHBOARD: z
    .enum(['on', 'off', 'true', 'false'], 'must be on or off')
    .default('on')
    .transform((value) => value === 'on' || value === 'true'),
  DASHBOARD_URL: urlOf('https:', 'http:').optional(),
  SMTP_URL: urlOf('smtp:', 'smtps:').optional(),
  SMTP_URL_FILE: z.string().optional(),
  MAIL_FROM: z.string().max(320).optional(),
  ...singleSignOnVariables,
  ...tracesVariables,
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_URL_FILE: z.string().optional(),
  DIRECT_DATABASE_URL: databaseUrl.optional(),
  DIRECT_DATABASE_URL_FILE: z.string().optional(),
  DATABASE_POOL_DELIVERY: wholeNumber(8, 1_000).optional(),
  DATABASE_POOL_API: wholeNumber(4, 1_000).optional(),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_UI_URL: urlOf('https:', 'http:').optional(),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
  TEMPORAL_API_KEY_FILE: z.string().optional(),
  TEMPORAL_TLS: flagSetting.default(false),
  TEMPORAL_TLS_CA_FILE: z.string().optional(),
  TEMPORAL_TLS_CERT_FILE: z.string().optional(),
  TEMPORAL_TLS_KEY_FILE: z.string().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_CODEC_KEYS: z.string().default(''),
  TEMPORAL_CODEC_KEYS_FILE: z.string().optional(),
  TEMPORAL_CLI: z.string().optional(),
  REDIS_URL: urlOf('redis:', 'rediss:').optional(),
  REDIS_URL_FILE: z.string().optional(),
  ENCRYPTION_KEYS: z.string().default(''),
  ENCRYPTION_KEYS_FILE: z.string().optional(),
  TRUSTED_PROXY_HOPS: wholeNumber(0, 10).default(0),
  WEBHOOK_ALLOW_CIDRS: z.string().default(''),
  ALLOW_HTTP_WEBHOOKS: flagSetting.default(false),
  ALLOW_HTTP_SIGN_IN: flagSetting.default(false),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  DATA_FOLDER: z.string().default(DEFAULT_DATA_FOLDER),
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
