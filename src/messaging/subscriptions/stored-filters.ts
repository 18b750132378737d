import type { ClientBase } from 'pg';
import type { Filters } from '../filters/filters.ts';
import { UNITS_OF_A_CHANNEL, UNITS_OF_A_FILTER } from '../filters/expressions/units.ts';

/** A stored filter that this release would reject, and why. */
export type UnfitFilter = { subscriptionId: string; channelId: string; filter: string; reason: string };

type Session = Pick<ClientBase, 'query'>;
type Measuring = Pick<Filters, 'measure'>;
type Row = { id: string; channelId: string; filter: string };

// Rows read and measured at a time: 2 MB of the longest filters.
const PAGE = 1_000;
// An empty database does not have the table.
const HAS_COLUMN = `SELECT EXISTS (SELECT FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = 'subscriptions' AND column_name = $1) AS "isThere"`;
// A filter that matches nothing. Without a filter, the subscription would receive everything, and what had queued for
// it would be sent as soon as somebody resumes it.
const NOTHING = 'false';

/**
 * Returns stored filters that are not valid any more, or for which their channel has no units left, in which case the
 * newest ones. Ordered by channel, oldest subscription first.
 */
export async function findUnfitFilters(session: Session, filters: Measuring): Promise<UnfitFilter[]> {
  if (!(await hasColumn(session, 'filter'))) return [];
  const unfit: UnfitFilter[] = [];
  let counted = { channelId: '', units: 0, filters: new Set<string>() };
  for await (const { id, channelId, filter } of storedFilters(session)) {
    if (counted.channelId !== channelId) counted = { channelId, units: 0, filters: new Set() };
    if (counted.filters.has(filter)) continue;
    const found = filters.measure(filter);
    if ('problem' in found) {
      unfit.push({ subscriptionId: id, channelId, filter, reason: found.problem });
      continue;
    }
    const units = counted.units + found.units;
    if (units > UNITS_OF_A_CHANNEL) {
      const reason = `with it, the filters of its channel take ${units} units, but a channel has only ${UNITS_OF_A_CHANNEL}`;
      unfit.push({ subscriptionId: id, channelId, filter, reason });
      continue;
    }
    counted.units = units;
    counted.filters.add(filter);
  }
  return unfit;
}

async function* storedFilters(session: Session): AsyncGenerator<Row> {
  let after: Pick<Row, 'channelId' | 'id'> = { channelId: '', id: '' };
  for (;;) {
    const { rows } = await session.query<Row>(
      `SELECT id, channel_id AS "channelId", filter FROM subscriptions
       WHERE filter IS NOT NULL AND deleted_at IS NULL AND (channel_id, id) > ($1, $2)
       ORDER BY channel_id, id LIMIT ${PAGE}`,
      [after.channelId, after.id],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last;
  }
}

/**
 * Sets the filter of these subscriptions to `false` and pauses those that are active, so that they receive nothing and
 * nothing queues for them until somebody sets a filter and resumes them. All or none.
 */
export async function dropFilters(session: Session, unfit: readonly UnfitFilter[]): Promise<void> {
  const ids = unfit.map(({ subscriptionId }) => subscriptionId);
  const channelIds = [...new Set(unfit.map(({ channelId }) => channelId))];
  const uncounted = (await hasColumn(session, 'filter_units')) ? ', filter_units = NULL' : '';
  await session.query('BEGIN');
  try {
    // Lock the channels first, as a change of a filter does.
    await session.query('UPDATE channels SET config_version = config_version + 1 WHERE id = ANY ($1)', [channelIds]);
    await session.query(
      `UPDATE subscriptions SET filter = $2, updated_at = now()${uncounted},
         status_changed_at = CASE WHEN status = 'active' THEN now() ELSE status_changed_at END,
         status = CASE WHEN status = 'active' THEN 'paused' ELSE status END
       WHERE id = ANY ($1)`,
      [ids, NOTHING],
    );
    await session.query('COMMIT');
  } catch (failure) {
    await session.query('ROLLBACK').catch(() => undefined);
    throw failure;
  }
}

/** Fills in the units of filters that were stored before units existed. */
export async function countUnits(session: Session, filters: Measuring): Promise<void> {
  for (;;) {
    const { rows } = await session.query<{ filter: string }>(
      `SELECT DISTINCT filter FROM subscriptions
       WHERE filter IS NOT NULL AND filter_units IS NULL AND deleted_at IS NULL LIMIT ${PAGE}`,
    );
    if (rows.length === 0) return;
    const units = rows.map(({ filter }) => {
      const found = filters.measure(filter);
      // Saved by a process of an older release since they were checked.
      return 'problem' in found ? UNITS_OF_A_FILTER : found.units;
    });
    await session.query(
      `UPDATE subscriptions s SET filter_units = u.units FROM unnest($1::text[], $2::int[]) AS u (filter, units)
       WHERE s.filter = u.filter AND s.filter_units IS NULL`,
      [rows.map(({ filter }) => filter), units],
    );
  }
}

async function hasColumn(session: Session, name: string): Promise<boolean> {
  const { rows } = await session.query<{ isThere: boolean }>(HAS_COLUMN, [name]);
  return rows[0]?.isThere === true;
}
