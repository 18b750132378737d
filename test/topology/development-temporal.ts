import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { findFreePort } from '../../local/ports.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { startChild, type TopologyChild } from './child.ts';

/**
 * Temporal's development server with its store in a file of `folder`: the same server code as the cluster's, and a binary that every
 * machine with the tests has. Ready when its API answers.
 */
export async function startDevelopmentTemporal(
  port: number,
  folder: string,
  print: (line: string) => void,
): Promise<TopologyChild> {
  const binary = await findTemporalBinary({ temporalCli: readConfig().temporalCli, onProgress: print });
  const ports = ['--http-port', String(await findFreePort()), '--metrics-port', String(await findFreePort())];
  const store = ['--db-filename', join(folder, 'temporal.db'), '--sqlite-pragma', 'journal_mode=wal'];
  const command = [binary, 'server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--headless'];
  return startChild(
    'Temporal',
    [...command, ...ports, ...store, '--log-level', 'warn'],
    { logPath: join(folder, 'temporal.log') },
    async () => {
      const connection = await Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: 1_000 }).catch(
        () => undefined,
      );
      await connection?.close();
      return connection !== undefined;
    },
  );
}
