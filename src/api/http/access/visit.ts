import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from '../../caller/caller.ts';
import type { Visit } from '../../caller/scheme.ts';
import { clientAddress } from './client-address.ts';

// Browsers send about 120 characters; a log entry takes no more of what anyone may write there.
const USER_AGENT_LENGTH = 300;

/** Where a request comes from, as the audit log tells it. */
export function originOf(request: IncomingMessage, trustedProxyHops: number): RequestOrigin {
  const address = clientAddress(request, trustedProxyHops);
  const userAgent = request.headers['user-agent']?.slice(0, USER_AGENT_LENGTH);
  return userAgent === undefined ? { address } : { address, userAgent };
}

/** The browser that a request comes from, with its cookies. */
export const visitOf = (request: IncomingMessage, trustedProxyHops: number): Visit => ({
  ...originOf(request, trustedProxyHops),
  host: request.headers.host ?? '',
  cookie: request.headersDistinct['cookie'] ?? [],
});
