import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Whether a host name always means this machine (RFC 6761 §6.3). `host` is lower-case and has no dot at its end. */
export const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** Addresses of a name that always means this machine. */
export const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const;

/**
 * Reads a canonical IPv4 or IPv6 address as the place where a packet to it goes: ::ffff:7f00:1 is 127.0.0.1. Undefined for everything
 * else, such as a name, and for an address with a zone (fe80::1%eth0), which is local to one link.
 */
export function readAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  // ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8, which is another address. In the URL parser's hexadecimal form the two stay apart.
  const canonical = isIPv4(text) ? text : new URL(`http://[${text}]`).hostname.slice(1, -1);
  return ipaddr.process(canonical);
}
