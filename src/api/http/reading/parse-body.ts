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
 * Reads the bytes as the route takes them: exact text to bodyText; parsed and checked JSON, or the fields of a form, to body. A
 * route without a body schema tolerates one of JSON, but it must still be valid. Raw bytes are left as they are. Large bodies of JSON
 * wait for their turn (slices.ts), in which an environment counts as one: they are read one after the other.
 */
export function parseBody(costly: Slices): Middleware {
  return ({ req, state }, next) => {
    const { bytes, route, caller } = state;
    const consumes = route?.consumes ?? 'none';
    // An empty chunked body is no body.
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

/** Text and value of JSON bytes, read as every body is. Throws INVALID_REQUEST. */
export const readJson = (bytes: Buffer, bounds?: MessageBounds): JsonBody => atOnce(readingJson(bytes, bounds));

/** The same in steps, each with at most 5 ms of work for ordinary JSON and 15 ms for the worst. */
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
 * Text and value of JSON bytes that another service has written, which are kept as they came: characters, numbers and member names
 * that publishers may not send are fine. Throws INVALID_REQUEST for bytes that are not JSON, or too costly to parse (json-guard.ts).
 */
export function readForeignJson(bytes: Buffer): { text: string; value: unknown } {
  const text = decode(bytes);
  // Such a body has at most 1 MiB: there is no need to count its objects more closely.
  atOnce(refuseCostlyJson(text, undefined, { mostContainers: MAX_BODY_CONTAINERS, depth: ABSURD_DEPTH }));
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (thrown) {
    throw notJson(thrown);
  }
}

/** The value of a body whose messages are parsed one at a time: 5 MiB of JSON in one piece take up to 80 ms. */
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
  // The array is empty there and only there, and valid JSON stays valid where valid elements are put into it.
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
    throw invalidField('body', 'is not valid UTF-8');
  }
}

/** Where a position in the parsed text is in the body. */
type InBody = (position: number) => number;

function parseJson(text: string, inBody?: InBody): unknown {
  try {
    return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : '';
    if (message.includes('forbidden prototype'))
      throw invalidField('body', 'has a key __proto__ or constructor.prototype');
    throw notJson(thrown, inBody);
  }
}

/** The parser's own text may quote the body, so only the position is taken from it. */
function notJson(thrown: unknown, inBody: InBody = (position) => position): ApiError {
  const position = /at position (\d+)/.exec(thrown instanceof Error ? thrown.message : '')?.[1];
  const at = position === undefined ? '' : ` (at position ${inBody(Number(position))})`;
  return invalidField('body', `is not valid JSON${at}`);
}
