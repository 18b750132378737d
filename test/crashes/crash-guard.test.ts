import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type CrashGuard, createCrashGuard, WorkIsDeadly, WorkPauses } from '../../src/platform/crashes/crash-guard.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

let database: TestDatabase;
const guards: CrashGuard[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(guards.splice(0).map((each) => each.stop()));
  await database.pool.query('DELETE FROM work_in_hand');
  await database.pool.query('DELETE FROM work_deaths');
});
afterAll(() => database.drop());

/** The guard of one process, which is ready. */
function guardOf(): CrashGuard {
  const guard = createCrashGuard({ pool: database.pool, log: createLog('silent') });
  guard.ready();
  guards.push(guard);
  return guard;
}
const never = (): Promise<never> => new Promise(() => undefined);
const deaths = async (): Promise<unknown[]> =>
  (await database.pool.query('SELECT kind, id, part, deaths FROM work_deaths ORDER BY id, part')).rows;
/** A process that dies in the middle of it: its lease runs out, and so does the pause. */
async function dieDuring(kind: 'run' | 'schedule', id: string): Promise<void> {
  const guard = createCrashGuard({ pool: database.pool, log: createLog('silent') });
  guard.ready();
  await new Promise<void>((begun, refused) => {
    guard
      .during({ kind, id, part: 'step' }, () => {
        begun();
        return never();
      })
      .catch(refused);
  });
  await guard.stop();
  await database.pool.query(
    `INSERT INTO work_in_hand VALUES ($1, $2, 'dead', now() - interval '1 second')
    ON CONFLICT DO NOTHING`,
    [kind, id],
  );
  await database.pool.query(`UPDATE work_deaths SET next_at = now() - interval '1 second', holder = 'dead'`);
}

test('work that nobody has died of leaves nothing counted', async () => {
  const guard = guardOf();
  expect(await guard.during({ kind: 'run', id: 'run_1', part: 'step' }, async () => 'done')).toBe('done');
  expect(await deaths()).toEqual([]);
});

test('the death of a suspect is counted before it is done, and taken away when the process has lived', async () => {
  await dieDuring('run', 'run_1');
  let counted: unknown[] = [];
  const work = async (): Promise<void> => {
    counted = await deaths();
  };
  await guardOf().during({ kind: 'run', id: 'run_1', part: 'step' }, work);
  expect(counted).toEqual([{ kind: 'run', id: 'run_1', part: 'step', deaths: 2 }]);
  expect(await deaths()).toEqual([]);
});

test('behind three deaths the work is not begun again; the other parts of the run are', async () => {
  for (let death = 0; death < 3; death += 1) await dieDuring('run', 'run_1');
  const begun: string[] = [];
  const doPart = (part: string): Promise<unknown> =>
    guardOf().during({ kind: 'run', id: 'run_1', part }, async () => begun.push(part));
  await expect(doPart('step')).rejects.toThrow(WorkIsDeadly);
  await doPart('another');
  expect(begun).toEqual(['another']);
});

test('a suspect pauses between its deaths, and until the process is ready', async () => {
  await dieDuring('schedule', 'wfl_1');
  await dieDuring('schedule', 'wfl_1');
  await database.pool.query(`UPDATE work_deaths SET next_at = now() + interval '5 seconds'`);
  const during = (guard: CrashGuard, kind: 'schedule' | 'inbound') =>
    guard.during({ kind, id: 'wfl_1', part: 'step' }, async () => undefined);
  await expect(during(guardOf(), 'schedule')).rejects.toThrow(WorkPauses);

  await database.pool.query(
    `INSERT INTO work_in_hand VALUES ('inbound', 'wfl_1', 'dead', now() - interval '1 second')`,
  );
  const starting = createCrashGuard({ pool: database.pool, log: createLog('silent') });
  guards.push(starting);
  await expect(during(starting, 'inbound')).rejects.toThrow(WorkPauses);
});

/** A promise, and what resolves it. */
function signal(): { promise: Promise<void>; give(): void } {
  let give = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { promise, give: () => give() };
}

test('suspects run one at a time, and one that waits for a receiver is not counted meanwhile', async () => {
  await dieDuring('run', 'run_1');
  await dieDuring('run', 'run_2');
  const guard = guardOf();
  const [answer, asked] = [signal(), signal()];
  const first = guard.during({ kind: 'run', id: 'run_1', part: 'step' }, (outside) =>
    outside(() => {
      asked.give();
      return answer.promise;
    }),
  );
  await asked.promise;
  // The first one has given up its turn: a second one starts and ends while it waits.
  await guard.during({ kind: 'run', id: 'run_2', part: 'step' }, async () => {
    expect(await deaths()).toEqual([{ kind: 'run', id: 'run_2', part: 'step', deaths: 2 }]);
  });
  expect(await deaths()).toEqual([]);
  answer.give();
  await first;
  expect(await deaths()).toEqual([]);
});

// Regression: the innocent work gave up the turn of the suspect that it was started from, whose death then was not counted.
test('work that is started from within a suspect waits for its own receiver without giving up the turn of the suspect', async () => {
  await dieDuring('run', 'run_1');
  const guard = guardOf();
  const counted = [{ kind: 'run', id: 'run_1', part: 'step', deaths: 2 }];
  await guard.during({ kind: 'run', id: 'run_1', part: 'step' }, () =>
    guard.during({ kind: 'delivery', id: 'dlv_1', isSuspect: false }, (outside) =>
      outside(async () => expect(await deaths()).toEqual(counted)),
    ),
  );
  expect(await deaths()).toEqual([]);
});

// Regression: the wait took the turn when its receiver had answered, and nothing ended that turn.
test('a wait that outlives its suspect does not keep the next suspect waiting', async () => {
  await dieDuring('run', 'run_1');
  await dieDuring('run', 'run_2');
  const guard = guardOf();
  const answer = signal();
  let outliving: Promise<void> = Promise.resolve();
  await guard.during({ kind: 'run', id: 'run_1', part: 'step' }, async (outside) => {
    outliving = outside(() => answer.promise);
  });
  answer.give();
  await outliving;
  expect(await guard.during({ kind: 'run', id: 'run_2', part: 'step' }, async () => 'done')).toBe('done');
});
