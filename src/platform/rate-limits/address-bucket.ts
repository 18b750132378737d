import ipaddr from 'ipaddr.js';

/** The bucket an address counts in: IPv4 by itself, IPv6 by its /64, which is what one customer of a provider has. */
export function addressBucket(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  // process() turns ::ffff:a.b.c.d into a.b.c.d, so that a dual-stack socket does not make a second bucket.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6) {
    const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
    return `${network.join(':')}::/64`;
  }
  return parsed.toString();
}
