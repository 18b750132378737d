import { Client } from 'pg';
import { DUE_CHANNEL } from '../../../src/platform/db/waking.ts';

/**
 * Returns how often dispatchers are woken while `act` runs. PostgreSQL delivers in order, so a last notification of our own ends the
 * count.
 */
export async function countNotifications(databaseUrl: string, act: () => Promise<unknown>): Promise<number> {
  const listener = new Client({ connectionString: databaseUrl });
  await listener.connect();
  try {
    let count = 0;
    const ended = new Promise<void>((resolve) => {
      listener.on('notification', ({ payload }) => {
        if (payload === 'end of count') resolve();
        else count += 1;
      });
    });
    await listener.query(`LISTEN ${DUE_CHANNEL}`);
    await act();
    await listener.query('SELECT pg_notify($1, $2)', [DUE_CHANNEL, 'end of count']);
    await ended;
    return count;
  } finally {
    await listener.end();
  }
}
