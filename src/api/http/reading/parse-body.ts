import { parse } from 'secure-json-parse';
import { COSTLY_BYTES, type Slices, takeSteps } from '../../../platform/slices.ts';
import { type ApiError, invalidField } from '../../../kernel/errors.ts';
import { type Middleware, FORM_TYPE, mediaTypeOf, turnOwnerOf } from '../route/context.ts';
import {
  ABSURD_DEPTH,
  atOnce,
  checkJson,
  MAX_BODY_CONTAINERS,
  type MessageSpans,
  refuseCostlyJson,
  refuseDoubledMembers,
  type Steps,
} from './json-guard.ts';
import type { MessageBounds } from '../route/route.ts';
import { parseQuery } from './query.ts';

/** Messages are parsed together up to this length, in UTF-16 units. */
const CHARACTERS_PER_PARSE = 128 * 1024;

/**
 * Reads the bytes as the route consumes them: the exact text goes to bodyText; parsed and checked JSON, or the fields of a form, to
 * body. A route without a body schema accepts a JSON body too, but it must be valid. Raw bytes are left alone. Large JSON bodies wait
 * in a queue (slices.ts) in which an environment counts as one, so they are read one after the other.
 */
export function parseBody(costly: Slices): Middleware {
  return ({ req, state }, next) => {
    const { bytes, route, caller } = state;
    const consumes = route?.consumes ?? 'none';
    // An empty chunked body counts as no body.
    if (bytes.length === 0 || typeof consumes !== 'string') return next();
    const isForm = consumes === 'form' || (consumes === 'parameters' && mediaTypeOf(req) === FORM_TYPE);
    if (isForm) {
      state.bodyText = decode(bytes);
      state.body = parseQuery(state.bodyText);
      return next();
    }
    const toState = ({ text, value }: JsonBody): void => {
      state.bodyText = text;
      state.body = value;
      if (consumes === 'parameters') refuseDoubledMembers(text);
    };
    if (bytes.length >= COSTLY_BYTES)
      return takeSteps(costly, turnOwnerOf(caller), {
        steps: readingJson(bytes, route?.messageBounds),
        bytes: bytes.length,
      })
        .then(toState)
        .then(next);
    toState(readJson(bytes, route?.messageBounds));
    return next();
  };
}

type JsonBody = { text: string; value: unknown };

/** Returns text and value of JSON bytes, with the same checks as every request body. Throws INVALID_REQUEST. */
export const readJson = (bytes: Buffer, bounds?: MessageBounds): JsonBody => atOnce(readingJson(bytes, bounds));

/** Does what `readJson` does in steps, each up to 5 ms for ordinary JSON and 15 ms in the worst case. */
function* readingJson(bytes: Buffer, bounds: MessageBounds | undefined): Steps<JsonBody> {
  const text = decode(bytes);
  const messages = yield* refuseCostlyJson(text, bounds);
  yield;
  const value = messages === undefined ? parseJson(text) : yield* parseMessages(text, messages);
  yield;
  yield* checkJson(value);
  return { text, value };
}

/**
 * Returns text and value of JSON bytes that another service has written. They are kept unchanged, so characters, numbers and member
 * names that publishers may not send are allowed. Throws INVALID_REQUEST for bytes that are not JSON, or too costly to parse
 * (json-guard.ts).
 */
export function readForeignJson(bytes: Buffer): { text: string; value: unknown } {
  const text = decode(bytes);
  // Such a body has at most 1 MiB, so a tighter limit is not needed.
  atOnce(refuseCostlyJson(text, undefined, { mostContainers: MAX_BODY_CONTAINERS, depth: ABSURD_DEPTH }));
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (thrown) {
    throw notJson(thrown);
  }
}

/** Returns the value of a body whose messages are parsed one at a time, because 5 MiB of JSON in one piece take up to 80 ms. */
function* parseMessages(text: string, { start, end, elements }: MessageSpans): Steps<unknown> {
  const messages: unknown[] = [];
  let parsed = 0;
  for (const element of elements) {
    messages.push(parseJson(text.slice(element.start, element.end), (position) => element.start + position));
    parsed += element.end - element.start;
    if (parsed < CHARACTERS_PER_PARSE) continue;
    parsed = 0;
    yield;
  }
  // Only there is the array empty, and valid JSON stays valid when valid elements are put into it.
  const emptied = (position: number): number => (position < start + 2 ? position : position - start - 2 + end);
  const body = parseJson(`${text.slice(0, start)}[]${text.slice(end)}`, emptied);
  // `as`: the scan has found the array as a member of an object, and JSON.parse agrees that there is one.
  (body as { messages: unknown }).messages = messages;
  return body;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidField('body', 'must be valid UTF-8');
  }
}

/** Maps a position in the parsed text to one in the body. */
type InBody = (position: number) => number;

function parseJson(text: string, inBody?: InBody): unknown {
  try {
    return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : '';
    if (message.includes('forbidden prototype'))
      throw invalidField('body', 'must not have a key __proto__ or constructor.prototype');
    throw notJson(thrown, inBody);
  }
}

/** The parser's own text may quote the body, so only the position is used. */
function notJson(thrown: unknown, inBody: InBody = (position) => position): ApiError {
  const position = /at position (\d+)/.exec(thrown instanceof Error ? thrown.message : '')?.[1];
  const at = position === undefined ? '' : ` (at position ${inBody(Number(position))})`;
  return invalidField('body', `must be valid JSON${at}`);
}
