import { invalidField } from '../kernel/api-error.ts';
import { elementSpans, memberSpan, wholeSpan } from '../kernel/exact-json.ts';
import { MESSAGE_LIMITS } from '../messages/schema.ts';

/**
 * The payload's own text inside a request body that has already been validated, for a single publish.
 * Throws INVALID_REQUEST (field payload) above 256 KiB or deeper than 32 levels.
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
  if (depthOf(text) > MESSAGE_LIMITS.payloadDepth) {
    throw invalidField(field, `must not be nested deeper than ${MESSAGE_LIMITS.payloadDepth} levels`);
  }
  return text;
}

/** How deep a valid JSON text is nested: 1 for a flat object. Strings are stepped over. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
