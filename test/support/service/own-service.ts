import { Client, Connection } from '@temporalio/client';
import type { OwnTemporal } from './own-servers.ts';
import { endAllProcesses, prepareService, type Settings } from './processes.ts';

/** The servers of one test file's roles: a migrated database, and a Temporal server of the file's own. */
export type OwnService = {
  temporal: OwnTemporal;
  client: Client;
  /** A live API key. */
  key: string;
  settings: Settings;
  /** Ends every process that a test has left running, and the Temporal server. */
  end(): Promise<void>;
};

/** `variables` are further settings of the roles; the namespace is the client's too. */
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
