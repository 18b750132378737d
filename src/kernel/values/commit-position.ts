import { invalidField } from '../errors.ts';
import { hasIdForm } from './ids.ts';
import { fingerprint } from './page.ts';

/**
 * A position in a channel's messages in the order of their commits: behind this message of this transaction (xid8, decimal). No id:
 * before everything.
 */
export type StreamPosition = { transactionId: string; id: string };

/** Scope of a position. `database` is PostgreSQL's system identifier: another server counts its own transactions. */
export type StreamScope = { channelId: string; environmentId: string; database: string };

/** Where a caller names a position: the header of a stream by default, or the cursor of a list with these filters. */
export type PositionUse = { field: string; list: string; eventType?: string | undefined };
const OF_STREAM: PositionUse = { field: 'Last-Event-ID', list: 'stream' };

export const BEGINNING: StreamPosition = { transactionId: '0', id: '' };

const SEPARATOR = '.';

/** Writes and reads the positions of one stream or list: base64url, bound to channel, environment, database and filters, not signed. */
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
     * The position that a text of the same stream names. `horizon` is above every transaction that has ended: no position at or above
     * it was ever given out, unless this database has been set back since. Throws INVALID_REQUEST (field Last-Event-ID, or cursor) for
     * such a position and for anything else that is no position of this stream.
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
      // As in a cursor: Node's decoder skips unknown characters, and encoding again shows whether any were there.
      if (!isOurs || encode({ transactionId, id }) !== text) {
        throw invalidField(field, `is not a position of this ${list}`);
      }
      if (BigInt(transactionId) >= BigInt(horizon)) {
        throw invalidField(field, 'is ahead of the database, which has been restored since; begin with since');
      }
      return { transactionId, id };
    },
  };
}
