import { createHash } from 'node:crypto';
import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { TenantCaller } from '../../../api/caller.ts';
import { notFound } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { windowText } from '../../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import { createRecordAudit, type AuditActor } from './record.ts';
import type { AuditEntry, AuditFilter, ListAudit } from './schema.ts';
import * as store from './store.ts';
import type { AuditEntry as AuditRow } from '../../../platform/db/generated/client.ts';

export type Audit = ReturnType<typeof createAudit>;

export type ChainReport = ChainState & { organisationId: string };

// Rows per query: about 500 kB.
const ROWS_AT_ONCE = 500;

/**
 * The audit log: who did what to which resource, and from where. Entries are added in the transaction of the change and
 * never modified.
 */
export function createAudit(deps: Pick<Dependencies, 'db' | 'tenants' | 'newId' | 'clock'>) {
  const { db, tenants } = deps;
  const record = createRecordAudit(deps);

  /** API callers read with their tenant's rights, the command line with the system connection. */
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

  /** Yields each entry as a line: its position and hash, and its text byte for byte as it was hashed. */
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

    /** Returns a single entry. Throws NOT_FOUND if it would not be in the caller's list. */
    async get(caller: TenantCaller, id: string): Promise<AuditEntry> {
      const entry = isId('auditEntry', id)
        ? await tenants.within(caller, (transaction) => store.findEntry(transaction, caller, id))
        : undefined;
      if (entry === undefined) throw notFound('audit entry');
      return entry;
    },

    /** Returns lines of NDJSON in the order of the chain, including the entry for this export. */
    async exportFor(caller: TenantCaller, filter: AuditFilter): Promise<AsyncGenerator<string>> {
      const target = { id: caller.level === 'environment' ? caller.environmentId : caller.organisationId };
      const { action, since, until } = filter;
      // The requested ids may belong to anyone, and the log of a tenant must contain only its own.
      const after = { ...(action !== undefined && { action }), ...windowText({ since, until }) };
      const told = { action: 'audit.exported', target, after } as const;
      await tenants.within(caller, (transaction) => record(transaction, caller, told));
      return linesOf({ caller, filter });
    },

    /** For the command line, which is not bound to an organisation. */
    operator: {
      async *export(): AsyncGenerator<string> {
        for (const organisationId of await store.findOrganisationIds(db)) yield* linesOf({ organisationId });
      },

      /**
       * Verifies every chain. A breach is the first entry that is missing, differs from what was hashed, or is beyond
       * the end of the chain.
       */
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

const COMMAND_LINE = { kind: 'commandLine' } as const;

/** The operator on the command line, acting on something in that environment. */
async function operatorIn(db: DatabaseTransaction, environmentId: string): Promise<AuditActor> {
  const where = { id: environmentId };
  const { appId, app } = await db.environment.findUniqueOrThrow({ where, include: { app: true } });
  return { organisationId: app.organisationId, appId, environmentId, actor: COMMAND_LINE };
}

/** The operator on the command line, acting on an app. */
const operatorOn = ({ organisationId, id }: { organisationId: string; id: string }): AuditActor => ({
  organisationId,
  appId: id,
  actor: COMMAND_LINE,
});

/** A link of a chain: the position of an entry and its hash. */
type ChainLink = { position: number; hash: Uint8Array };

/** Result of verifying a chain: the number of valid entries, and the first breach. */
type ChainState = { entries: number; breach?: string };

/** The link before the first entry. */
const BEGINNING: ChainLink = { position: 0, hash: new Uint8Array(0) };

/**
 * Hash of an entry: SHA-256 of the 32 bytes of the previous hash (none for the first entry) and the entry's text in
 * UTF-8.
 */
const hashOf = (before: Uint8Array, entry: string): Buffer =>
  createHash('sha256').update(before).update(entry, 'utf8').digest();

/** Returns why a row does not continue the chain; undefined if it does. */
function breachOf(row: AuditRow, { position, hash }: ChainLink): string | undefined {
  if (row.position !== position + 1) return `the entry at position ${position + 1} is missing`;
  if (!hashOf(hash, row.entry).equals(row.hash))
    return `the entry at position ${row.position} differs from what was hashed`;
  const entry: unknown = JSON.parse(row.entry);
  if (!repeats(row, entry)) return `the columns of the entry at position ${row.position} differ from its text`;
  return undefined;
}

/**
 * Verifies one chain, which may grow meanwhile. An entry and the end of the chain are written in one transaction, so an
 * end that is read later is never before an entry that was seen.
 */
async function walkChain({
  rowsBehind,
  head,
}: {
  /** Returns the rows after that position, in order. */
  rowsBehind: (position: number) => AsyncIterable<AuditRow>;
  /** Returns the stored end of the chain; null if there is none. */
  head: () => Promise<ChainLink | null>;
}): Promise<ChainState> {
  let last = BEGINNING;
  for (let end = (await head()) ?? BEGINNING; ; ) {
    for await (const row of rowsBehind(last.position)) {
      const breach = breachOf(row, last);
      if (breach !== undefined) return { entries: last.position, breach };
      last = row;
    }
    const entries = last.position;
    if (entries < end.position) return { entries, breach: `the entries after position ${entries} are missing` };
    if (entries === end.position) {
      if (Buffer.from(end.hash).equals(last.hash)) return { entries };
      return { entries, breach: `the entry at position ${entries} does not match the end of the chain` };
    }
    end = (await head()) ?? BEGINNING;
    if (end.position < entries)
      return {
        entries: end.position,
        breach: `the entry at position ${end.position + 1} is beyond the end of the chain`,
      };
  }
}

/** Whether the columns used for lists match the hashed text. */
function repeats(row: AuditRow, entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  const { id, organisationId, environmentId, actor, action, target } = entry as {
    [name in 'id' | 'organisationId' | 'environmentId' | 'action']?: string;
  } & { actor?: { id?: string }; target?: { id?: string } };
  return (
    id === row.id &&
    organisationId === row.organisationId &&
    (environmentId ?? null) === row.environmentId &&
    (actor?.id ?? null) === row.actorId &&
    action === row.action &&
    target?.id === row.targetId
  );
}
