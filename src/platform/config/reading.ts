import { z } from 'zod';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** An invalid setting. Its message is a single sentence that names the variable. */
export class ConfigError extends Error {}

/** A setting that is on or off. */
export const flagSetting = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1');

/** The items of a comma-separated setting, trimmed and without empty ones. */
export const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Pattern of a key's name, which stands between dots in every text that the key has encrypted. */
export const ENCRYPTION_KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/** A 32-byte key for AES-256. Everything that it has encrypted contains its name `kid`. */
export type EncryptionKey = { readonly kid: string; readonly key: Buffer };

/**
 * Reads `<kid>:<base64 of 32 bytes>`, comma-separated, from the setting `name`. A kid is 1–32 letters, digits, `_` or `-`, because it
 * stands between dots in encrypted texts. Throws ConfigError, which never contains the key.
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
  if (new Set(keys.map(({ kid }) => kid)).size !== keys.length)
    throw new ConfigError(`${name} must not name a key twice`);
  return keys;
}

/** The certificates for a Temporal cluster, in the format of its SDK. An empty object is TLS with the system's authorities. */
export type TemporalTls = {
  readonly serverRootCACertificate?: Buffer;
  readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer };
  readonly serverNameOverride?: string;
};

type Settings = Readonly<Record<string, string | undefined>>;

/** Settings that are secrets: each can be in a file instead, which `<name>_FILE` names. */
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

/** The contents of the files named by `<name>_FILE`, without a trailing line break. */
export function readSecrets(set: Settings): Record<string, string> {
  return Object.fromEntries(
    SECRETS.flatMap((name) => {
      const path = set[`${name}_FILE`];
      if (path === undefined) return [];
      if (set[name] !== undefined) throw new ConfigError(`${name} and ${name}_FILE must not both be set`);
      const text = readSetting(`${name}_FILE`, path)
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim();
      if (text === '') throw new ConfigError(`${name}_FILE names ${path}, which is empty`);
      return [[name, text]];
    }),
  );
}

/** The TLS settings with their files read. Returns undefined if none is set. */
export function readTls(isOn: boolean, settings: Settings): TemporalTls | undefined {
  const {
    TEMPORAL_TLS_CA_FILE: ca,
    TEMPORAL_TLS_CERT_FILE: certificate,
    TEMPORAL_TLS_KEY_FILE: key,
    TEMPORAL_TLS_SERVER_NAME: serverName,
  } = settings;
  if ((certificate === undefined) !== (key === undefined))
    throw new ConfigError('TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE must be set together');
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

/** The SDK would reject another format without naming the setting. */
function readPem(name: string, path: string): Buffer {
  const bytes = readSetting(name, path);
  if (!bytes.includes('-----BEGIN ')) throw new ConfigError(`${name} names ${path}, which is not a PEM file`);
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
 * The variables of a `.env` file. Editors on Windows begin such a file with a byte order mark, which would become part of the first
 * name. Returns undefined for a file that is not UTF-8, whose content would be misread.
 */
export function parseEnvironmentFile(bytes: Buffer): Record<string, string> | undefined {
  try {
    // `ignoreBOM: true` keeps the mark; it is removed below, so that the result does not depend on the decoder.
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
