import type { Message } from '../generated/types.ts';
import { FollowedStream, type Following, type OpenStream } from './followed-stream.ts';

export type StreamedMessage = {
  /** Position in the stream; pass it as `lastEventId` to resume after this message. */
  eventId: string;
  message: Message;
  /** The message as received, digit for digit. */
  text: string;
};

/** Messages of a channel as they are published, each exactly once. */
export class MessageStream extends FollowedStream<StreamedMessage> {
  constructor(open: OpenStream, following: Following) {
    super(open, following, (text, eventId) => ({
      eventId,
      // `as`: the service sends messages of this type.
      message: JSON.parse(text) as Message,
      text,
    }));
  }
}
