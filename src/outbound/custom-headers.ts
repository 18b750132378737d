/** Most custom headers of one subscription, and their sizes in characters (security §2.1). */
export const CUSTOM_HEADER_BOUNDS = { count: 20, name: 64, value: 4_096 } as const;

const NAME = /^[A-Za-z0-9!#$%&'*+.^_|~-]+$/;
/** Printable ASCII and inner spaces: RFC 9110 §5.5 without obs-text, and nothing that could end a line. */
const VALUE = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

/** Ours to set, hop-by-hop, or about the message's frame: any of them could change who reads what (RFC 9110 §7.6.1). */
const DENIED_NAMES: ReadonlySet<string> = new Set([
  '__proto__',
  'accept-encoding',
  'connection',
  'date',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  // The trace a message was published in; a constant one would join every delivery to one trace.
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  // What the metadata services of Google and Azure ask for before they answer.
  'metadata',
  'metadata-flavor',
]);

/** `content-*` frames the body, `webhook-*` is signed, `x-aws-*` and the like open metadata services and sign for clouds. */
const DENIED_BEGINNINGS = [
  'content-',
  'proxy-',
  'sec-',
  'webhook-',
  'x-amz-',
  'x-aws-',
  'x-forwarded-',
  'x-goog-',
  'x-google-',
  'x-ms-',
  'x-original-',
  'x-real-ip',
  'x-rewrite-',
];

function nameProblem(name: string): string | undefined {
  if (name.length > CUSTOM_HEADER_BOUNDS.name) return `has a name of more than ${CUSTOM_HEADER_BOUNDS.name} characters`;
  if (!NAME.test(name)) return 'is no header name';
  const lower = name.toLowerCase();
  const isDenied = DENIED_NAMES.has(lower) || DENIED_BEGINNINGS.some((beginning) => lower.startsWith(beginning));
  return isDenied ? 'may not be set: the service sets it, or it would change how the request is read' : undefined;
}

function valueProblem(value: string): string | undefined {
  if (value.length > CUSTOM_HEADER_BOUNDS.value) return `is longer than ${CUSTOM_HEADER_BOUNDS.value} characters`;
  return VALUE.test(value) ? undefined : 'must be printable ASCII, without spaces at its ends';
}

/**
 * Why a subscription's custom headers are refused: the first problem, with the header's name as the caller wrote it (absent
 * when there are too many); undefined when all are fine (security §2.1). Names count without regard to case, so the same
 * one twice is refused. It does not judge what a value means: a secret in it is stored and sent as it is.
 */
export function customHeadersProblem(
  headers: Readonly<Record<string, string>>,
): { name?: string; reason: string } | undefined {
  const entries = Object.entries(headers);
  if (entries.length > CUSTOM_HEADER_BOUNDS.count) {
    return { reason: `must be at most ${CUSTOM_HEADER_BOUNDS.count} headers` };
  }
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    const reason =
      nameProblem(name) ?? valueProblem(value) ?? (seen.has(name.toLowerCase()) ? 'is there twice' : undefined);
    if (reason !== undefined) return { name, reason };
    seen.add(name.toLowerCase());
  }
  return undefined;
}
