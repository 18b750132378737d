import type { PoolClient } from 'pg';
import type { Tenant } from '../../platform/db/tenant-query.ts';
import type { Tenants } from '../../platform/db/tenants.ts';
import { readRows, restoreRows } from './store.ts';

// Streams show no message that was published after the oldest transaction that is open: a trial's are short.
const OPEN_FOR_MS = 100;

/** A trial's rows, which nobody else ever sees: each transaction that holds them is rolled back. */
export type TrialRecord = {
  /** The transaction of this moment. */
  connection(): PoolClient;
  /** Takes the rows into a new transaction where the present one has been open for long. */
  renew(): Promise<void>;
};

class RollBack extends Error {}

/** Does the work over rows of a run of its own, and rolls them back whatever happens. */
export async function withoutTrace<T>(
  tenants: Pick<Tenants, 'onConnection'>,
  tenant: Tenant,
  runId: string,
  work: (record: TrialRecord) => Promise<T>,
): Promise<T> {
  let open = await openTransaction(tenants, tenant);
  try {
    return await work({
      connection: () => open.connection,
      async renew() {
        if (performance.now() - open.since < OPEN_FOR_MS) return;
        const rows = await readRows(open.connection, runId);
        await open.rollBack();
        open = await openTransaction(tenants, tenant);
        await restoreRows(open.connection, rows);
      },
    });
  } finally {
    await open.rollBack();
  }
}

type OpenTransaction = { connection: PoolClient; since: number; rollBack(): Promise<void> };

function openTransaction(tenants: Pick<Tenants, 'onConnection'>, tenant: Tenant): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    let end = (): void => undefined;
    const isOver = new Promise<void>((over) => {
      end = over;
    });
    const ended = tenants
      .onConnection(tenant, async (connection) => {
        const rollBack = (): Promise<void> => {
          end();
          return ended;
        };
        resolve({ connection, since: performance.now(), rollBack });
        await isOver;
        throw new RollBack();
      })
      .then(
        () => undefined,
        (failure: unknown) => {
          if (!(failure instanceof RollBack)) throw failure;
        },
      );
    // A failure before the transaction began. Later ones are those of `rollBack`.
    ended.catch(reject);
  });
}
