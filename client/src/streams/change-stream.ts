import type { Change } from '../generated/types.ts';
import { FollowedStream, type Following, type OpenStream } from './followed-stream.ts';

export type StreamedChange = {
  /** Position in the stream; pass it as `lastEventId` to resume after this event. */
  eventId: string;
  change: Change;
};

/**
 * Hints that resources of an environment have changed and should be read again. The kind `everything` means that
 * changes may have been missed.
 */
export class ChangeStream extends FollowedStream<StreamedChange> {
  constructor(open: OpenStream, following: Following) {
    super(open, following, (text, eventId) => ({
      eventId,
      // `as`: the service sends changes of this type.
      change: JSON.parse(text) as Change,
    }));
  }
}
