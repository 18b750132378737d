import { invalidField } from '../../kernel/errors.ts';
import { elementSpans, memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';
import { MESSAGE_LIMITS } from '../messages/schema.ts';

/**
 * The payload's own text inside a request body that has already been validated, for a single publish.
 * Throws INVALID_REQUEST (field payload) above 256 KiB. The body's depth and members were bounded when it was parsed.
 */
export function payloadText(bodyText: string): string {
  return checked('payload', sliceOf(bodyText, memberSpan(bodyText, wholeSpan(bodyText), 'payload')));
}

/** The same for every message of a batch, in order; the field is `messages[i].payload`. */
export function batchPayloadTexts(bodyText: string): string[] {
  const messages = memberSpan(bodyText, wholeSpan(bodyText), 'messages');
  if (messages === undefined) return [];
  return elementSpans(bodyText, messages).map((message, index) =>
    checked(`messages[${index}].payload`, sliceOf(bodyText, memberSpan(bodyText, message, 'payload'))),
  );
}

function sliceOf(text: string, span: { start: number; end: number } | undefined): string {
  return span === undefined ? '' : text.slice(span.start, span.end);
}

function checked(field: string, text: string): string {
  if (Buffer.byteLength(text) > MESSAGE_LIMITS.payloadBytes) {
    throw invalidField(field, `must have at most ${MESSAGE_LIMITS.payloadBytes} bytes`);
  }
  return text;
}
