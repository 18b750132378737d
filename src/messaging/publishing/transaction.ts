import type { Pool, PoolClient } from 'pg';
import { signPublish } from '../../platform/db/sql/commit-order.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { keepAnswers, type KeepInPublish, KeyTakenError } from '../../api/idempotency/kept-answers.ts';
import { stringifyExact } from '../../kernel/values/exact-json.ts';
import { isScheduled, type Publication, type Stored, rowsOfAll, WIDE_ROWS } from '../messages/publication.ts';
import type { Message } from '../messages/schema.ts';
import { readMessages } from '../messages/store.ts';
import { type AskedPublish, answerTo, type PublishOutcome } from './answer.ts';
import type { CheckedPublications } from './check.ts';
import type { NewDeliveries, Holder, StorePublications } from './hand-over.ts';
import type { MessageNaming } from './prepare.ts';
import { claimInboundEvents, noteInboundReceipts, claimPublisherIds, type Repeated, storeScheduled } from './store.ts';
import { refusalOf } from './refusals.ts';

/**
 * The messages of one request, to one or several channels: all or nothing. `naming` names them in error texts; `asked`
 * determines the response that is stored for the key in `keep`. In each publication, either all messages are scheduled
 * or none is.
 */
export type PublishUnit = CheckedPublications & { naming: MessageNaming; asked: AskedPublish; keep?: KeepInPublish };

/** How long a publish waits for another process that is publishing with the same key or id. */
export type LockTimeout = '250ms' | '5s';
// PostgreSQL ends a session that has stopped in the middle (a frozen process), so that it does not block its key any
// longer.
const END_IDLE = `SET LOCAL idle_in_transaction_session_timeout = '20s'`;
const beginWith = (patience: LockTimeout): string => `SET LOCAL lock_timeout = '${patience}'; ${END_IDLE}`;
const LOCK_NOT_AVAILABLE = '55P03';

/** Another process was publishing with the same key or id for longer than `patience`. Nothing was stored. */
export class HeldElsewhereError extends Error {
  override readonly name = 'HeldElsewhereError';
}

/** What was stored, or the error because of which nothing was. */
export type UnitResult = { outcome: PublishOutcome; refusal?: undefined } | { outcome?: undefined; refusal: Error };

/** Results of a group, in the order of its units, and the new deliveries, all committed. */
export type StoredUnits = NewDeliveries & { results: readonly UnitResult[] };

type Terms = { storePublications: StorePublications; holder: Holder | undefined; patience: LockTimeout };
type Results = NewDeliveries & { resultOf: ReadonlyMap<PublishUnit, UnitResult> };

/** Units that prevent the transaction of their group, each with its error. */
class UnitsRefused extends Error {
  override readonly name = 'UnitsRefused';
  readonly refusals: ReadonlyMap<PublishUnit, Error>;
  constructor(refusals: ReadonlyMap<PublishUnit, Error>) {
    super('Some publishes of the group were rejected');
    this.refusals = refusals;
  }
}

/**
 * Whether the publishing statement is all that a unit needs. It stores nothing in a channel that is closed or has
 * changed.
 */
export const isPlain = ({ publications, keep }: PublishUnit): boolean =>
  keep === undefined &&
  publications.length === 1 &&
  publications.every(
    (each) =>
      !isScheduled(each) && each.messages.every(({ publisher, receipt }) => (publisher ?? receipt) === undefined),
  );

/**
 * Stores units together, except for those that are rejected. Each unit is stored completely or not at all, whatever
 * happens to the others. A group of plain units is one statement; other and wide ones take a transaction. A unit that
 * would have to wait for longer than `patience` is rejected with HeldElsewhereError. Throws errors that cannot be
 * attributed to a single unit.
 */
export function storeUnits(pool: Pool, units: readonly PublishUnit[], terms: Terms): Promise<StoredUnits> {
  const store = (): Promise<StoredUnits> => storeInParts(pool, units, terms);
  return terms.holder === undefined ? store() : terms.holder.during(store);
}

/** Stores the units together, or one by one if another process blocks them. */
async function storeInParts(pool: Pool, units: readonly PublishUnit[], terms: Terms): Promise<StoredUnits> {
  const refusals = new Map<PublishUnit, Error>();
  const withRefusals = ({ resultOf, ...made }: Results): StoredUnits => ({
    ...made,
    results: units.map((unit) => {
      const refusal = refusals.get(unit);
      const result = refusal === undefined ? resultOf.get(unit) : { refusal };
      if (result === undefined) throw new Error('A publish has neither an outcome nor an error');
      return result;
    }),
  });
  for (;;) {
    const left = units.filter((unit) => !refusals.has(unit));
    const [first] = left;
    if (first === undefined) return withRefusals({ resultOf: new Map(), taken: [], hasUntaken: false, hasRuns: false });
    try {
      return withRefusals(await storeTogether(pool, left, terms));
    } catch (failure) {
      if (failure instanceof UnitsRefused) for (const [unit, refusal] of failure.refusals) refusals.set(unit, refusal);
      else if (!isLockTimeout(failure)) throw failure;
      else if (left.length > 1) return withRefusals(await storeOneByOne(pool, left, terms));
      else
        refusals.set(
          first,
          new HeldElsewhereError('Another process is publishing with the same key or id', { cause: failure }),
        );
    }
  }
}

async function storeOneByOne(pool: Pool, units: readonly PublishUnit[], terms: Terms): Promise<Results> {
  const resultOf = new Map<PublishUnit, UnitResult>();
  const all: NewDeliveries[] = [];
  for (const unit of units) {
    const { results, ...made } = await storeInParts(pool, [unit], terms);
    for (const result of results) resultOf.set(unit, result);
    all.push(made);
  }
  return {
    resultOf,
    taken: all.flatMap(({ taken }) => taken),
    hasUntaken: all.some(({ hasUntaken }) => hasUntaken),
    hasRuns: all.some(({ hasRuns }) => hasRuns),
  };
}

/** Stores all of these units, or throws UnitsRefused with those that cannot be stored. */
async function storeTogether(pool: Pool, units: readonly PublishUnit[], terms: Terms): Promise<Results> {
  const publications = units.flatMap((unit) => unit.publications);
  const arePlain = units.every(isPlain);
  const isWide = rowsOfAll(publications) > WIDE_ROWS;
  if (arePlain && !isWide) return storeOn(pool, units, terms);
  return inTransaction(pool, async (connection) => {
    // Plain units have no key that another process could hold. What they wait for, such as a change of the channel, is
    // over soon.
    await connection.query(arePlain ? END_IDLE : beginWith(terms.patience));
    // Before anything else: once the transaction has its number, readers of every channel would wait for it unless it
    // is signed.
    if (isWide)
      await signPublish(
        connection,
        publications.map(({ channelId }) => channelId),
      );
    const { resultOf, ...made } = await storeOn(connection, units, terms);
    const refusals = new Map<PublishUnit, Error>();
    for (const [unit, { refusal }] of resultOf) if (refusal !== undefined) refusals.set(unit, refusal);
    if (refusals.size > 0) throw new UnitsRefused(refusals);
    return { resultOf, ...made };
  });
}

/** Runs the steps of a group. A step that no unit needs runs no query, so plain units take one statement. */
async function storeOn(
  connection: Pool | PoolClient,
  units: readonly PublishUnit[],
  terms: Pick<Terms, 'storePublications' | 'holder'>,
): Promise<Results> {
  const publications = units.flatMap((unit) => unit.publications);
  const repeated: Repeated = new Map([
    ...(await claimPublisherIds(connection, publications)),
    ...(await claimInboundEvents(connection, publications)),
  ]);
  await noteInboundReceipts(connection, publications, repeated);
  const { storedOf, routed, ...made } = await storeFresh(connection, publications, repeated, terms);
  const refusals = new Map<PublishUnit, Error>();
  for (const unit of units) {
    const refusal = refusalOf(unit, { storedOf: (publication) => storedOf.get(publication), repeated });
    if (refusal !== undefined) refusals.set(unit, refusal);
  }
  const first = await readFirst(connection, units, repeated);
  const outcomeOf = ({ warnings }: PublishUnit): PublishOutcome => ({ routed, repeated, first, warnings });
  const toKeep = units.flatMap((unit) => {
    if (unit.keep === undefined || refusals.size > 0) return [];
    const { request, ...answer } = unit.keep;
    return [{ unit, request, answer: { ...answer, body: stringifyExact(answerTo(unit.asked, outcomeOf(unit))) } }];
  });
  // Last, so that nobody waits for these rows longer than for the commit. Of two publishes with the same key at the
  // same moment, the later one finds it taken here, and everything it has stored is rolled back.
  if (toKeep.length > 0) {
    const free = await keepAnswers(connection, toKeep);
    for (const { unit, request } of toKeep) if (!free.has(request)) refusals.set(unit, new KeyTakenError());
  }
  const results = units.map((unit): [PublishUnit, UnitResult] => {
    const refusal = refusals.get(unit);
    return [unit, refusal === undefined ? { outcome: outcomeOf(unit) } : { refusal }];
  });
  return { ...made, resultOf: new Map(results) };
}

/**
 * Stores the messages that had not been published before and are not rejected. A publication without any has no result.
 */
async function storeFresh(
  connection: Pool | PoolClient,
  publications: readonly Publication[],
  repeated: Repeated,
  { storePublications, holder }: Pick<Terms, 'storePublications' | 'holder'>,
): Promise<
  NewDeliveries & { storedOf: ReadonlyMap<Publication, Stored | undefined>; routed: ReadonlyMap<string, number> }
> {
  const fresh = new Map<Publication, Publication>();
  for (const publication of publications) {
    const messages = publication.messages.filter(
      ({ id, unlessKnown }) => !repeated.has(id) && unlessKnown === undefined,
    );
    if (messages.length > 0) fresh.set(publication, { ...publication, messages });
  }
  const toPublish = [...fresh].filter(([publication]) => !isScheduled(publication));
  const toSchedule = [...fresh].filter(([publication]) => isScheduled(publication));
  const nothing = { stored: [], routed: new Map<string, number>(), taken: [], hasUntaken: false, hasRuns: false };
  const { stored, ...made } = await (toPublish.length === 0
    ? nothing
    : storePublications(
        connection,
        toPublish.map(([, each]) => each),
        holder,
      ));
  const scheduled = await (toSchedule.length === 0
    ? []
    : storeScheduled(
        connection,
        toSchedule.map(([, each]) => each),
      ));
  const storedOf = new Map([
    ...toPublish.map(([publication], index) => [publication, stored[index]] as const),
    ...toSchedule.map(([publication], index) => [publication, scheduled[index]] as const),
  ]);
  return { ...made, storedOf };
}

/**
 * Returns the current state of the earlier messages that repeated single ones stand for. Responses to batches have only
 * ids.
 */
async function readFirst(
  connection: Pool | PoolClient,
  units: readonly PublishUnit[],
  repeated: Repeated,
): Promise<ReadonlyMap<string, Message>> {
  if (repeated.size === 0) return new Map();
  const ids = units.flatMap(({ asked }) => {
    const known = asked.kind === 'message' ? repeated.get(asked.message.id) : undefined;
    return known?.isSame ? [known.messageId] : [];
  });
  return ids.length === 0 ? new Map() : readMessages(connection, ids);
}

const isLockTimeout = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === LOCK_NOT_AVAILABLE;
