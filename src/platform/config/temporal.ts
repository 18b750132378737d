import { type EncryptionKey, readEncryptionKeys, readTls, type TemporalTls } from './reading.ts';

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

type Given = {
  readonly TEMPORAL_ADDRESS?: string | undefined;
  readonly TEMPORAL_NAMESPACE: string;
  readonly TEMPORAL_UI_URL?: string | undefined;
  readonly TEMPORAL_API_KEY?: string | undefined;
  readonly TEMPORAL_TLS: boolean;
  readonly TEMPORAL_CODEC_KEYS: string;
};

/** `files` holds the paths of TEMPORAL_TLS_…_FILE. Throws ConfigError for one that cannot be read, and for keys that are none. */
export function readTemporal(given: Given, files: Readonly<Record<string, string | undefined>>): TemporalConfig {
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
