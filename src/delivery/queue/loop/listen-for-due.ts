import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { DUE_CHANNEL } from '../../../platform/db/waking.ts';

// Between tries to listen again; polling goes on meanwhile.
const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * Keeps one connection listening, and connects again after PostgreSQL was away. `onBegin`: it listens from now on, and may have
 * missed earlier notifications. `channel` is PostgreSQL's.
 */
export function listenForDue(
  pool: Pool,
  log: Logger,
  {
    channel = DUE_CHANNEL,
    onBegin,
    onNotice,
  }: { channel?: string; onBegin: () => void; onNotice: (notice: string) => void },
): { stop(): Promise<void> } {
  let isStopped = false;
  let connection: PoolClient | undefined;
  let retry: NodeJS.Timeout | undefined;

  const listen = async (client: PoolClient): Promise<void> => {
    connection = client;
    client.on('notification', ({ payload = '' }) => onNotice(payload));
    client.on('error', (error) => lose(client, error));
    try {
      await client.query(`LISTEN ${channel}`);
      onBegin();
    } catch (error) {
      lose(client, error);
    }
  };
  // A connection that breaks within LISTEN reports it twice, by the statement and by its event. A connection whose LISTEN a standby
  // refuses is otherwise whole. Either is given back once, and one other follows it.
  const lose = (client: PoolClient, error: unknown): void => {
    if (connection !== client) return;
    connection = undefined;
    client.release(true);
    later(error);
  };
  const later = (error: unknown): void => {
    log.warn({ err: error, channel }, 'the worker does not hear of what is due; it polls, and tries to listen again');
    if (!isStopped) retry = setTimeout(() => void connect(), PAUSE_AFTER_FAILURE_MS);
  };
  const connect = async (): Promise<void> => {
    const client = await pool.connect().catch(later);
    if (client === undefined) return;
    if (isStopped) return client.release();
    await listen(client);
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
