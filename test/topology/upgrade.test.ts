import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createPool } from '../../src/platform/db/connection.ts';
import { readMigrations } from '../../src/platform/db/migrations/migrations.ts';
import { brokenPromises, untilSettled } from '../support/check/invariants.ts';
import { waitFor } from '../support/check/wait-for.ts';
import type { Publication } from '../support/world/recorder.ts';
import { createScenes, evidenceOf } from '../support/make/scene.ts';
import { BUILT } from '../support/service/ensure-built.ts';
import { buildRelease, prepareRelease, type Release, runCommand } from './release.ts';
import { startTopology } from './topology.ts';
import { PATIENT } from '../support/service/patience.ts';

const print = (line: string): void => void process.stderr.write(`${line}\n`);
const NEW: Release = { main: BUILT.main };
/** Commits that an upgrade begins with, which no clone loses as it loses tags. The first is the one that brought the baseline. */
const OLD = ['709aba2598ae11a3c5d6097134623b23909b6fb7'];
/** So many publishes are answered in each stretch of an upgrade, before the next step. */
const STRETCH = 40;
/** A publish that was begun so long before an API was told to end may still be under way then. */
const PUBLISH_TAKES_MS = 2_000;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

test.each(OLD)(
  'an upgrade from %s, and a restart behind it, under load: every publish is accepted, every message arrives, and old processes stay ready on the new schema',
  async (commit) => {
    const old = buildRelease(commit, print);
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-upgrade-'));
    ends.push(async () => rmSync(folder, { recursive: true, force: true }));
    // PostgreSQL has a user of its own, who must reach its data.
    chmodSync(folder, 0o711);
    let current = old;
    const topology = await startTopology(folder, () => undefined, {
      mainOf: () => current.main,
      prepare: async (databaseUrl, temporalAddress) => prepareRelease(old, databaseUrl, temporalAddress),
    });
    ends.push(() => topology.stop());
    const pool = createPool(topology.databaseUrl, { max: 2, ...PATIENT });
    const connection = await Connection.connect({ address: topology.temporalAddress });
    ends.push(
      () => pool.end(),
      () => connection.close(),
    );
    const scenes = createScenes(() => ({ urlOf: () => topology.url, key: topology.key }));
    ends.push(scenes.end);
    // The second subscriber fails every second message once: Temporal workflows begin at old workers and end at new ones. Failing all
    // of them would open its circuit, as a worker that has just started sees nothing but failures.
    const seen = new Set<string>();
    const failed = new Set<string>();
    const scene = await scenes.set(
      2,
      ({ path, headers }) => {
        const id = String(headers['webhook-id']);
        if (path !== '/subscriber-1' || seen.has(id)) return 200;
        seen.add(id);
        if (seen.size % 2 === 0) return 200;
        failed.add(id);
        return 500;
      },
      { retryPolicy: { maxRetries: 5, initialDelay: 2_000, maxDelay: 4_000 } },
    );
    const publishing = scene.recorder.keepPublishing(scene.channelId, {
      publishers: 3,
      pauseMs: 100,
      sizeOf: (n) => (n % 10 === 0 ? 3 : 1),
    });
    const stretch = async (): Promise<void> => {
      const begunAt = Date.now();
      const since = () =>
        scene.recorder.publications.filter(({ at, outcome }) => at >= begunAt && outcome === 'accepted');
      await waitFor('publishes to be accepted', () => since().length >= STRETCH);
      const last = since()[0]?.ids[0] ?? '';
      await waitFor('a message of this stretch to arrive', () => scene.receiver.countOf(last) > 0);
    };

    await stretch();
    const before = await applied(pool);
    runCommand(NEW, ['migrate'], topology.settings);
    const names = readMigrations().map(({ name }) => name);
    expect([...before, ...(await applied(pool)).slice(before.length)]).toEqual(names);
    await stretch();
    expect(await Promise.all(topology.apiUrls.map(stateOf))).toEqual(['ready', 'ready']);

    current = NEW;
    // An old API closes its idle connections the moment that it is told to end. The proxy may have sent a publish on one of them.
    const oldApisEnd: { from: number; until: number }[] = [];
    for (const child of [...topology.workers, ...topology.apis]) {
      const from = Date.now();
      await child.end('SIGTERM');
      if (topology.apis.includes(child)) oldApisEnd.push({ from, until: Date.now() });
      await child.begin();
      await stretch();
    }
    // Today's release is restarted the same way, and costs no publish.
    for (const child of topology.apis) {
      await child.end('SIGTERM');
      await child.begin();
      await stretch();
    }

    const publications = await publishing.stop();
    const isOfOldApi = ({ at, status }: Publication): boolean =>
      status === 502 && oldApisEnd.some(({ from, until }) => at >= from - PUBLISH_TAKES_MS && at <= until);
    const ofOldApis = publications.filter(isOfOldApi);
    const others = publications.filter((each) => each.outcome !== 'accepted' && !isOfOldApi(each));
    // At once: the reasons of a first failure are shown at the end of all tests otherwise.
    for (const { at, outcome, status, code, brokenBy } of others)
      print(`a publish of ${new Date(at).toISOString()} was ${outcome}: ${status ?? 'no status'} ${code ?? brokenBy}`);
    expect(others).toEqual([]);
    await untilSettled(pool, new Client({ connection }), scene.channelId);
    expect(await brokenPromises(evidenceOf(scene, pool))).toEqual([]);
    expect(failed.size).toBeGreaterThan(STRETCH);
    print(
      `${commit.slice(0, 7)}: ${publications.length - ofOldApis.length} publishes accepted, ${ofOldApis.length} answered 502 ` +
        `while an old API ended, ${scene.recorder.acceptedIds().length} messages, ${scene.receiver.requests.length} requests, ${names.length - before.length} migrations`,
    );
  },
  600_000,
);

async function applied(pool: ReturnType<typeof createPool>): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations ORDER BY migration_name',
  );
  return rows.map(({ name }) => name);
}

const stateOf = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/readyz`);
  // `as`: what the route answers.
  return ((await answer.json()) as { status: string }).status;
};
