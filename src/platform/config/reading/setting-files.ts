import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

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
