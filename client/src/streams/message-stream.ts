import type { Message } from '../generated/types.ts';
import { FollowedStream, type Following, type OpenStream } from './followed-stream.ts';

export type StreamedMessage = {
  /** Its place in the stream: to go on behind it later, give it as `lastEventId`. */
  eventId: string;
  message: Message;
  /** The message as it came, digit for digit. */
  text: string;
};

/** Messages of a channel as they are published: none is missed and none comes twice. */
export class MessageStream extends FollowedStream<StreamedMessage> {
  constructor(open: OpenStream, following: Following) {
    super(open, following, (text, eventId) => ({
      eventId,
      // `as`: the service sends messages of this form.
      message: JSON.parse(text) as Message,
      text,
    }));
  }
}
