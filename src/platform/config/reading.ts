import { z } from 'zod';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** A setting that cannot be used. Its message is one sentence that names the variable. */
export class ConfigError extends Error {}

/** A setting that is on or off. */
export const flagSetting = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1');

/** The items of a setting that separates them by commas, without spaces around them and without empty ones. */
export const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Form of a key's name, which stands between dots in every text that the key has sealed. */
export const ENCRYPTION_KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/** A key of 32 bytes for AES-256, named by `kid` beside everything that it has sealed. */
export type EncryptionKey = { readonly kid: string; readonly key: Buffer };

/**
 * Reads `<kid>:<base64 of 32 bytes>`, comma-separated, of the setting `name`. A kid is 1–32 letters, digits, `_` or `-`, because it
 * stands between dots in sealed texts. Throws ConfigError, which never repeats the key.
 */
export function readEncryptionKeys(text: string, name = 'ENCRYPTION_KEYS'): EncryptionKey[] {
  const keys = listOf(text).map((item) => {
    const [kid = '', encoded = ''] = item.split(':');
    const key = Buffer.from(encoded, 'base64');
    if (!ENCRYPTION_KEY_ID.test(kid) || key.length !== 32) {
      throw new ConfigError(`${name} must be <name>:<base64 of 32 bytes>, separated by commas`);
    }
    return { kid, key };
  });
  if (new Set(keys.map(({ kid }) => kid)).size !== keys.length) throw new ConfigError(`${name} names one key twice`);
  return keys;
}

/** The certificates of a Temporal cluster, as its SDK takes them. An empty object is TLS with the system's authorities. */
export type TemporalTls = {
  readonly serverRootCACertificate?: Buffer;
  readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer };
  readonly serverNameOverride?: string;
};

type Settings = Readonly<Record<string, string | undefined>>;

/** Settings that are secrets: each may stand in a file instead, which `<name>_FILE` names. */
export const SECRETS = [
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'DATABASE_URL',
  'DIRECT_DATABASE_URL',
  'TEMPORAL_API_KEY',
  'TEMPORAL_CODEC_KEYS',
  'REDIS_URL',
  'ENCRYPTION_KEYS',
] as const;

/** The contents of the files that `<name>_FILE` names, without the line break that ends a file. */
export function readSecrets(set: Settings): Record<string, string> {
  return Object.fromEntries(
    SECRETS.flatMap((name) => {
      const path = set[`${name}_FILE`];
      if (path === undefined) return [];
      if (set[name] !== undefined) throw new ConfigError(`Set ${name} or ${name}_FILE, not both`);
      const text = readSetting(`${name}_FILE`, path)
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim();
      if (text === '') throw new ConfigError(`${name}_FILE names ${path}, which is empty`);
      return [[name, text]];
    }),
  );
}

/** The TLS settings that are set, with their files read. Undefined when none is set. */
export function readTls(isOn: boolean, settings: Settings): TemporalTls | undefined {
  const {
    TEMPORAL_TLS_CA_FILE: ca,
    TEMPORAL_TLS_CERT_FILE: certificate,
    TEMPORAL_TLS_KEY_FILE: key,
    TEMPORAL_TLS_SERVER_NAME: serverName,
  } = settings;
  if ((certificate === undefined) !== (key === undefined))
    throw new ConfigError('TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE go together');
  const isWanted = isOn || [ca, certificate, serverName].some((item) => item !== undefined);
  if (!isWanted) return undefined;
  return {
    ...(ca !== undefined && { serverRootCACertificate: readPem('TEMPORAL_TLS_CA_FILE', ca) }),
    ...(certificate !== undefined &&
      key !== undefined && {
        clientCertPair: {
          crt: readPem('TEMPORAL_TLS_CERT_FILE', certificate),
          key: readPem('TEMPORAL_TLS_KEY_FILE', key),
        },
      }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
  };
}

/** The SDK would refuse another form without naming the setting. */
function readPem(name: string, path: string): Buffer {
  const bytes = readSetting(name, path);
  if (!bytes.includes('-----BEGIN ')) throw new ConfigError(`${name} names ${path}, which is no PEM file`);
  return bytes;
}

function readSetting(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(`${name} names ${path}, which cannot be read`, { cause });
  }
}

const UTF_8_MARK = '\uFEFF';

/**
 * The variables of a file `.env`. Editors on Windows begin such a file with a byte order mark, which would become part of the first
 * name. Undefined for a file that is not UTF-8: what is in it would be read as something else.
 */
export function parseEnvironmentFile(bytes: Buffer): Record<string, string> | undefined {
  try {
    // `ignoreBOM: true` keeps the mark; it is taken off below, once, wherever the decoder stands on that.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.includes('\0')) return undefined;
    const variables = parseEnv(text.startsWith(UTF_8_MARK) ? text.slice(1) : text);
    return Object.fromEntries(
      Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  } catch {
    return undefined;
  }
}
