import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isProcess, PID_NAMESPACE } from '../../../platform/machine.ts';
import { releaseAllOf, takeOverFrom, takeOverFromUnleased } from '../../record/statements/release.ts';
import { forgetConcurrencyOf } from '../../limits/concurrency-store.ts';
import { nextTurnInMs, type Rank } from '../../../kernel/rules/rank.ts';

/** Whether the leases of all processes may have run out together, because nobody could renew any. */
type Lapse = {
  /** The lease was renewed now, for the first time or again. */
  renewed(isFirst: boolean): void;
  /** Whether this process's own lease had run out and others have had no time to renew theirs since. */
  isRecent(): boolean;
};

/**
 * Watches over the own lease of a process: `lifeMs` after a renewal it has run out. While PostgreSQL is away nobody renews, and who
 * comes back first would find all others dead. They renew within `othersRenewWithinMs`.
 */
export function createLapse(
  { lifeMs, othersRenewWithinMs }: { lifeMs: number; othersRenewWithinMs: number },
  now: () => number = () => performance.now(),
): Lapse {
  let renewedAt = now();
  let until = Number.NEGATIVE_INFINITY;
  return {
    renewed(isFirst) {
      if (!isFirst && now() - renewedAt > lifeMs) until = now() + othersRenewWithinMs;
      renewedAt = now();
    },
    isRecent: () => now() < until,
  };
}

// A lease is renewed five times within its life: one slow commit or a short pause of the process is no death.
const RENEW_EVERY_MS = 2_000;
const LIFE_SECONDS = 10;
// Every other process has renewed its lease by then, and so knows of this one. A renewal may take half a second.
const NEW_FOR_MS = RENEW_EVERY_MS + 500;
// Time between looks for claims of dead incarnations, ms.
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

// Incarnations of this very process. A dead one of an earlier process may have the same machine and pid as a living one.
const ownIds = new Set<string>();
const ownLapse = createLapse({ lifeMs: LIFE_SECONDS * 1_000, othersRenewWithinMs: 2 * RENEW_EVERY_MS + 500 });

export type Incarnation = {
  id: string;
  /** This process among the living ones, as of its last renewal (at most 2 s ago). */
  rank(): Rank;
  /** Ms until this process's next turn of a look that all living ones together make every so many ms. */
  lookInMs(everyMs: number): number;
  /** Renews the lease now, because the number of living processes may have changed. */
  renew(): Promise<void>;
  /** Called when fewer processes live than before: one has ended, or is dead. */
  onFewer(listener: () => void): void;
  /** Each renewal tells whether Temporal answers this process, for those who look at the service. */
  tellOfTemporal(isThere: () => boolean): void;
  end(): Promise<void>;
};

// The time is PostgreSQL's, because the clocks of several hosts differ.
const RENEW = `
  INSERT INTO incarnations (id, expires_at, host, pid, machine, is_temporal_away)
  VALUES ($1, now() + make_interval(secs => $2), $3, $4, $5, $6)
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, is_temporal_away = excluded.is_temporal_away
  RETURNING (SELECT count(*)::int FROM incarnations i WHERE i.id < $1 AND i.expires_at > now()) AS earlier,
    (SELECT count(*)::int FROM incarnations i WHERE i.id > $1 AND i.expires_at > now()) AS later,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "timeMs"`;

type Renewed = { earlier: number; later: number; timeMs: number };

/**
 * Registers this process as one that may hold deliveries, and keeps its lease. `end` gives back its claims, so that others need not
 * wait for the end of the lease.
 */
export async function beginIncarnation(pool: Pool, id: string, log: Logger): Promise<Incarnation> {
  let [at, of, clockAheadMs] = [0, 1, 0];
  let isFirst = true;
  let fewer = (): void => undefined;
  let isTemporalThere = (): boolean => true;
  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const values = [id, LIFE_SECONDS, hostname(), process.pid, PID_NAMESPACE, !isTemporalThere()];
    const { rows } = await pool.query<Renewed>({ name: 'renew_lease', text: RENEW, values });
    const [renewed] = rows;
    if (renewed === undefined) return;
    ownLapse.renewed(isFirst);
    isFirst = false;
    clockAheadMs = renewed.timeMs - (askedAt + performance.now()) / 2;
    const before = of;
    at = renewed.earlier;
    of = renewed.earlier + 1 + renewed.later;
    if (of < before) fewer();
  };
  ownIds.add(id);
  await endDeadOfThisMachine(pool);
  await renew();
  const newUntil = of > 1 ? performance.now() + NEW_FOR_MS : 0;
  const timer = setInterval(() => {
    renew().catch((error: unknown) =>
      log.warn({ err: error }, 'the lease of this worker could not be renewed; it tries again before the lease ends'),
    );
  }, RENEW_EVERY_MS);
  const rank = (): Rank => ({ at, of, isNew: of > 1 && performance.now() < newUntil });
  return {
    id,
    rank,
    lookInMs: (everyMs) => nextTurnInMs(rank(), performance.now() + clockAheadMs, everyMs),
    renew,
    onFewer(listener) {
      fewer = listener;
    },
    tellOfTemporal(isThere) {
      isTemporalThere = isThere;
    },
    async end() {
      clearInterval(timer);
      ownIds.delete(id);
      await releaseAllOf(pool, id);
      await forgetConcurrencyOf(pool, [id]);
      await pool.query('DELETE FROM incarnations WHERE id = $1', [id]);
    },
  };
}

/** A process killed on this machine need not be waited for: its claims are due again at the next look. */
async function endDeadOfThisMachine(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string; pid: number }>(
    'SELECT id, pid FROM incarnations WHERE machine = $1',
    [PID_NAMESPACE],
  );
  const dead = rows.filter(({ id, pid }) => (pid === process.pid ? !ownIds.has(id) : !isProcess(pid)));
  await endLeasesOf(
    pool,
    dead.map(({ id }) => id),
  );
}

/**
 * Ends the leases of incarnations that are known to be dead, so that nobody waits for the ends. The rows stay as long as any dead
 * incarnation's do, so that others look for its claims.
 */
export async function endLeasesOf(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query('UPDATE incarnations SET expires_at = now() WHERE id = ANY ($1::text[]) AND expires_at > now()', [
    ids,
  ]);
}

/**
 * Frees the claims of dead incarnations, known or not, and removes their reports. Deliveries of this process stay with it: after a
 * pause longer than a lease it would otherwise claim its own deliveries a second time. Reads all held rows. Returns how many are
 * due again. Behind a lapse of this process's own lease the others are not called dead yet.
 */
export async function takeOverFromDead(pool: Pool, lapse: Pick<Lapse, 'isRecent'> = ownLapse): Promise<number> {
  if (lapse.isRecent()) return 0;
  const dueAgain = await takeOverFromUnleased(pool, [...ownIds]);
  await pool.query(
    `DELETE FROM subscription_concurrency WHERE incarnation_id <> ALL ($1::text[])
       AND incarnation_id NOT IN (SELECT id FROM incarnations WHERE expires_at > now())`,
    [[...ownIds]],
  );
  await pool.query(`DELETE FROM incarnations WHERE expires_at < now() - interval '1 hour'`);
  return dueAgain;
}

/**
 * Frees, call by call, the claims of incarnations that died in the last hour, and removes their reports. Each dead one is looked
 * for again after 2, 4, 8 s and so on, up to a minute, because one of its statements may have been committed after its death. A
 * call with nothing new reads no deliveries, however many were held while a snapshot was open. Returns how many are due again. Behind a
 * lapse of this process's own lease the others are not called dead yet.
 */
export function createTakeOver(pool: Pool, lapse: Pick<Lapse, 'isRecent'> = ownLapse): () => Promise<number> {
  const looked = new Map<string, { nextAt: number; restMs: number }>();
  return async () => {
    if (lapse.isRecent()) return 0;
    const { rows } = await pool.query<{ id: string; expiredAt: Date }>({
      name: 'dead_incarnations',
      text: `SELECT id, expires_at AS "expiredAt" FROM incarnations WHERE expires_at <= now() AND id <> ALL ($1::text[])`,
      values: [[...ownIds]],
    });
    // An incarnation that came to life again and died once more counts as another one.
    const dead = new Map(rows.map(({ id, expiredAt }) => [`${id} ${expiredAt.getTime()}`, id]));
    for (const key of looked.keys()) if (!dead.has(key)) looked.delete(key);
    const due = [...dead].filter(([key]) => performance.now() >= (looked.get(key)?.nextAt ?? 0));
    if (due.length === 0) return 0;
    const ids = due.map(([, id]) => id);
    const dueAgain = await takeOverFrom(pool, ids);
    await forgetConcurrencyOf(pool, ids);
    for (const [key] of due) {
      const restMs = Math.min((looked.get(key)?.restMs ?? FIRST_REST_MS / 2) * 2, LONGEST_REST_MS);
      looked.set(key, { nextAt: performance.now() + restMs, restMs });
    }
    return dueAgain;
  };
}
