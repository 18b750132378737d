import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * The address a request comes from: with `trustedProxyHops` proxies in front, the one that the outermost of them saw.
 * Counted from the right of X-Forwarded-For, because a caller can write anything at its left.
 * This does not protect against a caller who can reach an inner proxy or this process directly.
 */
export function clientAddress(request: IncomingMessage, trustedProxyHops: number): string {
  const socketAddress = request.socket.remoteAddress ?? '';
  if (trustedProxyHops === 0) return socketAddress;
  const header = request.headers['x-forwarded-for'] ?? '';
  const hops = [...String(header).split(','), socketAddress].map((hop) => hop.trim()).filter((hop) => hop !== '');
  const candidate = hops[Math.max(0, hops.length - 1 - trustedProxyHops)] ?? socketAddress;
  return ipaddr.isValid(candidate) ? candidate : socketAddress;
}
