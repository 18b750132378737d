import { getDomain } from 'tldts';
import { parseUrl } from '../../kernel/values/http.ts';
import { ConfigError } from './reading/config-error.ts';

/**
 * The address of a dashboard beside the API, without a slash at its end. Throws ConfigError unless both are https and of the same site:
 * browsers send the session's cookie to no other. A site is what one owner can register, by the public suffix list with its private
 * part, so that two customers of one host are two sites.
 */
export function readDashboardUrl(given: string | undefined, publicBaseUrl: string): string | undefined {
  if (given === undefined) return undefined;
  const [dashboard, own] = [parseUrl(given), parseUrl(publicBaseUrl)];
  if (dashboard?.protocol !== 'https:' || own?.protocol !== 'https:')
    throw new ConfigError('DASHBOARD_URL must begin with https://, and so must PUBLIC_BASE_URL beside it');
  if (dashboard.search !== '' || dashboard.hash !== '')
    throw new ConfigError('DASHBOARD_URL must have neither a query nor a fragment: pages are paths below it');
  if (siteOf(dashboard.hostname) !== siteOf(own.hostname))
    throw new ConfigError(
      `DASHBOARD_URL must be of the same site as PUBLIC_BASE_URL, which is ${siteOf(own.hostname)}: browsers send its cookies nowhere else`,
    );
  return given.replace(/\/+$/, '');
}

/** The registrable domain; an address, or a name without one, is a site by itself. */
const siteOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host;
