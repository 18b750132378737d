import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { RequestHead, RequestOrigin, Visit } from '../../caller.ts';
import { pathOf } from '../route/match-route.ts';

/** The request as authentication schemes see it. */
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
    // From rawHeaders: Node's own view shows only the first of two Authorization headers.
    header: (name) => headersDistinct[name] ?? [],
  };
}

/**
 * Returns the address that a request comes from: with `trustedProxyHops` proxies in front, the one that the outermost of them saw. It
 * counts from the right of X-Forwarded-For, because a caller can write anything on the left. This does not protect against a caller who
 * can reach an inner proxy or this process directly.
 */
export function clientAddress(request: IncomingMessage, trustedProxyHops: number): string {
  const socketAddress = plain(request.socket.remoteAddress ?? '');
  if (trustedProxyHops === 0) return socketAddress;
  const header = request.headers['x-forwarded-for'] ?? '';
  const hops = [...String(header).split(','), socketAddress].map((hop) => hop.trim()).filter((hop) => hop !== '');
  const candidate = hops[Math.max(0, hops.length - 1 - trustedProxyHops)] ?? socketAddress;
  return ipaddr.isValid(candidate) ? plain(candidate) : socketAddress;
}

const MAPPED = '::ffff:';

/** A dual-stack socket shows an IPv4 address as IPv6: 127.0.0.1 as ::ffff:127.0.0.1. */
const plain = (address: string): string =>
  address.toLowerCase().startsWith(MAPPED) && isIPv4(address.slice(MAPPED.length))
    ? address.slice(MAPPED.length)
    : address;

// Browsers send about 120 characters. The limit keeps callers from filling the audit log.
const USER_AGENT_LENGTH = 300;

/** Where a request comes from, for the audit log. */
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
