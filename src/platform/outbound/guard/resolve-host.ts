import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { dnsError, isAbsentName, OutboundError } from '../exchange/error-class.ts';
import { isLoopbackName, LOOPBACK_ADDRESSES } from './addresses.ts';
import type { LocalNames } from './local-names.ts';

/** All addresses of a host name, IPv4 and IPv6, in the order of trying. Rejects as node:dns does. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Limit of one question to one server of resolv.conf, and the number of questions: two fit into the limit of 5 s. */
const QUERY = { timeout: 2_000, tries: 2 } as const;

/**
 * Asks DNS for A and AAAA at the same time, through c-ares and not dns.lookup. getaddrinfo occupies one of the four threads that all
 * of Node's file access shares, as long as a name's server likes, so four slow domains would stop the process. A name of which only one
 * family resolves has that family's addresses. IPv4 comes first because a host without an IPv6 route loses no time with it.
 */
async function resolveByDns(hostname: string, signal: AbortSignal, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver(QUERY);
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * Asks for a name as programs on this machine would: the hosts file first, then DNS, with the search domains of resolv.conf. A name with
 * a dot is asked for as it stands first, whatever `ndots` says, so that nothing stands before a public name. A dot at its end makes a
 * name complete.
 */
async function resolveLocally(
  hostname: string,
  local: LocalNames,
  ask: (name: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const name = hostname.replace(/\.$/, '');
  const known = await local.addressesOf(name);
  if (known.length > 0) return known;
  const inDomains = hostname === name ? (await local.searchDomains()).map((domain) => `${name}.${domain}`) : [];
  const [first, ...others] = name.includes('.') ? [name, ...inDomains] : [...inDomains, name];
  let absent: Error | undefined;
  for (const each of [first ?? name, ...others]) {
    try {
      const addresses = await ask(each);
      if (addresses.length > 0) return addresses;
    } catch (error) {
      if (!isAbsentName(error)) throw error;
      absent ??= dnsError(error);
    }
  }
  if (absent !== undefined) throw absent;
  return [];
}

/**
 * The resolver of production. A name that always means this machine is never asked of DNS: it is the allowed ones of 127.0.0.1 and ::1
 * (RFC 6761 §6.3). `local`: names of this machine's hosts file and search domains count too, which a public webhook does not need.
 * `servers` (`address:port`) replace those of the system.
 */
export const createResolveHost =
  (
    isAllowed: (address: string) => boolean,
    { servers, local }: { servers?: readonly string[]; local?: LocalNames } = {},
  ): ResolveHost =>
  async (hostname, signal) => {
    if (isLoopbackName(hostname.replace(/\.$/, ''))) return LOOPBACK_ADDRESSES.filter(isAllowed);
    const ask = (name: string): Promise<string[]> => resolveByDns(name, signal, servers);
    return local === undefined ? ask(hostname) : resolveLocally(hostname, local, ask);
  };

/**
 * `resolve` with an end after `limitMs`. Rejects with an OutboundError of class `dns`; an empty answer is one too. A text in the
 * answer that is no address is left in: the address guard refuses it.
 */
export async function resolveWithin(
  resolve: ResolveHost,
  hostname: string,
  limitMs: number,
): Promise<readonly string[]> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new OutboundError('dns', `the host name could not be resolved within ${limitMs} ms`));
      controller.abort();
    }, limitMs);
  });
  try {
    const addresses = await Promise.race([resolve(hostname, controller.signal), limit]);
    if (addresses.length === 0) throw new OutboundError('dns', 'the host name has no address');
    return addresses;
  } catch (error) {
    throw error instanceof OutboundError ? error : dnsError(error);
  } finally {
    clearTimeout(timer);
  }
}

/** An address list in the form of the `lookup` of net.connect. */
export const asLookupResult = (addresses: readonly string[]): { address: string; family: number }[] =>
  addresses.map((address) => ({ address, family: isIP(address) }));
