import type { ErrorClass } from '../../../kernel/words/statuses.ts';

/** Why an attempt failed. `message` is for the subscription's owner. */
export type AttemptError = { class: ErrorClass; message: string };

/**
 * A failure of an outgoing request with a text that may be shown: fixed words, never an address, a banner or a certificate. It has no
 * `code` on purpose: undici reconnects endlessly on UND_ERR_SOCKET and UND_ERR_INFO.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly class: ErrorClass;

  constructor(errorClass: ErrorClass, message: string, cause?: unknown) {
    super(message, { cause });
    this.class = errorClass;
  }
}

/** The same text for every blocked address, because the resolved address would reveal our network to the caller. */
export const blockedAddress = (): OutboundError => new OutboundError('blocked_address', 'blocked address');

type Entry = readonly [ErrorClass, string];

const PROTOCOL: Entry = ['protocol', 'the response was not valid HTTP/1.1'];
const RESET: Entry = ['connect', 'the connection was closed before a response arrived'];
const OUR_SOCKETS: Entry = ['connect', 'the service could not open a connection'];

/** Codes of Node's sockets and of undici 7, as observed on real sockets. */
const BY_CODE: ReadonlyMap<string, Entry> = new Map(
  Object.entries<Entry>({
    ECONNREFUSED: ['connect', 'the connection was refused'],
    EHOSTUNREACH: ['connect', 'the host cannot be reached'],
    ENETUNREACH: ['connect', 'the host cannot be reached'],
    ETIMEDOUT: ['connect', 'the connection could not be opened in time'],
    ECONNRESET: RESET,
    ECONNABORTED: RESET,
    EPIPE: RESET,
    UND_ERR_SOCKET: RESET,
    EADDRNOTAVAIL: OUR_SOCKETS,
    EMFILE: OUR_SOCKETS,
    ENFILE: OUR_SOCKETS,
    ENOBUFS: OUR_SOCKETS,
    UND_ERR_HEADERS_OVERFLOW: ['protocol', 'the response has more than 64 KiB of headers'],
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: PROTOCOL,
    // undici asserts that a status is at least 100 ("HTTP/1.1 099").
    ERR_ASSERTION: PROTOCOL,
    UND_ERR_INVALID_ARG: ['protocol', 'the request could not be sent: its path or a header is not valid in HTTP'],
  }),
);

const OLD_TLS = 'the receiver does not support TLS 1.2 or later';
const NO_TLS = 'the receiver does not use TLS on this port; it may be one for plain http';
const NO_CLIENT_CERTIFICATE = 'the receiver requires a client certificate, which the service does not send';

/** Handshake errors of OpenSSL and Node, in words that reveal nothing of the certificate itself. */
const TLS_TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    CERT_HAS_EXPIRED: 'the TLS certificate has expired',
    CERT_NOT_YET_VALID: 'the TLS certificate is not valid yet',
    CERT_REVOKED: 'the TLS certificate has been revoked',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
    SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate chain ends in an authority that is not trusted',
    UNABLE_TO_GET_ISSUER_CERT: 'the TLS certificate chain is incomplete',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the TLS certificate chain ends in an authority that is not trusted',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate chain is incomplete',
    ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host name',
    ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
    ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
    ERR_SSL_HTTP_REQUEST: NO_TLS,
  }),
);

/** Alerts of a receiver (RFC 8446 §6.2), by the end of the code; its beginning differs between releases of OpenSSL. */
const ALERT_TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    NO_APPLICATION_PROTOCOL: 'the receiver does not offer HTTP/1.1 over TLS; it may support only HTTP/2',
    PROTOCOL_VERSION: OLD_TLS,
    CERTIFICATE_REQUIRED: NO_CLIENT_CERTIFICATE,
    // No certificate is sent, so a bad one means the missing one.
    BAD_CERTIFICATE: NO_CLIENT_CERTIFICATE,
    // Up to TLS 1.2, both causes have the same alert.
    HANDSHAKE_FAILURE:
      'the receiver rejected the TLS handshake: it requires a client certificate, which the service does not send, or has no cipher in common',
  }),
);
const ALERT = /^ERR_SSL_.{0,20}_ALERT_(\w{1,40})$/;

const tlsTextOf = (error: unknown): string | undefined => {
  const code = textOf(error, 'code');
  return TLS_TEXTS.get(code) ?? ALERT_TEXTS.get(ALERT.exec(code)?.[1] ?? '');
};

const DNS_TEXTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ENOTFOUND: 'the host name does not exist',
    ENODATA: 'the host name has no address',
  }),
);

/** A string member of anything thrown. Without `instanceof Error`, because an error may come from another realm (a vm context, jest). */
function textOf(error: unknown, member: 'code' | 'message'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, member);
  return typeof value === 'string' ? value : '';
}

/** Whether a failed name lookup means that the name does not exist, or has no address. */
export const isAbsentName = (error: unknown): boolean => DNS_TEXTS.has(textOf(error, 'code'));

/** A failed name lookup, with a text that may be shown. */
export const dnsError = (error: unknown): OutboundError =>
  new OutboundError('dns', DNS_TEXTS.get(textOf(error, 'code')) ?? 'the host name could not be resolved', error);

/** A failed TLS handshake: anything that went wrong between the TCP connection and the first byte of HTTP. */
export const tlsError = (error: unknown): OutboundError =>
  new OutboundError('tls', tlsTextOf(error) ?? 'the TLS handshake failed', error);

/**
 * Returns the class and the shown text of every failure before the response headers are complete. An unknown failure is `protocol`,
 * because the parser throws errors without a code for text that is not HTTP. Never throws.
 */
export function classifyError(error: unknown): AttemptError {
  if (error instanceof OutboundError) return { class: error.class, message: error.message };
  const code = textOf(error, 'code');
  // With TLS 1.3, a receiver checks the client's certificate when the handshake is already over for the client.
  const tlsText = tlsTextOf(error);
  if (tlsText !== undefined) return { class: 'tls', message: tlsText };
  // A 101, or bytes that no request is waiting for: undici reports both as socket errors that differ only in their text.
  const isBadAnswer = code === 'UND_ERR_SOCKET' && textOf(error, 'message').startsWith('bad ');
  const [errorClass, message] = (isBadAnswer ? undefined : BY_CODE.get(code)) ?? PROTOCOL;
  return { class: errorClass, message };
}
