import type { IncomingMessage } from 'node:http';
import type { RequestHead } from '../../caller/scheme.ts';
import { pathOf } from '../route/match-route.ts';
import { clientAddress } from './client-address.ts';

/** A request as schemes of authentication see it. */
export function headOf(request: IncomingMessage, trustedProxyHops: number): RequestHead {
  const { method = '', url = '', headersDistinct, rawHeaders } = request;
  return {
    method,
    target: url,
    rawHeaders,
    get path() {
      return pathOf(url);
    },
    get address() {
      return clientAddress(request, trustedProxyHops);
    },
    // Taken from rawHeaders: of two Authorization headers Node's own view shows the first one only.
    header: (name) => headersDistinct[name] ?? [],
  };
}
