/**
 * The URL in a text, undefined when it is none. Not `URL.canParse`: on Node 20 its optimised form reads text as UTF-8 that is Latin-1,
 * so after some thousand calls it calls `https://bücher.example/` invalid.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Address of the dashboard, without a slash at its end: beside the API, or under it. */
export const dashboardAt = (urls: { publicBaseUrl: string; dashboardUrl?: string | undefined }): string =>
  urls.dashboardUrl ?? `${urls.publicBaseUrl}/dashboard`;

/** Headers of a browser about the page that sent a request: every value of Sec-Fetch-Site, Origin and Host. */
export type SentFrom = { site: readonly string[]; origin: readonly string[]; host: readonly string[] };

/** Origins whose pages may act for the person who is signed in: that of the API, and of a dashboard at another address. */
export type OwnOrigins = { publicOrigin: string; dashboardOrigin?: string | undefined };

export function ownOriginsOf(urls: { publicBaseUrl: string; dashboardUrl?: string | undefined }): OwnOrigins {
  const originOf = (url: string | undefined): string | undefined => (url === undefined ? url : parseUrl(url)?.origin);
  return { publicOrigin: originOf(urls.publicBaseUrl) ?? '', dashboardOrigin: originOf(urls.dashboardUrl) };
}

/**
 * Why a request that changes something may not act for a person: undefined when a page of our own sent it. Browsers set both headers
 * and no page can change them. `Sec-Fetch-Site` is missing on plain http, and there `Origin` decides. A program that is no browser
 * sends neither header: `isProofNeeded` refuses it too, as is right where a cookie alone says who asks.
 */
export function originProblem(
  { site, origin, host }: SentFrom,
  { publicOrigin, dashboardOrigin }: OwnOrigins,
  { isProofNeeded }: { isProofNeeded: boolean },
): string | undefined {
  if (site.length > 1 || origin.length > 1) return 'has Origin or Sec-Fetch-Site more than once';
  const [from] = origin;
  if (from !== undefined && from === dashboardOrigin) return undefined;
  if (site.length === 1) return site[0] === 'same-origin' ? undefined : 'was sent by a page of another site';
  if (from === undefined) return isProofNeeded ? 'has neither Sec-Fetch-Site nor Origin' : undefined;
  if (from === publicOrigin) return undefined;
  // Plain http is for loopback and private networks, where one service has several names.
  const isSameHost = publicOrigin.startsWith('http://') && host.length === 1 && from === `http://${host[0]}`;
  return isSameHost ? undefined : 'was sent by a page of another site';
}

/**
 * The header of every webhook request with the number of deliveries one behind the other: 1 for a message published by itself, one
 * more for each message published by a request that carried the mark on.
 */
export const HOPS_HEADER = 'posthorn-hops';

/** The longest chain of deliveries, after which a loop through a proxy, or through another installation, ends. */
export const MAX_HOPS = 5;

const NUMBER = /^\d{1,9}$/;

/**
 * Reads the mark of a request: 0 without one, the largest of several (one header given twice, or joined by commas on the way),
 * undefined for a text that is no number. Anyone may leave it out or send another: the mark ends unwanted loops among services that
 * pass it on. A sender that takes it off is not stopped; rate limits bound that.
 */
export function readHops(given: readonly string[]): number | undefined {
  if (given.length === 0) return 0;
  const values = given.flatMap((value) => value.split(',')).map((value) => value.trim());
  if (!values.every((value) => NUMBER.test(value))) return undefined;
  return Math.max(0, ...values.map(Number));
}

/** Bounds of an HTTP status. */
export const HTTP_STATUS = { min: 100, max: 599 } as const;

/** A class of statuses, such as `5xx`, or a range of them, such as `500-503`. */
export const STATUS_GROUP = /^[1-5](?:xx|[0-9]{2}-[1-5][0-9]{2})$/;

/** The same, or one status. */
export const STATUS_FILTER = /^[1-5](?:xx|[0-9]{2}(?:-[1-5][0-9]{2})?)$/;

/** The statuses from `least` to `most` that `503` stands for, `500-503` or `503-500`, or `5xx` for all of a class. */
export function statusRange(text: string): { least: number; most: number } {
  // A status and a class are their own beginning and end.
  const ends = [Number(text.slice(0, 3).replaceAll('x', '0')), Number(text.slice(-3).replaceAll('x', '9'))];
  return { least: Math.min(...ends), most: Math.max(...ends) };
}
