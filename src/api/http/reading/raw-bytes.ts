import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { type Middleware, FORM_TYPE, JSON_TYPE } from '../route/context.ts';
import type { Consumes } from '../route/route.ts';

/** Largest request body in bytes, by the route's size. */
export const BODY_LIMITS = {
  parameters: 16 * 1024,
  control: 256 * 1024,
  inbound: 1024 * 1024,
  publish: 5 * 1024 * 1024,
} as const;

const NONE = Buffer.alloc(0);
const TYPES = { json: [JSON_TYPE], none: [JSON_TYPE], form: [FORM_TYPE], parameters: [JSON_TYPE, FORM_TYPE] } as const;
/** Raw bytes of every type, those without one included. */
export const ANY_TYPE = '*/*';

/**
 * Reads the body, whose exact bytes stay with the request: whoever proves something over them needs just these. Everything the
 * headers can tell is refused before a byte is read: decoders of Node have had published exploits (Brotli, CVE-2026-111497), so
 * nothing is ever decompressed.
 */
export const rawBytes: Middleware = ({ req, state }, next) => {
  refuseEncoding(req);
  state.bytes = NONE;
  if (!hasBody(req)) return next();
  refuseMediaType(req, state.route?.consumes ?? 'none');
  return readBytes(req, BODY_LIMITS[state.route?.size ?? 'control']).then((bytes) => {
    state.bytes = bytes;
    return next();
  });
};

function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || /^\s*identity\s*$/i.test(encoding)) return;
  throw unsupported('Content-Encoding', 'must be identity: compressed bodies are not taken');
}

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function refuseMediaType(request: IncomingMessage, consumes: Consumes): void {
  const types = mediaTypesOf(consumes);
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (!types.includes(type) && !types.includes(ANY_TYPE))
    throw unsupported('Content-Type', `must be ${types.join(' or ')}`);
  if (typeof consumes !== 'string') return;
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='));
  if (charsets.some((charset) => !/^charset="?utf-8"?$/.test(charset))) {
    throw unsupported('Content-Type', 'must have the charset utf-8 or none');
  }
}

/** A route that takes nothing tolerates a body of JSON without fields. */
function mediaTypesOf(consumes: Consumes): readonly string[] {
  if (typeof consumes !== 'string') return consumes.raw;
  return TYPES[consumes];
}

const unsupported = (field: string, reason: string): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', `${field}: ${reason}`, { details: { field, reason } });

/**
 * Types of raw-body's errors for a caller who is gone: in the middle of the body, or before it was looked at, while a busy database
 * kept the request waiting.
 */
const BROKEN_OFF = ['request.aborted', 'request.size.invalid', 'stream.not.readable'];

/**
 * Pieces in which a body may come: so many, and one more for each 256 bytes of it. Each is a buffer of its own: 5 MiB in chunks of one
 * byte took a gigabyte of memory and a second of everybody's time. Clients send pieces of kilobytes.
 */
const FREE_PIECES = 4_096;
const BYTES_PER_PIECE = 256;

/**
 * The bytes of a body. PAYLOAD_TOO_LARGE for more than `limit` of them, INVALID_REQUEST for a body that broke off. The connection is
 * closed for a body in too many pieces.
 */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  let left = FREE_PIECES;
  request.on('data', (piece: Buffer) => {
    left += piece.length / BYTES_PER_PIECE - 1;
    if (left < 0) request.destroy();
  });
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null });
  } catch (thrown) {
    // raw-body stops the stream; what is left must still be taken off the wire, or the caller never comes to read the answer.
    request.resume();
    const type = thrown instanceof Error && 'type' in thrown ? thrown.type : undefined;
    if (type === 'entity.too.large') {
      const reason = `must be at most ${limit} bytes`;
      throw new ApiError('PAYLOAD_TOO_LARGE', `body: ${reason}`, { details: { field: 'body', reason } });
    }
    if (BROKEN_OFF.includes(String(type))) throw invalidField('body', 'ended before it was complete');
    throw thrown;
  }
}
