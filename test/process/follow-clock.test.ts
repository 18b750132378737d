import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { followDatabaseClock } from '../../src/process/assembly/follow-clock.ts';
import { createSteadyClock } from '../../src/steady-clock.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

const MINUTE = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a process on a machine with a wrong clock takes PostgreSQL’s time, says so once, and says when they agree again', async () => {
  const lines: { level: number; msg: string; aheadMs?: number }[] = [];
  // `as`: pino writes one object of JSON per line.
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  let wrongBy = 10 * MINUTE;
  const clock = createSteadyClock({ wall: () => Date.now() + wrongBy });
  const aheadOf = () => clock.now().getTime() - Date.now();
  expect(aheadOf()).toBeGreaterThan(9 * MINUTE);

  const following = followDatabaseClock({ pool: database.pool, clock, log, lookEveryMs: 10 });
  try {
    await waitFor('the clock to be right', () => Math.abs(aheadOf()) < MINUTE);
    wrongBy = 0;
    await waitFor('the clocks to agree', () => lines.length > 1);
    expect(Math.abs(aheadOf())).toBeLessThan(MINUTE);
  } finally {
    await following.stop();
  }

  expect(lines).toEqual([
    expect.objectContaining({ level: 40, msg: expect.stringContaining("differs from PostgreSQL's") }),
    expect.objectContaining({ level: 30, msg: expect.stringContaining("agrees with PostgreSQL's again") }),
  ]);
  expect(lines[0]?.aheadMs).toBeGreaterThan(9 * MINUTE);
});

test('a look that fails changes nothing, and the next one is made', async () => {
  let asked = 0;
  const pool = {
    query: async (...wanted: Parameters<typeof database.pool.query>) => {
      asked += 1;
      if (asked === 1) throw new Error('connection lost');
      return database.pool.query(...wanted);
    },
  };
  const clock = createSteadyClock({ wall: () => Date.now() - 10 * MINUTE });
  // `as`: nothing else of the pool is used.
  const following = followDatabaseClock({ pool: pool as never, clock, log: pino({ level: 'silent' }) });
  await waitFor('the clock to be right', () => Math.abs(clock.now().getTime() - Date.now()) < MINUTE);
  await following.stop();
  expect(asked).toBe(2);
});
