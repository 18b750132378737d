import { randomUUID } from 'node:crypto';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { Feed, Sink } from '../../api/http/event-stream.ts';
import type { Caller, EnvironmentCaller } from '../../api/caller.ts';
import { invalidField } from '../../kernel/errors.ts';
import {
  type ChangeKind,
  CHANGE_KINDS,
  SCOPE_OF_CHANGE,
  changedBy,
  type AuditAction,
} from '../../kernel/words/audit-actions.ts';
import { type Change, MOST_NAMED } from './schema.ts';
import { findTargets, look, type SeenRow } from './store.ts';

// Interval between polls. A stream reports a change at most this much late, plus the duration of a poll.
const LOOK_MS = 1_000;
// Clients reconnect within a second or two, so an environment is still polled for this long after its last stream
// closed.
const LINGER_MS = 15_000;
// Events per environment from which a reconnecting stream can resume: some minutes in a busy environment.
const MOST_KEPT = 1_000;

type Told = { number: number; change: Change };
type Open = { kinds: ReadonlySet<ChangeKind>; sink: Sink; at: number; hasMissed: boolean };
/**
 * An environment with open streams, or one that had some a moment ago. `name` is unique, because event numbers start
 * again with each.
 */
type Watched = {
  name: string;
  tenant: { organisationId: string; environmentId: string };
  open: Set<Open>;
  seen: SeenRows | undefined;
  told: Told[];
  /** Number of the last event. */
  last: number;
  emptySince: number | undefined;
};

const POSITION = /^([0-9a-f-]{36})\.(\d{1,15})$/;
// A position that no stream can have had.
const NOWHERE = 'new.0';
const EVERYTHING: Change = { kind: 'everything', changed: [], isComplete: false };

export type Changes = ReturnType<typeof createChanges>;

/**
 * Streams that report changes in an environment: hints to read resources again, not a record. Nothing is written for
 * them. Once a second a process polls the newest rows of each environment with open streams, one environment after
 * another, and reports the differences. Polling stops 15 s after the last stream closed.
 */
export function createChanges({ tenants, log }: Pick<Dependencies, 'tenants' | 'log'>) {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isAway = false;
  let isEnded = false;

  const send = (stream: Open, { name }: Watched, { number, change }: Told): void => {
    stream.at = number;
    if (change.kind !== 'everything' && !stream.kinds.has(change.kind)) return;
    stream.sink.send(`id: ${positionOf(name, number)}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`);
  };
  /** Sends the events that the stream has missed, or `everything` if they are no longer in memory. */
  const catchUp = (stream: Open, place: Watched): void => {
    const missed = place.told.filter(({ number }) => number > stream.at);
    const isUnknown = stream.hasMissed || missed.length < place.last - stream.at;
    stream.hasMissed = false;
    const events = isUnknown ? [{ number: place.last, change: EVERYTHING }] : missed;
    for (const event of events) send(stream, place, event);
  };

  const lookAt = async (place: Watched): Promise<void> => {
    const { tenant } = place;
    const { seen, changes } = await tenants.list(tenant, async (transaction) => {
      const now = seenIn(await look(transaction, tenant.environmentId));
      // This is the first poll, so earlier changes are unknown.
      if (place.seen === undefined) return { seen: now, changes: [EVERYTHING] };
      const rows = differences(place.seen, now);
      const entries = rows.filter(({ source }) => source === 'audit').map(({ id }) => id);
      const targets = entries.length === 0 ? [] : await findTargets(transaction, tenant.environmentId, entries);
      return { seen: now, changes: changesIn(rows, targets) };
    });
    place.seen = seen;
    for (const change of changes) {
      place.last += 1;
      place.told.push({ number: place.last, change });
    }
    place.told.splice(0, Math.max(0, place.told.length - MOST_KEPT));
    for (const stream of place.open)
      if (!stream.sink.isFull() && (stream.hasMissed || stream.at < place.last)) catchUp(stream, place);
  };

  const round = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      for (const [id, place] of watched) {
        if (place.open.size > 0) place.emptySince = undefined;
        else place.emptySince ??= performance.now();
        if (place.emptySince !== undefined && performance.now() - place.emptySince > LINGER_MS) watched.delete(id);
        else await lookAt(place);
      }
      if (isAway) log.info('reading changes works again');
      isAway = false;
    } catch (error) {
      if (!isAway && !isEnded) log.warn({ err: error }, 'could not read changes; the next poll tries again');
      isAway = true;
    } finally {
      isLooking = false;
    }
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const watch = ({ organisationId, environmentId }: EnvironmentCaller): Watched => {
    const known = watched.get(environmentId);
    if (known !== undefined) return known;
    const place: Watched = {
      name: randomUUID(),
      tenant: { organisationId, environmentId },
      open: new Set(),
      seen: undefined,
      told: [],
      last: 0,
      emptySince: undefined,
    };
    watched.set(environmentId, place);
    // Does not keep a stopping process alive.
    timer ??= setInterval(() => void round(), LOOK_MS).unref();
    return place;
  };

  return {
    /**
     * Opens a stream of changes that resumes after `lastEventId` if this process still has the events since then, and
     * otherwise starts with `everything`. The stream ends when the caller's scopes change. Throws INVALID_REQUEST
     * (field Last-Event-ID) only for an empty text: any other unknown position may belong to another process.
     */
    open(caller: EnvironmentCaller, lastEventId: string | undefined): Feed {
      if (lastEventId === '') throw invalidField('Last-Event-ID', 'must not be empty');
      const kinds = kindsOf(caller);
      let place: Watched | undefined;
      let stream: Open | undefined;
      const [, name, number] = POSITION.exec(lastEventId ?? '') ?? [];
      let at = name === undefined ? NOWHERE : `${name}.${number}`;
      const here = (): string =>
        stream === undefined || place === undefined || stream.hasMissed ? at : positionOf(place.name, stream.at);
      return {
        start(sink) {
          place = watch(caller);
          const isKnown = name === place.name && Number(number) <= place.last;
          stream = { kinds, sink, at: isKnown ? Number(number) : place.last, hasMissed: !isKnown };
          place.open.add(stream);
          place.emptySince = undefined;
          if (place.seen === undefined) void round();
          else if (stream.hasMissed || stream.at < place.last) catchUp(stream, place);
        },
        resume() {
          if (stream !== undefined && place?.seen !== undefined) catchUp(stream, place);
        },
        stop() {
          if (stream === undefined) return;
          at = here();
          place?.open.delete(stream);
          stream = undefined;
        },
        position: here,
        fits: (now: Caller) => now.level === 'environment' && sameKinds(kinds, kindsOf(now)),
      };
    },

    /** Stops polling, because the process is stopping and its connections to PostgreSQL are about to close. */
    end(): void {
      isEnded = true;
      watched.clear();
      clearInterval(timer);
      timer = undefined;
    },

    /** Number of environments being polled. */
    watching: (): number => watched.size,
  };
}

const positionOf = (name: string, number: number): string => `${name}.${number}`;

const kindsOf = ({ scopes }: Pick<Caller, 'scopes'>): ReadonlySet<ChangeKind> =>
  new Set(CHANGE_KINDS.filter((kind) => scopes.has(SCOPE_OF_CHANGE[kind])));

const sameKinds = (one: ReadonlySet<ChangeKind>, other: ReadonlySet<ChangeKind>): boolean =>
  one.size === other.size && [...one].every((kind) => other.has(kind));

/** The rows of a poll, by source and id. */
type SeenRows = ReadonlyMap<string, SeenRow>;

export const seenIn = (rows: readonly SeenRow[]): SeenRows =>
  new Map(rows.map((row) => [`${row.source} ${row.id}`, row]));

/**
 * Returns rows that are new or different, and rows that are missing although they were unfinished, such as a delivery
 * that is no longer retried.
 */
export function differences(before: SeenRows, now: SeenRows): SeenRow[] {
  const changed = [...now].filter(([key, row]) => before.get(key)?.mark !== row.mark).map(([, row]) => row);
  const gone = [...before].filter(([key, row]) => !now.has(key) && isUnfinished(row)).map(([, row]) => row);
  return [...changed, ...gone.map((row) => ({ ...row, status: null }))];
}

const UNFINISHED = new Set(['pending', 'retrying', 'running', 'waiting', 'paused', 'open']);
const isUnfinished = ({ source, status }: SeenRow): boolean => source !== 'audit' && UNFINISHED.has(status ?? '');

/** Returns the events for these rows, one per kind. `targets`: the resources that the audit entries are about. */
export function changesIn(
  rows: readonly SeenRow[],
  targets: readonly { action: string; targetId: string }[],
): Change[] {
  const byKind = new Map<ChangeKind, Map<string, string | null>>();
  const add = (kind: ChangeKind, id: string | undefined, status: string | null): void => {
    const named = byKind.get(kind) ?? new Map<string, string | null>();
    if (id !== undefined) named.set(id, named.get(id) ?? status);
    byKind.set(kind, named);
  };
  for (const { source, id, status, isSystem } of rows) {
    if (source === 'audit') continue;
    add(source, id, status);
    // Service events are about circuit breakers and the end of subscriptions.
    if (isSystem) add('subscription', undefined, null);
  }
  for (const { action, targetId } of targets) {
    // `as`: the column only has values of this list.
    const kind = changedBy(action as AuditAction);
    if (kind !== undefined) add(kind, targetId, null);
  }
  return [...byKind].map(([kind, named]) => ({
    kind,
    changed: [...named].slice(0, MOST_NAMED).map(([id, status]) => ({ id, ...(status !== null && { status }) })),
    // For messages only the last one per channel is known, and if the limit is reached there may be more.
    isComplete: kind !== 'message' && named.size > 0 && named.size < MOST_NAMED,
  }));
}
