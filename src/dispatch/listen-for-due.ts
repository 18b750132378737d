import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { DUE_CHANNEL } from '../db/due.ts';

// Between tries to listen again; polling goes on meanwhile.
const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * Keeps one connection listening, and connects again after PostgreSQL was away. `onBegin`: it listens from now on, and may have
 * missed what came before.
 */
export function listenForDue(
  pool: Pool,
  log: Logger,
  { onBegin, onNotice }: { onBegin: () => void; onNotice: (notice: string) => void },
): { stop(): Promise<void> } {
  let isStopped = false;
  let connection: PoolClient | undefined;
  let retry: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    try {
      const client = await pool.connect();
      if (isStopped) return client.release();
      connection = client;
      client.on('notification', ({ payload = '' }) => onNotice(payload));
      client.on('error', (error) => {
        if (connection !== client) return;
        connection = undefined;
        client.release(true);
        log.warn({ err: error }, 'the connection that listens for due deliveries was lost');
        later();
      });
      await client.query(`LISTEN ${DUE_CHANNEL}`);
      onBegin();
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for due deliveries; polling goes on');
      later();
    }
  };
  const later = (): void => {
    if (!isStopped) retry = setTimeout(() => void connect(), PAUSE_AFTER_FAILURE_MS);
  };

  const connecting = connect();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(retry);
      await connecting;
      const client = connection;
      connection = undefined;
      client?.release(true);
    },
  };
}
