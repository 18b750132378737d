import { parseUrl } from '../../../kernel/values/http.ts';

/** Longest target URL, in characters, as written and as normalised (the usual bound of proxies and logs). */
const MAX_URL_LENGTH = 2_048;

/** Longest host name and label (RFC 1035 §2.3.4). */
const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names of containers and services have underscores too. */
const PRIVATE_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** White space, controls, DEL, the backslash and lone surrogates: WHATWG drops them or turns them round before it looks. */
const MEANS_SOMETHING_ELSE = /[\p{Cc} \\\p{Surrogate}]/u;

/**
 * Ports of databases and control planes that speak, or half understand, HTTP: SQL Server, Docker, MySQL, PostgreSQL, Redis,
 * Temporal, Consul, Elasticsearch, memcached, MongoDB.
 */
const DENIED_PORTS: ReadonlySet<number> = new Set([1433, 2375, 3306, 5432, 6379, 7233, 8500, 9200, 11211, 27017]);

/** Names that are never public (RFC 6761, 6762, 7686, 8375; ICANN's reserved `internal`). */
const RESERVED_SUFFIXES = ['.localhost', '.local', '.internal', '.home.arpa', '.onion'];

/**
 * Names for tests and examples (RFC 6761 §6.2, 6.4, 6.5). The public DNS never has them, but they are not private names either: a
 * subscription may have one while its receiver is not there yet.
 */
const TEST_SUFFIXES = ['.test', '.invalid', '.example'];

export type UrlRules = {
  allowHttp: boolean;
  /** Names of a private network may be used: the operator has allowed ranges, and the addresses decide. */
  allowPrivateNames: boolean;
};

/** The text between `//` and the path, as written. */
const authorityOf = (url: string): string => /^[^/]*\/\/([^/?#]*)/.exec(url)?.[1] ?? '';

function portProblem({ port }: URL): string | undefined {
  // The URL parser leaves the scheme's own port out; 443 with http and 80 with https are fine as well.
  if (port === '' || port === '80' || port === '443') return undefined;
  const number = Number(port);
  return number < 1_024 || DENIED_PORTS.has(number)
    ? 'must use port 80 or 443, or one above 1023 that no database or control plane uses'
    : undefined;
}

const areLabels = (name: string, label: RegExp): boolean =>
  name.length <= MAX_HOST_LENGTH && name.split('.').every((each) => label.test(each));

/** Whether a host name can be one of the public Internet, by its form. */
const isPublicName = (name: string): boolean =>
  areLabels(name, LABEL) && name.includes('.') && !RESERVED_SUFFIXES.some((suffix) => name.endsWith(suffix));

/** Whether the public DNS may have such a name: it has the form of a public one, and is not set aside for tests and examples. */
export const mayBeInPublicDns = (name: string): boolean =>
  isPublicName(name) && !TEST_SUFFIXES.some((suffix) => name.endsWith(suffix));

function nameProblem(name: string, { allowPrivateNames }: UrlRules): string | undefined {
  if (allowPrivateNames) {
    // A dot at the end says that the name is complete.
    return areLabels(name.replace(/\.$/, ''), PRIVATE_LABEL)
      ? undefined
      : 'must have a host name of letters, digits, underscores and inner hyphens';
  }
  if (isPublicName(name)) return undefined;
  return areLabels(name, LABEL)
    ? 'must not name a host of a private network'
    : 'must have a host name of letters, digits and inner hyphens, without a dot at its end';
}

/** Why a URL is refused, as the end of a sentence. `isForm`: whatever its address is, the text is no URL that a request can be sent to. */
export type RefusedUrl = { problem: string; isForm: boolean };

/**
 * Reads a target URL, or says why its form alone is refused: characters, scheme, credentials, port, host name. The host of a returned
 * URL is canonical: an IPv4 or bracketed IPv6 address, or a plain ASCII name (IDNA done). The addresses of the host are checked
 * elsewhere.
 */
export function readTarget(text: string, rules: UrlRules): { url: URL } | RefusedUrl {
  const read = readForm(text, rules);
  if (typeof read === 'string') return { problem: read, isForm: true };
  const isAddress = read.hostname.startsWith('[') || /^[\d.]+$/.test(read.hostname);
  const problem = portProblem(read) ?? (isAddress ? undefined : nameProblem(read.hostname, rules));
  return problem === undefined ? { url: read } : { problem, isForm: false };
}

/** The URL, or why the text is none. */
function readForm(text: string, { allowHttp }: UrlRules): URL | string {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters`;
  if (MEANS_SOMETHING_ELSE.test(text)) return 'must not hold spaces, control characters or backslashes';
  const scheme = allowHttp ? /^https?:\/\/[^/?#]/i : /^https:\/\/[^/?#]/i;
  if (!scheme.test(text)) return `must be an absolute ${allowHttp ? 'http or https' : 'https'} URL`;
  const url = parseUrl(text);
  if (url === undefined) return 'must be a valid URL';
  if (url.href.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters when encoded`;
  return authorityOf(text).includes('@') ? 'must not hold a user name or password' : url;
}

/**
 * The URL in a text whose characters mean what they seem to, without user name and password; undefined for any other. The scheme, the
 * name and the port are the caller's to judge.
 */
export function readPlainUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_LENGTH || MEANS_SOMETHING_ELSE.test(text) || authorityOf(text).includes('@'))
    return undefined;
  return parseUrl(text);
}
