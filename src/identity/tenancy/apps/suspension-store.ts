import type { DatabaseTransaction } from '../../../platform/db/client.ts';

/*
 * An app that is suspended holds its deliveries by a mark on its channels and subscriptions, which the statements of deliveries read
 * anyway: none of them asks for the app. A channel or a subscription that is made meanwhile gets the mark as it is made (`shareApp`).
 * Both run in the transaction that has locked the app. Channels come before subscriptions, each by id, as everywhere.
 */

const LIVE = 'JOIN environments e ON e.id = x.environment_id WHERE e.app_id = $1 AND x.deleted_at IS NULL';

const mark = (table: 'channels' | 'subscriptions'): string => `
  UPDATE ${table} SET app_suspended_at = $2 WHERE id IN (
    SELECT x.id FROM ${table} x ${LIVE} AND x.app_suspended_at IS NULL ORDER BY x.id FOR NO KEY UPDATE OF x)`;

/** No further try begins once this is committed; a try under way goes on. */
export async function suspendResources(db: DatabaseTransaction, appId: string, at: Date): Promise<void> {
  await db.$executeRawUnsafe(mark('channels'), appId, at);
  await db.$executeRawUnsafe(mark('subscriptions'), appId, at);
}

const OPEN_CHANNELS = `
  UPDATE channels SET app_suspended_at = NULL WHERE id IN (
    SELECT x.id FROM channels x ${LIVE} AND x.app_suspended_at IS NOT NULL ORDER BY x.id FOR NO KEY UPDATE OF x)`;

// Messages whose time came meanwhile were set aside (scheduling/due/due-store.ts).
const RELEASE_SCHEDULED = `
  UPDATE scheduled_messages SET due_at = deliver_at
  WHERE cancelled_at IS NULL AND due_at IS NULL
    AND channel_id IN (SELECT x.id FROM channels x ${LIVE} AND x.status = 'active')`;

// As with a resume (subscriptions/store.ts) circuits close, and times count from now on. A trigger
// tells workers of each subscription that takes tries again.
const OPEN_SUBSCRIPTIONS = `
  UPDATE subscriptions SET app_suspended_at = NULL,
    resumed_at = CASE WHEN status = 'active' THEN $2 ELSE resumed_at END,
    circuit_opened_at = CASE WHEN status = 'active' THEN NULL ELSE circuit_opened_at END,
    circuit_probe_at = CASE WHEN status = 'active' THEN NULL ELSE circuit_probe_at END,
    circuit_probe_failed_at = CASE WHEN status = 'active' THEN NULL ELSE circuit_probe_failed_at END
  WHERE id IN (
    SELECT x.id FROM subscriptions x ${LIVE} AND x.app_suspended_at IS NOT NULL ORDER BY x.id FOR NO KEY UPDATE OF x)`;

/** Deliveries and scheduled messages go on from where they were held. */
export async function activateResources(db: DatabaseTransaction, appId: string, at: Date): Promise<void> {
  await db.$executeRawUnsafe(OPEN_CHANNELS, appId);
  await db.$executeRawUnsafe(RELEASE_SCHEDULED, appId);
  await db.$executeRawUnsafe(OPEN_SUBSCRIPTIONS, appId, at);
}
