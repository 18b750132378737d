import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { readEncryptionKeys } from '../src/platform/config/config.ts';
import { createKeyRing, type KeyRing } from '../src/platform/credentials/key-ring.ts';
import { findFreePort } from '../local/ports.ts';
import { type EmbeddedPostgres, startPostgres } from '../local/postgres.ts';
import { type EmbeddedTemporal, startTemporal } from '../local/temporal.ts';
import { makeCertificate } from '../test/support/world/certificate.ts';
import { type Helper, startHelper } from './helper.ts';
import type { LoadCommands } from './load-process.ts';
import { type Language, openEndpoints, type Receiver, type ReceiverKind, startReceiver } from './receivers.ts';
import { AUTHORITY_FILE, type Service, type ServiceOptions, startService } from './service.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** Everything a benchmark runs on, started for this run: the two embedded servers, receiver and load generator. */
export type Rig = Receiver & {
  /** Everything of this run; removed at its end. */
  folder: string;
  postgres: EmbeddedPostgres;
  temporal: EmbeddedTemporal;
  load: Helper<LoadCommands>;
  encryptionKeys: string;
  keyRing: KeyRing;
  versions: { postgres: string; temporal: string };
  /** Makes an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Endpoints of that kind, opened the first time; the receiver in Go is started for them. All of them end with the rig. */
  openReceiver(kind: ReceiverKind): Promise<Receiver>;
  /** Starts the service on a database and on this rig; `options` replace parts of the rig. The mode is `default` unless given. */
  startService(options: Pick<ServiceOptions, 'databaseUrl'> & Partial<ServiceOptions>): Promise<Service>;
  /** Another Temporal server, with its store in a folder of that name, for as long as the rig. */
  openTemporal(name: string): Promise<EmbeddedTemporal>;
  stop(): Promise<void>;
};

// As `start` gives its own (src/process/roles/serving/infrastructure.ts).
const MAX_CONNECTIONS = 200;

/** Starts everything but the service. `settings` are PostgreSQL's, beside those of the service's own embedded one. */
export async function startRig({
  onProgress,
  language = 'node',
  settings = {},
}: {
  onProgress: (line: string) => void;
  language?: Language;
  settings?: Readonly<Record<string, string>>;
}): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  const undo: (() => Promise<void>)[] = [() => Promise.resolve(rmSync(folder, { recursive: true, force: true }))];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  stopOnSignal(stop);
  const started = <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    // Noted before it is there, because Ctrl-C may come while it starts.
    undo.push(async () => {
      const part = await starting.catch(() => undefined);
      await part?.stop();
    });
    return starting;
  };
  try {
    onProgress(`Starting PostgreSQL, Temporal, receiver and load generator in ${folder}`);
    const postgres = await started(
      startPostgres({
        dataFolder: folder,
        port: await findFreePort(),
        maxConnections: MAX_CONNECTIONS,
        database: 'posthorn',
        settings: { ...settings },
        onProgress,
      }),
    );
    const openTemporal = async (name: string): Promise<EmbeddedTemporal> =>
      started(
        startTemporal({
          dataFolder: join(folder, name),
          port: await findFreePort(),
          namespace: 'default',
          temporalCli: process.env['TEMPORAL_CLI'],
          onProgress,
        }),
      );
    const temporal = await openTemporal('here');
    const receiver = await started(startReceiver(language, folder));
    const load = await started(startHelper<LoadCommands>('load-process'));
    const own: Receiver = { receiver, endpoints: await openEndpoints(receiver) };
    const openReceiver = async (kind: ReceiverKind): Promise<Receiver> => {
      if (kind === 'plain' || kind === language) return own;
      if (kind === 'tls') return { receiver, endpoints: await openEndpoints(receiver, certificate) };
      const other = await started(startReceiver('go', folder));
      return { receiver: other, endpoints: await openEndpoints(other) };
    };
    const opened = new Map<ReceiverKind, Promise<Receiver>>();
    const certificate = makeCertificate(['127.0.0.1']);
    writeFileSync(join(folder, AUTHORITY_FILE), certificate.cert);
    const encryptionKeys = `bench:${randomBytes(32).toString('base64')}`;
    return {
      folder,
      postgres,
      temporal,
      ...own,
      load,
      encryptionKeys,
      keyRing: createKeyRing(readEncryptionKeys(encryptionKeys)),
      versions: {
        postgres: await ask(postgres.url, 'SHOW server_version'),
        temporal: await temporalVersion(temporal.address),
      },
      async createDatabase(name) {
        await ask(postgres.url, `CREATE DATABASE ${name}`);
        return postgres.url.replace(/\/[^/]*$/, `/${name}`);
      },
      openReceiver(kind) {
        const receivers = opened.get(kind) ?? openReceiver(kind);
        opened.set(kind, receivers);
        return receivers;
      },
      startService: (options) =>
        startService({ temporalAddress: temporal.address, encryptionKeys, folder, mode: 'default', ...options }),
      openTemporal,
      stop,
    };
  } catch (failure) {
    await stop();
    throw failure;
  }
}

/** The first column of the first row, as text; empty when there is none. */
async function ask(url: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array' });
    return rows[0]?.[0] ?? '';
  } finally {
    await client.end();
  }
}

async function temporalVersion(address: string): Promise<string> {
  const connection = await Connection.connect({ address });
  try {
    return (await connection.workflowService.getSystemInfo({})).serverVersion ?? '';
  } finally {
    await connection.close();
  }
}
