import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { TenantCaller } from '../../../api/caller.ts';
import { notFound } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { windowText } from '../../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import { type ChainState, walkChain } from './chain.ts';
import { operatorIn, operatorOn } from './operator.ts';
import { createRecordAudit } from './record.ts';
import type { AuditEntry, AuditFilter, ListAudit } from './schema.ts';
import * as store from './store.ts';

export type Audit = ReturnType<typeof createAudit>;

export type ChainReport = ChainState & { organisationId: string };

// Rows read at a time: about 500 kB.
const ROWS_AT_ONCE = 500;

/** Who did what to which resource, from where. Entries are added in the transaction of the change and never changed. */
export function createAudit(deps: Pick<Dependencies, 'db' | 'tenants' | 'newId' | 'clock'>) {
  const { db, tenants } = deps;
  const record = createRecordAudit(deps);

  /** Callers read as the tenant that they are, the command line as the engine. */
  async function* rowsOf(where: Parameters<typeof store.findRowsBehind>[1], behind = 0) {
    for (let position = behind; ; ) {
      const read = (transaction: DatabaseTransaction) =>
        store.findRowsBehind(transaction, where, { position, count: ROWS_AT_ONCE });
      const rows = await ('caller' in where ? tenants.list(where.caller, read) : read(db));
      yield* rows;
      if (rows.length < ROWS_AT_ONCE) return;
      position = rows.at(-1)?.position ?? position;
    }
  }

  /** Each entry as a line: its position and hash, and its text byte for byte as it was hashed. */
  async function* linesOf(where: Parameters<typeof store.findRowsBehind>[1]): AsyncGenerator<string> {
    for await (const { position, hash, entry } of rowsOf(where))
      yield `{"position":${position},"hash":"${Buffer.from(hash).toString('hex')}","entry":${entry}}\n`;
  }

  return {
    record,
    operatorIn,
    operatorOn,

    async list(caller: TenantCaller, query: ListAudit): Promise<Page<AuditEntry>> {
      const { cursor: _, limit, since, until, changes, ...named } = query;
      const hasChanges = changes !== 'false';
      const environmentId = caller.level === 'environment' ? caller.environmentId : caller.organisationId;
      const filters = { ...named, changes, ...windowText({ since, until }) };
      const scope: ListScope = { list: 'audit', environmentId, filters };
      const page = { ...pageRequest(scope, query), hasChanges };
      const found = await tenants.list(caller, (transaction) =>
        store.findEntries(transaction, caller, { ...named, since, until }, page),
      );
      return toPage(scope, limit, found, (entry) => entry);
    },

    /** One entry as a whole. NOT_FOUND for one that the caller's list would not show. */
    async get(caller: TenantCaller, id: string): Promise<AuditEntry> {
      const entry = isId('auditEntry', id)
        ? await tenants.within(caller, (transaction) => store.findEntry(transaction, caller, id))
        : undefined;
      if (entry === undefined) throw notFound('audit entry');
      return entry;
    },

    /** Lines of NDJSON in the order of the chain. The entry that tells of the export is among them. */
    async exportFor(caller: TenantCaller, filter: AuditFilter): Promise<AsyncGenerator<string>> {
      const target = { id: caller.level === 'environment' ? caller.environmentId : caller.organisationId };
      const { action, since, until } = filter;
      // Ids that were asked for may be anybody's: the log of a tenant names its own alone.
      const after = { ...(action !== undefined && { action }), ...windowText({ since, until }) };
      const told = { action: 'audit.exported', target, after } as const;
      await tenants.within(caller, (transaction) => record(transaction, caller, told));
      return linesOf({ caller, filter });
    },

    /** The command line, which is bound to no organisation. */
    operator: {
      async *export(): AsyncGenerator<string> {
        for (const organisationId of await store.findOrganisationIds(db)) yield* linesOf({ organisationId });
      },

      /** Goes along every chain. A breach is the first entry that is missing, is not what was hashed, or is behind the chain's end. */
      async verify(): Promise<ChainReport[]> {
        const reports: ChainReport[] = [];
        for (const organisationId of await store.findOrganisationIds(db)) {
          const report = await walkChain({
            rowsBehind: (position) => rowsOf({ organisationId }, position),
            head: () => store.findHead(db, organisationId),
          });
          reports.push({ organisationId, ...report });
        }
        return reports;
      },
    },
  };
}
