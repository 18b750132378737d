import { parseUrl } from './parse-url.ts';

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
