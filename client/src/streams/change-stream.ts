import type { Change } from '../generated/types.ts';
import { FollowedStream, type Following, type OpenStream } from './followed-stream.ts';

export type StreamedChange = {
  /** Its place in the stream: to go on behind it later, give it as `lastEventId`. */
  eventId: string;
  change: Change;
};

/** Hints that something of an environment has changed, to look again. The kind `everything` says that some may have been missed. */
export class ChangeStream extends FollowedStream<StreamedChange> {
  constructor(open: OpenStream, following: Following) {
    super(open, following, (text, eventId) => ({
      eventId,
      // `as`: the service sends changes of this form.
      change: JSON.parse(text) as Change,
    }));
  }
}
