import { randomUUID } from 'node:crypto';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { Feed, Sink } from '../../api/http/event-stream.ts';
import type { Caller, EnvironmentCaller } from '../../api/caller.ts';
import { invalidField } from '../../kernel/errors.ts';
import { type ChangeKind, CHANGE_KINDS, SCOPE_OF_CHANGE, changedBy } from '../../kernel/words/audit-actions.ts';
import { type Change, MOST_NAMED } from './schema.ts';
import { findTargets, look, type SeenRow } from './store.ts';
import type { AuditAction } from '../../kernel/words/audit-actions.ts';

// How late a stream tells, beside the time of a look.
const LOOK_MS = 1_000;
// Streams that break off come again after a second or two. So long an environment is still looked at.
const LINGER_MS = 15_000;
// Events of an environment that streams can go on behind: some minutes of a busy one.
const MOST_KEPT = 1_000;

type Told = { number: number; change: Change };
type Open = { kinds: ReadonlySet<ChangeKind>; sink: Sink; at: number; hasMissed: boolean };
/** An environment that somebody listens to, or did until a moment ago. `name` is no other's: numbers of events begin anew with each. */
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
// No stream can have been there.
const NOWHERE = 'new.0';
const EVERYTHING: Change = { kind: 'everything', changed: [], isComplete: false };

export type Changes = ReturnType<typeof createChanges>;

/**
 * Streams of what changes in an environment: hints to look again, and no record. Nothing writes for them. A process looks at the newest
 * rows of each environment that somebody listens to once a second, one environment after the other, and tells what differs. An environment
 * without listeners costs nothing after 15 s.
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
  /** Events that the stream has not got yet, or the advice to look at everything where they are not known any more. */
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
      // Nothing before it was noticed.
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
      if (isAway) log.info('changes are looked for again');
      isAway = false;
    } catch (error) {
      if (!isAway && !isEnded) log.warn({ err: error }, 'changes cannot be read; the next look tries again');
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
    // A process that stops waits for no look.
    timer ??= setInterval(() => void round(), LOOK_MS).unref();
    return place;
  };

  return {
    /**
     * A stream of changes, which goes on behind `lastEventId` where this process knows what came since. Otherwise it begins with the advice
     * to look at everything. A change of the caller's rights ends it. Throws INVALID_REQUEST (field Last-Event-ID) for an empty text; any
     * other that is no position of this process may be one of another.
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

    /** Looks no more: the process stops, and its connections to PostgreSQL are about to close. */
    end(): void {
      isEnded = true;
      watched.clear();
      clearInterval(timer);
      timer = undefined;
    },

    /** Environments that are being looked at. */
    watching: (): number => watched.size,
  };
}

const positionOf = (name: string, number: number): string => `${name}.${number}`;

const kindsOf = ({ scopes }: Pick<Caller, 'scopes'>): ReadonlySet<ChangeKind> =>
  new Set(CHANGE_KINDS.filter((kind) => scopes.has(SCOPE_OF_CHANGE[kind])));

const sameKinds = (one: ReadonlySet<ChangeKind>, other: ReadonlySet<ChangeKind>): boolean =>
  one.size === other.size && [...one].every((kind) => other.has(kind));

/** The rows of a look, by source and id. */
type SeenRows = ReadonlyMap<string, SeenRow>;

export const seenIn = (rows: readonly SeenRow[]): SeenRows =>
  new Map(rows.map((row) => [`${row.source} ${row.id}`, row]));

/** Rows that are new or differ, and rows that are gone from where unfinished ones stand: a delivered one is no longer retried. */
export function differences(before: SeenRows, now: SeenRows): SeenRow[] {
  const changed = [...now].filter(([key, row]) => before.get(key)?.mark !== row.mark).map(([, row]) => row);
  const gone = [...before].filter(([key, row]) => !now.has(key) && isUnfinished(row)).map(([, row]) => row);
  return [...changed, ...gone.map((row) => ({ ...row, status: null }))];
}

const UNFINISHED = new Set(['pending', 'retrying', 'running', 'waiting', 'paused', 'open']);
const isUnfinished = ({ source, status }: SeenRow): boolean => source !== 'audit' && UNFINISHED.has(status ?? '');

/** The events that tell of these rows, one for each kind. `targets`: the resources that entries of the audit log are about. */
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
    // The service's own events are about circuits and endings of subscriptions.
    if (isSystem) add('subscription', undefined, null);
  }
  for (const { action, targetId } of targets) {
    // `as`: the column is only ever written from this list.
    const kind = changedBy(action as AuditAction);
    if (kind !== undefined) add(kind, targetId, null);
  }
  return [...byKind].map(([kind, named]) => ({
    kind,
    changed: [...named].slice(0, MOST_NAMED).map(([id, status]) => ({ id, ...(status !== null && { status }) })),
    // A channel names its last message alone, and a full window may have more behind it.
    isComplete: kind !== 'message' && named.size > 0 && named.size < MOST_NAMED,
  }));
}
