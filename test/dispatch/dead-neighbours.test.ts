import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLog } from '../../src/log.ts';
import { beginIncarnation } from '../../src/dispatch/recovery/incarnation.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

// Old: the host's name alone decided. A container with the same one ended the lease of a living worker, whose claims were sent twice.
test('a worker that starts ends the leases of dead processes of its machine, and of no other one with the same host name', async () => {
  const { pool } = posthorn.deps;
  const log = createLog('silent');
  const first = await beginIncarnation(pool, 'inc_first', log);
  const { rows: own } = await pool.query('SELECT host, machine FROM incarnations');
  // A process that has ended by now.
  const { pid } = spawnSync(process.execPath, ['--version']);
  const add = (id: string, machine: string | null): Promise<unknown> =>
    pool.query(
      `INSERT INTO incarnations (id, expires_at, host, pid, machine) VALUES ($1, now() + interval '1 hour', $2, $3, $4)`,
      [id, own[0]?.host, pid, machine],
    );
  await add('inc_dead', own[0]?.machine);
  await add('inc_neighbour', 'another boot pid:[1]');
  await add('inc_before_machines', null);

  const second = await beginIncarnation(pool, 'inc_second', log);

  const { rows } = await pool.query('SELECT id FROM incarnations WHERE expires_at > now() ORDER BY id');
  expect(rows.map(({ id }) => id)).toEqual(['inc_before_machines', 'inc_first', 'inc_neighbour', 'inc_second']);
  await first.end();
  await second.end();
});

// Temporal away was known to the process of that worker alone: whoever asked another one read that nothing was wrong.
test('a worker tells with its lease whether Temporal answers it, and everybody reads it in the backlog', async () => {
  const service = async () => {
    const { body } = await posthorn.request<{ service: object }>('GET', '/v1/stats/backlog');
    return body.service;
  };
  await posthorn.deps.pool.query('DELETE FROM incarnations');
  expect(await service()).toEqual({ worker: 'down', temporal: 'unknown' });
  const worker = await beginIncarnation(posthorn.deps.pool, 'inc_teller', createLog('silent'));
  expect(await service()).toEqual({ worker: 'up', temporal: 'up' });
  let isThere = false;
  worker.tellOfTemporal(() => isThere);
  // A renewal of the worker's own timer may be under way, with the word before.
  const untilTold = (temporal: string) =>
    waitFor(`Temporal to be told as ${temporal}`, async () => {
      await worker.renew();
      return isDeepStrictEqual(await service(), { worker: 'up', temporal });
    });
  await untilTold('down');
  isThere = true;
  await untilTold('up');
  await worker.end();
  expect(await service()).toEqual({ worker: 'down', temporal: 'unknown' });
});
