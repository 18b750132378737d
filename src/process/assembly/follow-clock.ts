import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { SteadyClock } from '../../platform/steady-clock.ts';

// A clock that jumps is seen at once; only one that was wrong from the beginning waits for a look.
const EVERY_MS = 30_000;
// Until the first answer has come.
const FIRST_EVERY_MS = 1_000;

/**
 * Compares the clock with PostgreSQL's, at once and every 30 s, for as long as the process lives: all processes and PostgreSQL then mean
 * the same by a due time, whatever a machine's clock shows. Writes a line when they come apart, and one when they agree again. A look that
 * fails changes nothing.
 */
export function followDatabaseClock({
  pool,
  clock,
  log,
  lookEveryMs = EVERY_MS,
}: {
  pool: Pool;
  clock: SteadyClock;
  log: Logger;
  lookEveryMs?: number;
}): { stop(): Promise<void> } {
  let isStopped = false;
  let isApart = false;
  let everyMs = FIRST_EVERY_MS;
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const askedAt = performance.now();
    const { rows } = await pool.query<{ theirs: number }>({
      name: 'read_clock',
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS theirs',
    });
    const aheadMs = clock.compare({ theirs: rows[0]?.theirs ?? Number.NaN, askedAt, answeredAt: performance.now() });
    everyMs = lookEveryMs;
    if (aheadMs !== 0 && !isApart)
      log.warn(
        { aheadMs },
        "this machine's clock differs from PostgreSQL's, whose time this process uses from now on; run a time service (NTP) on both",
      );
    if (aheadMs === 0 && isApart)
      log.info("this machine's clock agrees with PostgreSQL's again, and this process uses it");
    isApart = aheadMs !== 0;
  };
  const turn = async (): Promise<void> => {
    await look().catch(() => undefined);
    if (isStopped) return;
    timer = setTimeout(() => void (turning = turn()), everyMs);
    timer.unref();
  };
  let turning = turn();

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await turning;
    },
  };
}
