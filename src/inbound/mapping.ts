import { createHash } from 'node:crypto';
import { type ApiError, invalidField } from '../kernel/errors.ts';
import { MAX_EVENT_TYPE_LENGTH, publishedEventTypeProblem } from '../kernel/words/event-types.ts';
import { hasControlCharacter } from '../kernel/values/text.ts';
import { scalarAt, spansAt, textAt } from './schemes/pointer.ts';
import { at, header, type Provider } from './providers/provider.ts';
import type { WebhookSettings } from './schema.ts';
import type { Content, Incoming } from './schemes/scheme.ts';
import { LRUCache } from 'lru-cache';
import {
  createExpressions,
  type Expression,
  ExpressionRefused,
  explainFailure,
} from '../messaging/filters/expressions/expressions.ts';
import { UNITS_OF_A_FILTER } from '../messaging/filters/expressions/units.ts';
import { readMessage } from '../messaging/filters/filters.ts';
import { compilePattern } from '../messaging/filters/pattern.ts';

/** Event type of messages whose request does not name one. */
const DEFAULT_EVENT_TYPE = 'webhook.received';
/** Event ids are part of a key; longer ones are replaced by their hash. */
const MAX_EVENT_ID_LENGTH = 255;

/**
 * Returns the event id as it is stored; undefined if there is none. Throws INVALID_REQUEST (field eventId) if the
 * webhook's own mapping finds none: without an id a repeated request would become a second message, which the mapping
 * was meant to prevent.
 */
export function eventIdOf(
  incoming: Incoming,
  { provider, settings, replayKey }: { provider: Provider; settings: WebhookSettings; replayKey: string | undefined },
): string | undefined {
  const { eventId } = settings;
  const mapped = eventId && readOf(eventId)(incoming);
  if (eventId !== undefined && (mapped === undefined || mapped === ''))
    throw invalidField('eventId', "was not found where the webhook's mapping looks for it");
  const found = mapped ?? provider.eventId?.(incoming) ?? replayKey;
  if (found === undefined || found === '') return undefined;
  if (found.length <= MAX_EVENT_ID_LENGTH && isPlain(found)) return found;
  // JSON escapes keep ids distinct that differ only in a lone surrogate, which UTF-8 cannot encode.
  const hashed = LONE_SURROGATE.test(found) ? JSON.stringify(found) : found;
  return `sha256:${createHash('sha256').update(hashed).digest('hex')}`;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether PostgreSQL can store the text and a person can read it. */
const isPlain = (text: string): boolean => !hasControlCharacter(text) && !LONE_SURROGATE.test(text);

/** Callers pass exactly one of the two. */
const readOf = ({ header: name = '', pointer }: { header?: string; pointer?: string }) =>
  pointer === undefined ? header(name.toLowerCase()) : at(pointer);

/** Returns the part of the request that mappings see. */
export const contentOf = (incoming: Incoming, { content }: Provider): Content =>
  content === undefined ? incoming.content() : content(incoming);

/**
 * Returns the event type of a message, or `webhook.received` if the provider names none. Throws INVALID_REQUEST (field
 * eventType) if the webhook's own mapping finds none, or if the type is too long or not allowed for publishers, because
 * filters cannot match it.
 */
export function eventTypeOf(
  incoming: Incoming,
  {
    provider,
    settings: { eventType },
    content,
    metadata,
    expressions,
  }: {
    provider: Provider;
    settings: WebhookSettings;
    content: Content;
    metadata: Readonly<Record<string, string>>;
    expressions: EventTypeExpressions;
  },
): string {
  const given = (): string => {
    const found = provider.eventType?.(incoming);
    return found === undefined || found === '' ? DEFAULT_EVENT_TYPE : found;
  };
  const mapped = (): string | undefined => {
    if (eventType === undefined) return given();
    if (eventType.literal !== undefined) return eventType.literal;
    if (eventType.pointer !== undefined) return scalarAt(content.text, eventType.pointer);
    if (eventType.header !== undefined) return header(eventType.header.toLowerCase())(incoming);
    try {
      return expressions.evaluate(eventType.cel ?? '', { payload: content.text, metadata, eventType: given() });
    } catch (error) {
      throw invalidField('eventType', `cannot be evaluated: ${error instanceof Error ? error.message : ''}`);
    }
  };
  const found = mapped();
  if (found === undefined || found === '')
    throw invalidField('eventType', "was not found where the webhook's mapping looks for it");
  if (found.length > MAX_EVENT_TYPE_LENGTH || !isPlain(found))
    throw invalidField(
      'eventType',
      `must have at most ${MAX_EVENT_TYPE_LENGTH} characters, none of them control characters or half of a surrogate pair`,
    );
  const problem = publishedEventTypeProblem(found);
  if (problem !== undefined) throw invalidField('eventType', problem);
  return found;
}

/** Maximum payload size for inbound webhooks, equal to the maximum request size. Publishers have a lower limit. */
const PAYLOAD_BYTES = 1_048_576;
/** Length of the object that is put around an array. */
const AROUND_LIST = '{"events":}'.length;

/**
 * Returns the payload's text, digit for digit as received. Throws INVALID_REQUEST (field payload) if it is not an
 * object or larger than 1 MiB.
 */
export function payloadOf({ text }: Content, { provider, settings: { payload } }: Mapped): string {
  const mapped =
    payload?.fields === undefined ? selected(text, payload?.pointer, provider) : built(text, payload.fields);
  if (Buffer.byteLength(mapped) > PAYLOAD_BYTES + AROUND_LIST) throw tooLong();
  return mapped;
}

const tooLong = (): ApiError =>
  invalidField('payload', `must have at most ${PAYLOAD_BYTES} bytes; map a part of the body instead`);

type Mapped = { provider: Provider; settings: WebhookSettings };

function selected(text: string, pointer: string | undefined, { payload: usual }: Provider): string {
  if (pointer === undefined) {
    const inner = usual === undefined ? undefined : textAt(text, usual);
    return inner?.startsWith('{') === true ? inner : text;
  }
  const found = textAt(text, pointer);
  if (found?.startsWith('[') === true) return `{"events":${found}}`;
  if (found?.startsWith('{') !== true)
    throw invalidField('payload', "is not an object where the webhook's mapping looks for it");
  return found;
}

/**
 * Pointers can overlap: each of 50 fields could select the whole body. The lengths are therefore added up before the
 * text is built.
 */
function built(text: string, fields: Readonly<Record<string, string>>): string {
  const names = Object.keys(fields);
  const spans = spansAt(text, Object.values(fields));
  const length = spans.reduce((sum, span) => sum + (span === undefined ? 0 : span.end - span.start), 0);
  if (length > PAYLOAD_BYTES) throw tooLong();
  const members = spans.flatMap((span, index) =>
    span === undefined ? [] : [`${JSON.stringify(names[index])}:${text.slice(span.start, span.end)}`],
  );
  return `{${members.join(',')}}`;
}

/** Cache size, in characters of expressions; each counts as at least `LEAST_WEIGHT` to account for its syntax tree. */
const KEPT = 200_000;
const LEAST_WEIGHT = 200;

/** The request as the expression sees it. `payload` is JSON text. */
type Seen = { payload: string; metadata: Readonly<Record<string, string>>; eventType: string };

export type EventTypeExpressions = {
  /** Returns why an expression cannot be used for event types; undefined if it can. */
  problemOf(expression: string): string | undefined;
  /** Throws an Error whose message is meant for the author of the expression. */
  evaluate(expression: string, seen: Seen): string;
};

/**
 * CEL for event types: the language and limits of filters (docs/reference/filters.md), but with a string as the result.
 * `eventType` is the one from the provider. Takes up to about 1 ms for the largest payload.
 */
export function createEventTypeExpressions(): EventTypeExpressions {
  const expressions = createExpressions(compilePattern);
  const kept = new LRUCache<string, Expression>({ maxSize: KEPT });

  const compile = (text: string): Expression => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const compiled = expressions.compile(text);
    if (compiled.type !== 'string' && compiled.type !== 'dyn')
      throw new ExpressionRefused(`must return string, returns ${compiled.type}`);
    if (compiled.cost.units > UNITS_OF_A_FILTER)
      throw new ExpressionRefused(
        `takes up to ${compiled.cost.units} units per request; the limit is ${UNITS_OF_A_FILTER}`,
      );
    kept.set(text, compiled, { size: LEAST_WEIGHT + text.length });
    return compiled;
  };

  return {
    problemOf(text) {
      try {
        compile(text);
        return undefined;
      } catch (error) {
        if (error instanceof ExpressionRefused) return error.message;
        throw error;
      }
    },
    evaluate(text, seen) {
      const { evaluate } = compile(text);
      let result: unknown;
      try {
        result = evaluate(readMessage(seen));
      } catch (error) {
        throw new Error(explainFailure(text, error), { cause: error });
      }
      if (typeof result !== 'string') throw new Error('must return a string');
      return result;
    },
  };
}
