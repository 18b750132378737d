import { Client, Connection } from '@temporalio/client';
import type { OwnTemporal } from './own-servers.ts';
import { endAllProcesses, prepareService, type Settings } from './processes.ts';

/** The servers for one test file's processes: a migrated database, and a Temporal server. */
export type OwnService = {
  temporal: OwnTemporal;
  client: Client;
  /** A live API key. */
  key: string;
  settings: Settings;
  /** Ends every process that a test has left running, and the Temporal server. */
  end(): Promise<void>;
};

/** `variables` are further settings of the processes; the client uses their namespace too. */
export async function prepareOwnService(
  databaseUrl: string,
  temporal: OwnTemporal & { stop(): Promise<void> },
  variables: Settings = {},
): Promise<OwnService> {
  const { key, settings } = await prepareService(databaseUrl, temporal.address);
  const connection = await Connection.connect({ address: temporal.address });
  return {
    temporal,
    client: new Client({ connection, namespace: variables['TEMPORAL_NAMESPACE'] ?? 'default' }),
    key,
    settings: { ...settings, ...variables },
    async end() {
      await endAllProcesses();
      await connection.close();
      await temporal.stop();
    },
  };
}
