import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address a request comes from: with `trustedProxyHops` proxies in front, the one that the outermost of them saw.
 * Counted from the right of X-Forwarded-For, because a caller can write anything at its left.
 * This does not protect against a caller who can reach an inner proxy or this process directly.
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

/** A socket for both protocols shows an IPv4 address inside an IPv6 one: 127.0.0.1 as ::ffff:127.0.0.1. */
const plain = (address: string): string =>
  address.toLowerCase().startsWith(MAPPED) && isIPv4(address.slice(MAPPED.length))
    ? address.slice(MAPPED.length)
    : address;
