import { Resolver } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { dnsError, isAbsentName, OutboundError, classifyError } from '../exchange/error-class.ts';
import { LRUCache } from 'lru-cache';
import { open } from 'node:fs/promises';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Whether a host name always means this machine (RFC 6761 §6.3). `host` is lower-case, without a trailing dot. */
export const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** Addresses of a name that always means this machine. */
export const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const;

/**
 * Reads a canonical IPv4 or IPv6 address as the destination of its packets: ::ffff:7f00:1 is 127.0.0.1. Undefined for everything else,
 * such as a name, and for an address with a zone (fe80::1%eth0), which is link-local.
 */
export function readAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  // ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8, which is another address. In the URL parser's hexadecimal form they differ.
  const canonical = isIPv4(text) ? text : new URL(`http://[${text}]`).hostname.slice(1, -1);
  return ipaddr.process(canonical);
}

/** All addresses of a host name, IPv4 and IPv6, in the order to try them. Rejects as node:dns does. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Timeout of one query to one server of resolv.conf, and the number of queries: two fit into the limit of 5 s. */
const QUERY = { timeout: 2_000, tries: 2 } as const;

/**
 * Queries DNS for A and AAAA at the same time, with c-ares instead of dns.lookup. getaddrinfo occupies one of the four threads that all
 * of Node's file access shares, for as long as a name server likes, so four slow domains would block the process. If only one family
 * resolves, its addresses are used. IPv4 comes first, because a host without an IPv6 route then loses no time.
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
 * Resolves a name as programs on this machine would: the hosts file first, then DNS with the search domains of resolv.conf. A name with
 * a dot is first queried unchanged, whatever `ndots` says, so that nothing takes precedence over a public name. A trailing dot makes a
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
 * The resolver in production. A name that always means this machine is never queried in DNS: it resolves to those of 127.0.0.1 and ::1
 * that are allowed (RFC 6761 §6.3). `local` adds names of this machine's hosts file and search domains, which public webhooks do not
 * need. `servers` (`address:port`) replace those of the system.
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
 * Runs `resolve` with a timeout of `limitMs`. Rejects with an OutboundError of class `dns`, also for an empty result. Text in the
 * result that is not an address is left in, because the address guard blocks it.
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

/** A list of addresses in the format that net.connect expects from `lookup`. */
export const asLookupResult = (addresses: readonly string[]): { address: string; family: number }[] =>
  addresses.map((address) => ({ address, family: isIP(address) }));

/** Time to resolve one name, in ms, while a caller waits for the response to what they have saved. */
const LIMIT_MS = 2_000;
/** Concurrent lookups, each a few UDP packets. Beyond that a name is not looked up, so that nobody waits for the names of others. */
const MOST_AT_ONCE = 50;
/** How many names are cached, and for how long in ms, so that reloading a page queries no name server. */
const KNOWN = { max: 1_000, ttl: 5_000 };

type Found = { addresses: readonly string[] } | { reason: string };

/** Resolves names for callers who save or read a target. `reason` says why there are no addresses, without revealing any. Never rejects. */
export function createNameCheck(resolve: ResolveHost): { lookUp(hostname: string): Promise<Found> } {
  const known = new LRUCache<string, Promise<Found>>(KNOWN);
  let underWay = 0;
  const ask = async (hostname: string): Promise<Found> => {
    underWay += 1;
    try {
      return { addresses: await resolveWithin(resolve, hostname, LIMIT_MS) };
    } catch (error) {
      return { reason: classifyError(error).message };
    } finally {
      underWay -= 1;
    }
  };
  return {
    async lookUp(hostname) {
      const asked = known.get(hostname);
      if (asked !== undefined) return asked;
      if (underWay >= MOST_AT_ONCE) return { reason: 'too many host names are being looked up at the moment' };
      const asking = ask(hostname);
      known.set(hostname, asking);
      return asking;
    },
  };
}

/** This machine's own knowledge of names: its hosts file, and the domains in which its resolver searches for a short name. */
type LocalNames = {
  /** Addresses of a name in the hosts file; empty if the name is not there. */
  addressesOf(name: string): Promise<readonly string[]>;
  /** Domains of the last `search` or `domain` line of resolv.conf (resolv.conf(5)). */
  searchDomains(): Promise<readonly string[]>;
};

/** How long a file's content is cached, in ms: a container that joins a network is found within it. */
const FRESH_MS = 5_000;
/** Bytes that are read of a file. A hosts file that blocks advertisements has several MiB, with its own names at the beginning. */
const MAX_BYTES = 262_144;
/** Maximum search domains (the limit of resolvers for decades): each costs two more queries for a name that does not exist. */
const MAX_SEARCH_DOMAINS = 6;

/** Lines of a file split into words, without comments; empty if it cannot be read. */
async function readRows(path: string): Promise<string[][]> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .map((line) => (line.split(/[#;]/, 1)[0] ?? '').split(/\s+/).filter((word) => word !== ''));
  } catch {
    return [];
  } finally {
    await file.close();
  }
}

/** Runs `read` and caches its result for FRESH_MS. */
function remembered<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  let readAt = 0;
  return () => {
    if (known === undefined || performance.now() - readAt > FRESH_MS) {
      readAt = performance.now();
      known = read();
    }
    return known;
  };
}

/** Names as this machine knows them. Tests replace the files. A file that is missing or cannot be read counts as empty. */
export function createLocalNames({
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
}: {
  hostsFile?: string;
  resolvConf?: string;
} = {}): LocalNames {
  const hosts = remembered(async () => {
    const byName = new Map<string, string[]>();
    for (const [address = '', ...names] of await readRows(hostsFile)) {
      if (isIP(address) === 0) continue;
      for (const name of names) byName.set(name.toLowerCase(), [...(byName.get(name.toLowerCase()) ?? []), address]);
    }
    return byName;
  });
  const searched = remembered(async () => {
    const rows = await readRows(resolvConf);
    const [, ...domains] = rows.findLast(([word]) => word === 'search' || word === 'domain') ?? [];
    return domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
  });
  return {
    addressesOf: async (name) => (await hosts()).get(name) ?? [],
    searchDomains: async () => (await searched()).slice(0, MAX_SEARCH_DOMAINS),
  };
}
