import type { Pool } from 'pg';
import { lowestIdAt } from '../../../kernel/values/ids.ts';
import type { CarriedRun } from '../load-store.ts';
import { type Matching, type Wanted, hasPayload, readArrived, keyOfMessage } from './matching.ts';
import { findCandidates } from './wait-store.ts';
import { LRUCache } from 'lru-cache';
import { createSlices } from '../../../platform/slices.ts';
import { hashOfValue } from '../json-text.ts';

/** What runs of an environment wait for, and the key that a message must have for one of them. */
type Asked = { environmentId: string; wanted: Wanted; key: string };

/**
 * Returns the first of these messages that matches and has the key; undefined if none does. `ids` are in order of
 * preference and belong to the environment. Runs that wait for the same thing share the work: a message is read and
 * evaluated only for the first of them.
 */
type FirstFit = (asked: Asked, ids: readonly string[]) => Promise<string | undefined>;

// These payloads are in memory at the same time: at most 12 MiB.
const READ_AT_ONCE = 50;

// Cache size, in characters of names, ids and keys: enough for 100,000 messages that match.
const KEPT = 16_000_000;
// Overhead per entry.
const LEAST_WEIGHT = 40;

// Hashes are never empty.
const DOES_NOT_FIT = '';

// A comparison takes less than 1 µs per message, but thousands of runs may compare at the same time.
const SLICE_MS = 5;

/**
 * Caches the match keys of messages for all runs of a process. A published message never changes, except that retention
 * or erasure removes its payload, so a matching message is checked once more before it is returned. Failed evaluations
 * are not cached.
 */
export function createFirstFit(deps: Matching & { pool: Pool }): FirstFit {
  const known = new LRUCache<string, string>({ maxSize: KEPT });
  const inTurn = createWantedTurns();
  const slices = createSlices({ forMs: SLICE_MS });

  const remember = (name: string, key: string): void => {
    known.set(name, key, { size: LEAST_WEIGHT + name.length + key.length });
  };

  /**
   * Evaluates the message at this index and up to 49 later ones that are not cached yet. Returns the key of the first
   * one.
   */
  const learn = async (prefix: string, wanted: Wanted, ids: readonly string[], from: number): Promise<string> => {
    const first = ids[from] ?? '';
    const learnt = known.get(prefix + first);
    // Another run evaluated it while this one waited for its turn.
    if (learnt !== undefined) return learnt;
    const unknown: string[] = [];
    for (let at = from; at < ids.length && unknown.length < READ_AT_ONCE; at += 1) {
      const id = ids[at] ?? '';
      if (!known.has(prefix + id)) unknown.push(id);
    }
    const messages = new Map((await readArrived(deps.pool, unknown)).map((message) => [message.id, message]));
    let keyOfFirst = DOES_NOT_FIT;
    for (const id of unknown) {
      const message = messages.get(id);
      try {
        const key = (message && (await keyOfMessage(deps, wanted, message))) ?? DOES_NOT_FIT;
        remember(prefix + id, key);
        if (id === first) keyOfFirst = key;
      } catch (failure) {
        // A later message fails the run only if the run gets that far.
        if (id === first) throw failure;
        break;
      }
    }
    return keyOfFirst;
  };

  return async ({ environmentId, wanted, key }, ids) => {
    const prefix = prefixOf(environmentId, wanted);
    let at = 0;
    /** Advances to the next message that has the key or is not cached. */
    const compare = async (): Promise<void> => {
      await slices.run(environmentId, () => {
        const verdict = at < ids.length ? known.get(prefix + ids[at]) : undefined;
        if (verdict === undefined || verdict === key) return false;
        at += 1;
        return true;
      });
    };
    for (await compare(); at < ids.length; await compare()) {
      const id = ids[at] ?? '';
      const name = prefix + id;
      const found = known.get(name) ?? (await inTurn(prefix, () => learn(prefix, wanted, ids, at)));
      if (found === key) {
        if (await hasPayload(deps.pool, id)) return id;
        remember(name, DOES_NOT_FIT);
      }
      at += 1;
    }
    return undefined;
  };
}

/**
 * Returns the same text for all waits of an environment that evaluate messages the same way, whatever their runs
 * compare them with.
 */
const prefixOf = (environmentId: string, { channelIds, eventTypes, filter, match }: Wanted): string =>
  `${hashOfValue([environmentId, channelIds, eventTypes, filter ?? null, match.map(({ event }) => event)])} `;

/**
 * Runs work of the same name sequentially, so that later callers find the results of earlier ones. A failure only
 * affects its own caller.
 */
function createWantedTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const lastOf = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const done = (lastOf.get(name) ?? Promise.resolve()).then(work);
    const last = done.catch(() => undefined);
    lastOf.set(name, last);
    try {
      return await done;
    } finally {
      if (lastOf.get(name) === last) lastOf.delete(name);
    }
  };
}

/** Returns the id of the first message since then that a run waits for; undefined if there is none. */
export type LookBack = (
  run: Pick<CarriedRun, 'id' | 'environmentId'>,
  waiting: { wanted: Wanted; key: string; since: Date },
) => Promise<string | undefined>;

/**
 * Searches the messages that a run may have missed. Each run reads its own candidate ids; their payloads are read and
 * evaluated once per process for all runs that wait for the same thing.
 */
export function createLookBack(deps: Matching & { pool: Pool }): LookBack {
  const firstFit = createFirstFit(deps);
  return async ({ id: runId, environmentId }, { wanted, key, since }) => {
    const { channelIds, eventTypes } = wanted;
    const sinceId = lowestIdAt('message', since);
    const ids = await findCandidates(deps.pool, { environmentId, runId, channelIds, eventTypes, sinceId });
    return firstFit({ environmentId, wanted, key }, ids);
  };
}
