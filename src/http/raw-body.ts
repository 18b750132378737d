import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { parse } from 'secure-json-parse';
import { ApiError, invalidField } from '../shared/api-error.ts';
import type { Middleware } from './context.ts';
import { checkJson, refuseAbsurdDepth } from './json-guard.ts';

/** Largest request body in bytes, by the route's size (docs/security.md). */
export const BODY_LIMITS = { control: 256 * 1024, publish: 5 * 1024 * 1024 } as const;

/**
 * Reads the body: exact text to bodyText, parsed and checked JSON to body. A route without a body schema tolerates one, but it
 * must still be valid. Everything the headers can tell is refused before a byte is read: Node 20's Brotli decoder has a
 * published exploit (CVE-2026-111497), so nothing is ever decompressed.
 */
export const rawBody: Middleware = async (ctx, next) => {
  const { req, state } = ctx;
  refuseEncoding(req);
  if (hasBody(req)) {
    refuseMediaType(req);
    const bytes = await read(req, BODY_LIMITS[state.route?.size ?? 'control']);
    // An empty chunked body is no body.
    if (bytes.length > 0) {
      state.bodyText = decode(bytes);
      refuseAbsurdDepth(state.bodyText);
      state.body = parseJson(state.bodyText);
      checkJson(state.body);
    }
  }
  await next();
};

function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || /^\s*identity\s*$/i.test(encoding)) return;
  throw unsupported('Content-Encoding', 'must be identity: compressed bodies are not taken');
}

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

function refuseMediaType(request: IncomingMessage): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') throw unsupported('Content-Type', 'must be application/json');
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='));
  if (charsets.some((charset) => !/^charset="?utf-8"?$/.test(charset))) {
    throw unsupported('Content-Type', 'must have the charset utf-8 or none');
  }
}

const unsupported = (field: string, reason: string): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', `${field}: ${reason}`, { details: { field, reason } });

async function read(request: IncomingMessage, limit: number): Promise<Buffer> {
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
    if (type === 'request.aborted' || type === 'request.size.invalid')
      throw invalidField('body', 'ended before it was complete');
    throw thrown;
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
    // The parser's own text may quote the body, so only the position is taken from it.
    const position = /at position \d+/.exec(message)?.[0];
    throw invalidField('body', position === undefined ? 'is not valid JSON' : `is not valid JSON (${position})`);
  }
}
