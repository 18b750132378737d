import { isIP } from 'node:net';
import type { Config } from '../../../platform/config/config.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { parseUrl } from '../../../kernel/values/http.ts';

/** Whom passkeys are made for, and the one origin whose pages may use them (WebAuthn Level 3, sections 5.4.2 and 7). */
export type RelyingParty = { id: string; origin: string };

/**
 * The host of the pages that people use: of the dashboard where it has an address of its own, else of the API. Browsers bind a passkey
 * to it, so another address loses every passkey. Throws CONFLICT for an IP address, which is no relying party (section 5.1.3).
 */
export function relyingPartyOf({
  publicBaseUrl,
  dashboardUrl,
}: Pick<Config, 'publicBaseUrl' | 'dashboardUrl'>): RelyingParty {
  const url = parseUrl(dashboardUrl ?? publicBaseUrl);
  if (url === undefined) throw new Error('The settings were read with an address that is none');
  const { hostname, origin } = url;
  if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0)
    throw new ApiError(
      'CONFLICT',
      'Passkeys need a host name in PUBLIC_BASE_URL or DASHBOARD_URL: browsers take no IP address',
    );
  return { id: hostname, origin };
}
