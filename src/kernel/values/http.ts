/**
 * Returns the URL in a text, or undefined if it is invalid. Not `URL.canParse`: on Node 20 its optimised version reads Latin-1 text as
 * UTF-8, so after some thousand calls it rejects `https://bücher.example/`.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Address of the dashboard without a trailing slash: under the API, or elsewhere. */
export const dashboardAt = (urls: { publicBaseUrl: string; dashboardUrl?: string | undefined }): string =>
  urls.dashboardUrl ?? `${urls.publicBaseUrl}/dashboard`;

/** Headers in which a browser names the page that sent a request: all values of Sec-Fetch-Site, Origin and Host. */
export type SentFrom = { site: readonly string[]; origin: readonly string[]; host: readonly string[] };

/** Origins whose pages may act for a signed-in user: that of the API, and that of a dashboard at another address. */
export type OwnOrigins = { publicOrigin: string; dashboardOrigin?: string | undefined };

export function ownOriginsOf(urls: { publicBaseUrl: string; dashboardUrl?: string | undefined }): OwnOrigins {
  const originOf = (url: string | undefined): string | undefined => (url === undefined ? url : parseUrl(url)?.origin);
  return { publicOrigin: originOf(urls.publicBaseUrl) ?? '', dashboardOrigin: originOf(urls.dashboardUrl) };
}

/**
 * Why a request may not change anything for a user; undefined if one of our own pages sent it. Browsers set both headers, and pages
 * cannot change them. `Sec-Fetch-Site` is missing on plain http, where `Origin` decides. A program other than a browser sends neither
 * header: `isProofNeeded` rejects it too, which is right if a cookie is the only credential.
 */
export function originProblem(
  { site, origin, host }: SentFrom,
  { publicOrigin, dashboardOrigin }: OwnOrigins,
  { isProofNeeded }: { isProofNeeded: boolean },
): string | undefined {
  if (site.length > 1 || origin.length > 1) return 'has more than one Origin or Sec-Fetch-Site header';
  const [from] = origin;
  if (from !== undefined && from === dashboardOrigin) return undefined;
  if (site.length === 1) return site[0] === 'same-origin' ? undefined : 'was sent by a page of another site';
  if (from === undefined) return isProofNeeded ? 'has neither a Sec-Fetch-Site nor an Origin header' : undefined;
  if (from === publicOrigin) return undefined;
  // Plain http is for loopback and private networks, where a service may have several names.
  const isSameHost = publicOrigin.startsWith('http://') && host.length === 1 && from === `http://${host[0]}`;
  return isSameHost ? undefined : 'was sent by a page of another site';
}

/**
 * The header of every webhook request with its hop count: 1 for a message published by itself, and one more for each message published
 * by a request that passed the header on.
 */
export const HOPS_HEADER = 'posthorn-hops';

/** The maximum hop count, which ends a loop through a proxy or another installation. */
export const MAX_HOPS = 5;

const NUMBER = /^\d{1,9}$/;

/**
 * Reads the hop count of a request: 0 without one, the largest of several (the header repeated, or joined by commas on the way),
 * undefined for a value that is not a number. Anyone may omit or change it: it ends accidental loops among services that pass it on. A
 * sender that removes it is limited only by rate limits.
 */
export function readHops(given: readonly string[]): number | undefined {
  if (given.length === 0) return 0;
  const values = given.flatMap((value) => value.split(',')).map((value) => value.trim());
  if (!values.every((value) => NUMBER.test(value))) return undefined;
  return Math.max(0, ...values.map(Number));
}

/** Bounds of an HTTP status. */
export const HTTP_STATUS = { min: 100, max: 599 } as const;

/** A class of statuses, such as `5xx`, or a range, such as `500-503`. */
export const STATUS_GROUP = /^[1-5](?:xx|[0-9]{2}-[1-5][0-9]{2})$/;

/** A class, a range, or a single status. */
export const STATUS_FILTER = /^[1-5](?:xx|[0-9]{2}(?:-[1-5][0-9]{2})?)$/;

/** The range of statuses that `503`, `500-503`, `503-500` or `5xx` stands for. */
export function statusRange(text: string): { least: number; most: number } {
  // For a status and a class, start and end come from the same text.
  const ends = [Number(text.slice(0, 3).replaceAll('x', '0')), Number(text.slice(-3).replaceAll('x', '9'))];
  return { least: Math.min(...ends), most: Math.max(...ends) };
}
