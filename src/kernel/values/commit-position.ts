import { invalidField } from '../errors.ts';
import { hasIdForm } from './ids.ts';
import { fingerprint } from './page.ts';

/**
 * A position in a channel's messages in commit order: after this message of this transaction (xid8, decimal). An empty id means the
 * very beginning.
 */
export type StreamPosition = { transactionId: string; id: string };

/** Scope of a position. `database` is PostgreSQL's system identifier, because another server counts its own transactions. */
export type StreamScope = { channelId: string; environmentId: string; database: string };

/** Where a caller names a position: the header of a stream by default, or the cursor of a list with these filters. */
export type PositionUse = { field: string; list: string; eventType?: string | undefined };
const OF_STREAM: PositionUse = { field: 'Last-Event-ID', list: 'stream' };

export const BEGINNING: StreamPosition = { transactionId: '0', id: '' };

const SEPARATOR = '.';

/**
 * Encodes and decodes the positions of one stream or list: base64url, bound to channel, environment, database and filters, but not
 * signed.
 */
export function streamPositions(
  { channelId, environmentId, database }: StreamScope,
  { field, list, eventType }: PositionUse = OF_STREAM,
) {
  const mark = fingerprint({ list: `${list} of ${channelId}`, environmentId, filters: { database, eventType } });
  const encode = ({ transactionId, id }: StreamPosition): string =>
    Buffer.from([transactionId, id, mark].join(SEPARATOR)).toString('base64url');

  return {
    encode,

    /**
     * Decodes a position of the same stream. `horizon` is above every transaction that has ended: no position at or above it was ever
     * returned, unless this database has been restored to an earlier state since. Throws INVALID_REQUEST (field Last-Event-ID, or
     * cursor) for such a position and for anything else that is not a position of this stream.
     */
    decode(text: string, horizon: string): StreamPosition {
      const [transactionId, id, given, ...more] = Buffer.from(text, 'base64url').toString('utf8').split(SEPARATOR);
      const isOurs =
        transactionId !== undefined &&
        id !== undefined &&
        /^\d{1,20}$/.test(transactionId) &&
        (id === '' || hasIdForm(id)) &&
        given === mark &&
        more.length === 0;
      // As in a cursor: Node's decoder skips unknown characters, and encoding again reveals them.
      if (!isOurs || encode({ transactionId, id }) !== text) {
        throw invalidField(field, `must be a position of this ${list}`);
      }
      if (BigInt(transactionId) >= BigInt(horizon)) {
        throw invalidField(
          field,
          'must not be ahead of the database, which has been restored since; start with since instead',
        );
      }
      return { transactionId, id };
    },
  };
}
