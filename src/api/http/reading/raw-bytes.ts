import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { type Middleware, FORM_TYPE, JSON_TYPE } from '../route/context.ts';
import type { Consumes } from '../route/route.ts';

/** Maximum request body in bytes, by the size class of the route. */
export const BODY_LIMITS = {
  parameters: 16 * 1024,
  control: 256 * 1024,
  inbound: 1024 * 1024,
  publish: 5 * 1024 * 1024,
} as const;

const NONE = Buffer.alloc(0);
const TYPES = { json: [JSON_TYPE], none: [JSON_TYPE], form: [FORM_TYPE], parameters: [JSON_TYPE, FORM_TYPE] } as const;
/** Raw bytes of any type, including requests without one. */
export const ANY_TYPE = '*/*';

/**
 * Reads the body and keeps its exact bytes, which signature checks need. Everything that the headers reveal is rejected before a byte
 * is read. Bodies are never decompressed, because Node's decoders have had published exploits (Brotli, CVE-2026-111497).
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
  throw unsupported('Content-Encoding', 'must be identity: compressed bodies are not supported');
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

/** A route without a body tolerates a JSON body without fields. */
function mediaTypesOf(consumes: Consumes): readonly string[] {
  if (typeof consumes !== 'string') return consumes.raw;
  return TYPES[consumes];
}

const unsupported = (field: string, reason: string): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', `${field}: ${reason}`, { details: { field, reason } });

/**
 * Types of raw-body's errors if the caller has disconnected: in the middle of the body, or before it was read, while a busy database
 * kept the request waiting.
 */
const BROKEN_OFF = ['request.aborted', 'request.size.invalid', 'stream.not.readable'];

/**
 * Number of chunks that a body may arrive in: this many, plus one for each 256 bytes. Each chunk is a buffer of its own: 5 MiB in
 * chunks of one byte took a gigabyte of memory and blocked the process for a second. Clients send chunks of kilobytes.
 */
const FREE_PIECES = 4_096;
const BYTES_PER_PIECE = 256;

/**
 * Returns the bytes of a body. Throws PAYLOAD_TOO_LARGE if there are more than `limit`, and INVALID_REQUEST if the body broke off.
 * Closes the connection if the body arrives in too many chunks.
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
    // raw-body stops reading; the rest must still be consumed, or the caller never gets to read the response.
    request.resume();
    const type = thrown instanceof Error && 'type' in thrown ? thrown.type : undefined;
    if (type === 'entity.too.large') {
      const reason = `must be at most ${limit} bytes`;
      throw new ApiError('PAYLOAD_TOO_LARGE', `body: ${reason}`, { details: { field: 'body', reason } });
    }
    if (BROKEN_OFF.includes(String(type)))
      throw invalidField('body', 'must be complete, but the connection ended early');
    throw thrown;
  }
}
