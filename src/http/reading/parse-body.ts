import { parse } from 'secure-json-parse';
import { type ApiError, invalidField } from '../../kernel/errors/api-error.ts';
import type { Middleware } from '../route/context.ts';
import { checkJson, refuseAbsurdDepth, refuseDoubledMembers } from './json-guard.ts';
import { FORM_TYPE, mediaTypeOf } from '../route/media-type.ts';
import { parseQuery } from './parse-query.ts';

/**
 * Reads the bytes as the route takes them: exact text to bodyText; parsed and checked JSON, or the fields of a form, to body. A
 * route without a body schema tolerates one of JSON, but it must still be valid. Raw bytes are left as they are.
 */
export const parseBody: Middleware = ({ req, state }, next) => {
  const { bytes, route } = state;
  const consumes = route?.consumes ?? 'none';
  // An empty chunked body is no body.
  if (bytes.length > 0 && typeof consumes === 'string') {
    const isForm = consumes === 'form' || (consumes === 'parameters' && mediaTypeOf(req) === FORM_TYPE);
    if (isForm) {
      state.bodyText = decode(bytes);
      state.body = parseQuery(state.bodyText);
    } else {
      ({ text: state.bodyText, value: state.body } = readJson(bytes));
      if (consumes === 'parameters') refuseDoubledMembers(state.bodyText);
    }
  }
  return next();
};

/** Text and value of JSON bytes, read as every body is. Throws INVALID_REQUEST. */
export function readJson(bytes: Buffer): { text: string; value: unknown } {
  const text = decode(bytes);
  refuseAbsurdDepth(text);
  const value = parseJson(text);
  checkJson(value);
  return { text, value };
}

/**
 * Text and value of JSON bytes that another service has written, which are kept as they came: characters, numbers and member names
 * that publishers may not send are fine. Throws INVALID_REQUEST for bytes that are not JSON, or nested deeper than 64 levels.
 */
export function readForeignJson(bytes: Buffer): { text: string; value: unknown } {
  const text = decode(bytes);
  refuseAbsurdDepth(text);
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch (thrown) {
    throw notJson(thrown);
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidField('body', 'is not valid UTF-8');
  }
}

function parseJson(text: string): unknown {
  try {
    return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : '';
    if (message.includes('forbidden prototype'))
      throw invalidField('body', 'has a key __proto__ or constructor.prototype');
    throw notJson(thrown);
  }
}

/** The parser's own text may quote the body, so only the position is taken from it. */
function notJson(thrown: unknown): ApiError {
  const position = /at position \d+/.exec(thrown instanceof Error ? thrown.message : '')?.[0];
  return invalidField('body', position === undefined ? 'is not valid JSON' : `is not valid JSON (${position})`);
}
