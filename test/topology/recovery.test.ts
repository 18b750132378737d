import { afterEach, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { createPool } from '../../src/platform/db/connection.ts';
import { brokenPromises, idOf, untilSettled } from '../support/check/invariants.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createScenes, evidenceOf } from '../support/make/scene.ts';
import { BUILT } from '../support/service/ensure-built.ts';
import { useTopology } from './own-topology.ts';
import { type ArchivedPostgres, startArchivedPostgres } from './recovery/archived-postgres.ts';
import { runCommand } from './release.ts';
import { PATIENT } from '../support/service/patience.ts';

/** So many publications are accepted in each stretch, before the next step. */
const STRETCH = 40;
// Each delivery to the second subscriber fails until the restore, so its policy must outlast that.
const POLICY = { maxRetries: 20, initialDelay: 1_000, maxDelay: 4_000, backoffMultiplier: 2 };
/** Temporal still has workflows of the time that is gone. */
const NAMESPACE = { TEMPORAL_NAMESPACE: 'restored' };

let postgres: ArchivedPostgres;
const own = useTopology(() => ({
  startPostgres: async (folder) => (postgres = await startArchivedPostgres(folder)),
}));
const scenes = createScenes(() => ({ urlOf: () => own().topology.url, key: own().topology.key }));
afterEach(scenes.end);

test('a base backup under load and the archive bring back all that was accepted before a moment, and the service goes on from it', async () => {
  const { topology, pool, temporal } = own();
  const { apis, workers } = topology;
  let isMended = false;
  const scene = await scenes.set(2, ({ path }) => (path === '/subscriber-0' || isMended ? 200 : 503), {
    circuitBreaker: false,
    retryPolicy: POLICY,
  });
  const { recorder, receiver, channelId } = scene;
  const publishing = recorder.keepPublishing(channelId, {
    publishers: 3,
    pauseMs: 100,
    sizeOf: (n) => (n % 5 === 0 ? 3 : 1),
  });
  const accepted = () => recorder.publications.filter(({ outcome }) => outcome === 'accepted');
  const stretch = (): Promise<unknown> => {
    const already = accepted().length;
    return waitFor('publishes to be accepted', () => accepted().length >= already + STRETCH);
  };
  const ask = async (sql: string, values: unknown[] = []): Promise<string> => {
    const { rows } = await pool.query<{ is: string }>(sql, values);
    return rows[0]?.is ?? '';
  };

  await stretch();
  const backupFrom = Date.now();
  await postgres.takeBaseBackup();
  const backupMs = Date.now() - backupFrom;
  await stretch();
  const before = accepted();
  const moment = await ask('SELECT clock_timestamp()::text AS is');
  const { length } = recorder.publications;
  await stretch();
  // As the docs say of `archive_timeout`: nobody asks for a new segment.
  const segment = await ask('SELECT pg_walfile_name(pg_current_wal_lsn()) AS is');
  await waitFor('the archive to have the moment', async () => {
    const archived = 'SELECT (last_archived_wal >= $1)::text AS is FROM pg_stat_archiver';
    return (await ask(archived, [segment])) === 'true';
  });
  await publishing.stop();
  const after = recorder.publications.slice(length).filter(({ outcome }) => outcome === 'accepted');
  expect([before.length >= 2 * STRETCH, after.length >= STRETCH]).toEqual([true, true]);

  await postgres.crash();
  postgres.loseData();
  await Promise.all([...apis, ...workers, topology.temporal].map((child) => child.end('SIGTERM')));
  const restoreFrom = Date.now();
  await postgres.restoreTo(moment);
  const restoreMs = Date.now() - restoreFrom;

  const { rows } = await pool.query<{ id: string }>('SELECT id FROM messages WHERE channel_id = $1', [channelId]);
  const stored = new Set(rows.map(({ id }) => id));
  expect(before.flatMap(({ ids }) => ids).filter((id) => !stored.has(id))).toEqual([]);
  expect(after.flatMap(({ ids }) => ids).filter((id) => stored.has(id))).toEqual([]);

  await topology.temporal.begin();
  const settings = { ...topology.settings, ...NAMESPACE };
  runCommand({ main: BUILT.main }, ['migrate'], settings);
  isMended = true;
  const beganAt = Date.now();
  await Promise.all([...apis, ...workers].map((child) => child.begin(NAMESPACE)));
  const begunWith = recorder.publications.length;
  for (let n = 0; n < STRETCH; n += 1) await recorder.publish(channelId, n % 5 === 0 ? 3 : 1);
  const added = recorder.publications.slice(begunWith);
  expect(added.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  const restored = new Client({ connection: temporal.connection, namespace: NAMESPACE.TEMPORAL_NAMESPACE });
  await untilSettled(pool, restored, channelId);
  const settledMs = Date.now() - beganAt;

  // Messages from after the moment had arrived at the first subscriber, and are gone.
  const known = receiver.requests.filter((request) => request.at >= beganAt || stored.has(idOf(request)));
  const evidence = { ...evidenceOf(scene, pool), publications: [...before, ...added], requests: known };
  expect(await brokenPromises(evidence)).toEqual([]);
  expect(await ask(`SELECT count(*)::text AS is FROM deliveries WHERE status <> 'delivered'`)).toBe('0');
  runCommand({ main: BUILT.main }, ['doctor'], settings);
  runCommand({ main: BUILT.main }, ['audit', 'verify'], settings);

  const counts = `SELECT concat_ws(' ', (SELECT count(*) FROM messages), (SELECT count(*) FROM deliveries), (SELECT count(*) FROM attempts)) AS is`;
  const copyUrl = await postgres.copyByDump();
  runCommand({ main: BUILT.main }, ['migrate'], { ...settings, DATABASE_URL: copyUrl });
  const copy = createPool(copyUrl, { max: 1, ...PATIENT });
  try {
    expect((await copy.query<{ is: string }>(counts)).rows[0]?.is).toBe(await ask(counts));
  } finally {
    await copy.end();
  }
  process.stderr.write(
    `PostgreSQL ${postgres.version}: ${before.length} publications from before the moment are there, ${after.length} from after it are gone; ` +
      `backup ${backupMs} ms, restore ${restoreMs} ms, ${stored.size * 2} deliveries settled ${settledMs} ms after the roles began\n`,
  );
}, 400_000);
