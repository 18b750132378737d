import type { ExportRuns } from '../../automations/runs/schema.ts';
import type { Runs } from '../../automations/runs/service.ts';
import type { ExportDeadLetters } from '../../delivery/dead-letters/schema.ts';
import type { DeadLetters } from '../../delivery/dead-letters/service.ts';
import type { ExportDeliveries } from '../../delivery/record/schema.ts';
import type { Deliveries } from '../../delivery/record/service.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import type { AuditAction } from '../../kernel/words/audit-actions.ts';
import { millisecondsOf } from '../../kernel/values/instant.ts';
import type { ExportMessages, MessageSummary } from '../../messaging/messages/schema.ts';
import type { Messages } from '../../messaging/messages/service.ts';
import { deadLetterColumns, deliveryColumns, messageColumns, runColumns, type Columns } from './columns.ts';
import type { ExportFormat } from '../../api/http/reading/query.ts';
import { CSV_LINE_END, csvLine } from '../../kernel/values/text.ts';
import { stringifyExact } from '../../kernel/values/exact-json.ts';
import type { Page } from '../../kernel/values/page.ts';

/** Maximum rows per export. */
export const MOST_EXPORTED = 100_000;

// Rows per query, about 500 kB. Each query has its own transaction, so that a slow reader does not hold a connection.
const ROWS_AT_ONCE = 500;

type ReadPage<T> = (page: { limit: number; cursor: string | undefined }) => Promise<Page<T>>;

/** Reads a list page by page, in its order; at most `MOST_EXPORTED` rows. */
export async function* pagesOf<T>(read: ReadPage<T>): AsyncGenerator<T[]> {
  let cursor: string | undefined;
  for (let left = MOST_EXPORTED; left > 0; ) {
    const { data, pagination } = await read({ limit: Math.min(left, ROWS_AT_ONCE), cursor });
    if (data.length > 0) yield data;
    left -= data.length;
    ({ cursor } = pagination);
    if (cursor === undefined) return;
  }
}

/** Writes rows as text, several at once: a CSV header with cells, or JSON Lines. */
async function* writeRows<T>(
  pages: AsyncIterable<readonly T[]>,
  { format, columns }: { format: ExportFormat; columns: Columns<T> },
): AsyncGenerator<string> {
  const cells = Object.values(columns);
  if (format === 'csv') yield csvLine(Object.keys(columns)) + CSV_LINE_END;
  for await (const rows of pages)
    yield rows
      .map((row) =>
        format === 'csv' ? csvLine(cells.map((cell) => cell(row))) + CSV_LINE_END : jsonLineOf(stringifyExact(row)),
      )
      .join('');
}

/**
 * A payload may have been published on several lines. In JSON, line breaks can only occur between tokens, where a space
 * is equivalent.
 */
const jsonLineOf = (json: string): string => `${json.replaceAll(/[\r\n]/g, ' ')}\n`;

type Lines = AsyncIterable<string>;
type Exported = Extract<AuditAction, `${string}.exported`>;

export type Exports = {
  messages(caller: EnvironmentCaller, query: ExportMessages): Promise<Lines>;
  deliveries(caller: EnvironmentCaller, query: ExportDeliveries): Promise<Lines>;
  deadLetters(caller: EnvironmentCaller, query: ExportDeadLetters): Promise<Lines>;
  runs(caller: EnvironmentCaller, query: ExportRuns): Promise<Lines>;
};

// Bytes of payloads in memory at a time for each export. A single message may be larger.
const PAYLOAD_BYTES = 512 * 1024;

/** Exports lists as files, page by page. The audit log records who exported what before the first line is sent. */
export function createExports(
  { tenants }: Pick<Dependencies, 'tenants'>,
  {
    audit,
    ...lists
  }: {
    audit: { record: RecordAudit };
    messages: Messages;
    deliveries: Deliveries;
    deadLetters: DeadLetters;
    runs: Runs;
  },
): Exports {
  const tell = (caller: EnvironmentCaller, action: Exported, query: Readonly<Record<string, unknown>>): Promise<void> =>
    tenants.onConnection(caller, (connection) =>
      audit.record(connection, caller, { action, target: { id: caller.environmentId }, after: toldOf(query) }),
    );

  /** Reads messages with their payloads, as many at a time as the memory limit allows. */
  async function* wholeMessages(caller: EnvironmentCaller, pages: AsyncIterable<MessageSummary[]>) {
    for await (const page of pages)
      for (const part of partsOf(page))
        yield await lists.messages.getMany(
          caller,
          part.map(({ id }) => id),
        );
  }

  return {
    async messages(caller, { format, ...filter }) {
      await tell(caller, 'message.exported', { format, ...filter });
      const pages = pagesOf((page) => lists.messages.search(caller, { ...filter, ...page }));
      return writeRows(wholeMessages(caller, pages), { format, columns: messageColumns });
    },

    async deliveries(caller, { format, ...filter }) {
      await tell(caller, 'delivery.exported', { format, ...filter });
      const pages = pagesOf((page) => lists.deliveries.list(caller, { ...filter, ...page }));
      return writeRows(pages, { format, columns: deliveryColumns });
    },

    async deadLetters(caller, { format, ...filter }) {
      await tell(caller, 'dead_letter.exported', { format, ...filter });
      const pages = pagesOf((page) => lists.deadLetters.list(caller, { ...filter, ...page }));
      return writeRows(pages, { format, columns: deadLetterColumns });
    },

    async runs(caller, { format, ...filter }) {
      await tell(caller, 'run.exported', { format, ...filter });
      const pages = pagesOf((page) => lists.runs.list(caller, { ...filter, ...page }));
      return writeRows(pages, { format, columns: runColumns });
    },
  };
}

/** Query values as the caller wrote them; JSON has no bigint. */
const toldOf = (query: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'bigint'
        ? new Date(millisecondsOf(value)).toISOString()
        : Array.isArray(value)
          ? value.join(',')
          : value,
    ]),
  );

/** Splits messages, in order, into parts whose payloads fit the memory limit. */
function partsOf(messages: readonly MessageSummary[]): MessageSummary[][] {
  const parts: MessageSummary[][] = [];
  let room = 0;
  for (const message of messages) {
    const { payloadBytes = 0 } = message;
    const last = parts.at(-1);
    if (last === undefined || payloadBytes > room) {
      parts.push([message]);
      room = PAYLOAD_BYTES - payloadBytes;
    } else {
      last.push(message);
      room -= payloadBytes;
    }
  }
  return parts;
}
