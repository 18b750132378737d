/** Maximum number of custom headers of a subscription, and their sizes in characters. */
export const CUSTOM_HEADER_BOUNDS = { count: 20, name: 64, value: 4_096 } as const;

const NAME = /^[A-Za-z0-9!#$%&'*+.^_|~-]+$/;
/** Printable ASCII and inner spaces: RFC 9110 §5.5 without obs-text, and nothing that could end a line. */
const VALUE = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

/**
 * Names that a subscription may not set, in the form of `folded`: the service's own, hop-by-hop headers and those that frame the
 * message (RFC 9110 §7.6.1). Also names from which a receiver, or a server behind it, derives who sent a request, with which method, to
 * which host or path, and in whose session. A tenant who could set these could impersonate others.
 */
const DENIED_NAMES: ReadonlySet<string> = new Set([
  '--proto--',
  'accept-encoding',
  // Belongs to a trace, like traceparent and tracestate (W3C Baggage).
  'baggage',
  'cdn-loop',
  'client-ip',
  'connection',
  'cookie',
  'cookie2',
  'csrf-token',
  'date',
  'early-data',
  'expect',
  'forwarded',
  'forwarded-for',
  'host',
  'http2-settings',
  'keep-alive',
  'origin',
  // CGI passes it on as HTTP_PROXY, which programs take for their own setting.
  'proxy',
  // With it a receiver may respond with part of its page, and 206 counts as delivered.
  'range',
  'referer',
  'referrer',
  'remote-addr',
  'remote-user',
  'set-cookie',
  'set-cookie2',
  'te',
  // The trace of the publish; a constant one would join all deliveries into one trace.
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'true-client-ip',
  'upgrade',
  'user-agent',
  'via',
  'wl-proxy-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-forwarded',
  'x-host',
  'x-method-override',
  'x-originating-ip',
  'x-proxyuser-ip',
  'xsrf-token',
  // Headers that the metadata services of Google and Azure require.
  'metadata',
  'metadata-flavor',
]);

/**
 * `content-*` frames the body, `webhook-*` is signed, `posthorn-*` is ours, `x-aws-*` and the like give access to metadata services and
 * sign requests to clouds. CDNs, load balancers and frameworks use the others for a request's sender and path.
 */
const DENIED_BEGINNINGS = [
  'access-control-',
  'cf-',
  'content-',
  'fastly-',
  'posthorn-',
  'proxy-',
  'sec-',
  'webhook-',
  'x-amz-',
  'x-amzn-',
  'x-appengine-',
  'x-aws-',
  'x-azure-',
  'x-csrf',
  'x-envoy-',
  'x-forwarded-',
  'x-goog-',
  'x-google-',
  'x-http-method',
  'x-middleware-',
  'x-ms-',
  'x-original-',
  'x-real-',
  'x-remote-',
  'x-rewrite-',
  'x-xsrf',
];
const DENIED_BEGINNING = new RegExp(`^(?:${DENIED_BEGINNINGS.join('|')})`);

/** Servers that pass headers on as variables (CGI) replace every character that is not a letter or digit. */
const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '-');

/**
 * Whether a subscription may have a header with this name. Checked again for each request, because a row may be older than a rule.
 * `Content_Length` and `X.Forwarded.For` count as the names that servers behind a receiver take them for.
 */
export function isHeaderAllowed(name: string): boolean {
  const plain = folded(name);
  return !DENIED_NAMES.has(plain) && !DENIED_BEGINNING.test(plain);
}

const NOT_ALLOWED =
  'must not be set: the service sets it, or it would change how the request is routed, read or trusted';

function nameProblem(name: string): string | undefined {
  if (name.length > CUSTOM_HEADER_BOUNDS.name)
    return `must have a name of at most ${CUSTOM_HEADER_BOUNDS.name} characters`;
  if (!NAME.test(name)) return 'must be a valid header name';
  return isHeaderAllowed(name) ? undefined : NOT_ALLOWED;
}

function valueProblem(value: string): string | undefined {
  if (value.length > CUSTOM_HEADER_BOUNDS.value) return `must have at most ${CUSTOM_HEADER_BOUNDS.value} characters`;
  return VALUE.test(value) ? undefined : 'must be printable ASCII without leading or trailing spaces';
}

/**
 * Why a subscription's custom headers are rejected: the first problem, with the header's name as the caller wrote it (absent if there
 * are too many); undefined if all are valid. Only entries that differ from `stored` are checked: an entry older than a rule stays while
 * others are added or removed, and as many entries as are stored are never too many. Names are case-insensitive, so a repeated one is
 * rejected. Values are not checked for secrets, which are stored and sent as they are.
 */
export function customHeadersProblem(
  headers: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>> = {},
): { name?: string; reason: string } | undefined {
  const entries = Object.entries(headers);
  if (entries.length > Math.max(CUSTOM_HEADER_BOUNDS.count, Object.keys(stored).length)) {
    return { reason: `must be at most ${CUSTOM_HEADER_BOUNDS.count} headers` };
  }
  const isKept = ([name, value]: [string, string]): boolean => Object.hasOwn(stored, name) && stored[name] === value;
  const seen = new Set(entries.filter(isKept).map(([name]) => name.toLowerCase()));
  for (const [name, value] of entries.filter((entry) => !isKept(entry))) {
    const reason =
      nameProblem(name) ??
      valueProblem(value) ??
      (seen.has(name.toLowerCase()) ? 'must be given only once' : undefined);
    if (reason !== undefined) return { name, reason };
    seen.add(name.toLowerCase());
  }
  return undefined;
}

/** Stored headers that are not sent because a later rule forbids their names, each with the reason. */
export const headersNotSent = (headers: Readonly<Record<string, string>>): { name: string; reason: string }[] =>
  Object.keys(headers).flatMap((name) =>
    isHeaderAllowed(name) ? [] : [{ name, reason: `is not sent, because it ${NOT_ALLOWED}` }],
  );

/** Headers set by the sender or the protocol. The API rejects them as custom ones; rows from before a rule are caught here. */
const SENT_BY_US: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const REQUEST_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** RFC 9110 §5.5 with obs-text, in which a Latin-1 character is one byte. */
const REQUEST_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Why a request cannot have a header with that name, as the end of a sentence; undefined if it can. */
export function headerNameProblem(name: string): string | undefined {
  if (!REQUEST_NAME.test(name)) return 'must be a valid header name';
  return SENT_BY_US.has(name.toLowerCase())
    ? 'must not be set, because the service or the protocol sets it'
    : undefined;
}

/** Why a text cannot be the value of a header; undefined if it can. */
export const headerValueProblem = (value: string): string | undefined =>
  REQUEST_VALUE.test(value)
    ? undefined
    : 'must not contain a line break or another character that is invalid in a header';

/** Names and values alternating, as undici expects: the given headers without those that we set, then ours. */
export function requestHeaders(given: Readonly<Record<string, string>>, userAgent: string): string[] {
  const headers: string[] = [];
  for (const name of Object.keys(given)) if (!SENT_BY_US.has(name.toLowerCase())) headers.push(name, given[name] ?? '');
  // `identity`: responses are never decoded, so a small body cannot expand.
  headers.push('user-agent', userAgent, 'accept-encoding', 'identity');
  return headers;
}
