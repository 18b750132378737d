import { parseUrl } from '../../../kernel/values/http.ts';

/** Longest target URL, in characters, as written and as normalised (the usual limit of proxies and logs). */
const MAX_URL_LENGTH = 2_048;

/** Maximum length of a host name, and pattern of a label (RFC 1035 §2.3.4). */
const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names of containers and services may contain underscores. */
const PRIVATE_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** White space, control characters, DEL, the backslash and lone surrogates, which the WHATWG parser drops or converts first. */
const MEANS_SOMETHING_ELSE = /[\p{Cc} \\\p{Surrogate}]/u;

/**
 * Ports of databases and control planes that speak, or partly understand, HTTP: SQL Server, Docker, MySQL, PostgreSQL, Redis, Temporal,
 * Consul, Elasticsearch, memcached, MongoDB.
 */
const DENIED_PORTS: ReadonlySet<number> = new Set([1433, 2375, 3306, 5432, 6379, 7233, 8500, 9200, 11211, 27017]);

/** Names that are never public (RFC 6761, 6762, 7686, 8375; ICANN's reserved `internal`). */
const RESERVED_SUFFIXES = ['.localhost', '.local', '.internal', '.home.arpa', '.onion'];

/**
 * Names for tests and examples (RFC 6761 §6.2, 6.4, 6.5). They are never in the public DNS, but are not private names either: a
 * subscription may have one while its receiver does not exist yet.
 */
const TEST_SUFFIXES = ['.test', '.invalid', '.example'];

export type UrlRules = {
  allowHttp: boolean;
  /** Whether names of a private network may be used: the operator has allowed ranges, and the addresses decide. */
  allowPrivateNames: boolean;
};

/** The text between `//` and the path, as written. */
const authorityOf = (url: string): string => /^[^/]*\/\/([^/?#]*)/.exec(url)?.[1] ?? '';

function portProblem({ port }: URL): string | undefined {
  // The URL parser drops the scheme's own port; 443 with http and 80 with https are fine as well.
  if (port === '' || port === '80' || port === '443') return undefined;
  const number = Number(port);
  return number < 1_024 || DENIED_PORTS.has(number)
    ? 'must use port 80 or 443, or one above 1023 that no database or control plane uses'
    : undefined;
}

const areLabels = (name: string, label: RegExp): boolean =>
  name.length <= MAX_HOST_LENGTH && name.split('.').every((each) => label.test(each));

/** Whether a host name can be a public one, by its syntax. */
const isPublicName = (name: string): boolean =>
  areLabels(name, LABEL) && name.includes('.') && !RESERVED_SUFFIXES.some((suffix) => name.endsWith(suffix));

/** Whether such a name may be in the public DNS: it looks like a public one, and is not reserved for tests and examples. */
export const mayBeInPublicDns = (name: string): boolean =>
  isPublicName(name) && !TEST_SUFFIXES.some((suffix) => name.endsWith(suffix));

function nameProblem(name: string, { allowPrivateNames }: UrlRules): string | undefined {
  if (allowPrivateNames) {
    // A trailing dot marks a complete name.
    return areLabels(name.replace(/\.$/, ''), PRIVATE_LABEL)
      ? undefined
      : 'must have a host name of letters, digits, underscores and inner hyphens';
  }
  if (isPublicName(name)) return undefined;
  return areLabels(name, LABEL)
    ? 'must not be a host name of a private network'
    : 'must have a host name of letters, digits and inner hyphens, without a trailing dot';
}

/**
 * Why a URL is rejected, as the end of a sentence. `isForm`: regardless of its address, the text is not a URL that a request can be
 * sent to.
 */
export type RefusedUrl = { problem: string; isForm: boolean };

/**
 * Parses a target URL, or returns why it is rejected before its addresses are known: characters, scheme, credentials, port, host name.
 * The host of a returned URL is canonical: an IPv4 or bracketed IPv6 address, or a plain ASCII name (IDNA applied). The addresses of
 * the host are checked elsewhere.
 */
export function readTarget(text: string, rules: UrlRules): { url: URL } | RefusedUrl {
  const read = readForm(text, rules);
  if (typeof read === 'string') return { problem: read, isForm: true };
  const isAddress = read.hostname.startsWith('[') || /^[\d.]+$/.test(read.hostname);
  const problem = portProblem(read) ?? (isAddress ? undefined : nameProblem(read.hostname, rules));
  return problem === undefined ? { url: read } : { problem, isForm: false };
}

/** Returns the URL, or why the text is not one. */
function readForm(text: string, { allowHttp }: UrlRules): URL | string {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters`;
  if (MEANS_SOMETHING_ELSE.test(text)) return 'must not contain spaces, control characters or backslashes';
  const scheme = allowHttp ? /^https?:\/\/[^/?#]/i : /^https:\/\/[^/?#]/i;
  if (!scheme.test(text)) return `must be an absolute ${allowHttp ? 'http or https' : 'https'} URL`;
  const url = parseUrl(text);
  if (url === undefined) return 'must be a valid URL';
  if (url.href.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters when encoded`;
  return authorityOf(text).includes('@') ? 'must not contain a user name or password' : url;
}

/**
 * Returns the URL in a text without misleading characters, user name and password; undefined for any other text. The caller checks
 * scheme, name and port.
 */
export function readPlainUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_LENGTH || MEANS_SOMETHING_ELSE.test(text) || authorityOf(text).includes('@'))
    return undefined;
  return parseUrl(text);
}
