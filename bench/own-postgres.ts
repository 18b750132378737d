import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../local/ports.ts';
import { type EmbeddedPostgres, startPostgres } from '../local/postgres.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** A PostgreSQL of one benchmark's own, which can be started again with other settings on the same data. */
export type OwnPostgres = {
  /** The server that runs now: its address may be another after a restart. */
  current(): EmbeddedPostgres;
  restart(settings: Readonly<Record<string, string>>): Promise<void>;
  /** Stops it and deletes its data; Ctrl-C does so too. */
  stop(): Promise<void>;
};

/** `name` stands in the data folder's name, between the other temporary ones. */
export async function startOwnPostgres(
  name: string,
  settings: Readonly<Record<string, string>>,
  onProgress: (line: string) => void,
): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), `posthorn-${name}-`));
  const start = async (given: Readonly<Record<string, string>>): Promise<EmbeddedPostgres> =>
    startPostgres({
      dataFolder: folder,
      port: await findFreePort(),
      maxConnections: 100,
      database: 'posthorn',
      settings: { ...given },
      onProgress,
    });
  let postgres = await start(settings);
  const stop = async (): Promise<void> => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  stopOnSignal(stop);
  return {
    current: () => postgres,
    async restart(given) {
      await postgres.stop();
      postgres = await start(given);
    },
    stop,
  };
}
