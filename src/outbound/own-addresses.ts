import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Address, readAddress } from './addresses.ts';

/** Where the service itself, or something it runs on, listens. */
export type OwnEndpoint = {
  /** A name or an address. One that means this machine stands for all of this machine's addresses. */
  host: string;
  port: number;
  /**
   * Others may be served at this address and port as well, told apart by name: a proxy in front. Only the name is then ours,
   * and the bare address.
   */
  isShared?: boolean;
};

export type OwnAddresses = {
  /** From now on these are own ones too: ports are known only once they are listened on. */
  add(...endpoints: readonly OwnEndpoint[]): void;
  /**
   * Whether a target is an own one, by its name or its literal address: the one place that decides by a whole URL. A path of
   * this service that may be sent to is let through here, and is then not connected to by the guard's connector, which sees
   * addresses only.
   */
  isOwnTarget(url: URL): boolean;
  /** Whether a connection for the host name `hostname` would reach an own endpoint at this address and port. */
  isOwnAddress(address: string, port: number, hostname: string): boolean;
  /** Looks up the own names whose addresses are not known or are old. Waits only for those that were never known. */
  refresh(): Promise<void>;
};

/** How long an own name's addresses are used before they are looked up again, and when that has failed, ms. */
const FRESH_MS = 30_000;
const AGAIN_MS = 2_000;
/** How long a connection waits for the first look-up of an own name, ms: the others of its try share 5 s for theirs. */
const PATIENCE_MS = 2_000;
/** How old the list of this machine's own addresses may be, ms; reading it takes about 0.1 ms. */
const INTERFACES_MS = 10_000;
/** Behind these ports a proxy tells sites apart by name. */
const WEB_PORTS = [80, 443];

type Entry = OwnEndpoint & {
  addresses: ReadonlySet<string>;
  /** The endpoint is on this machine. */
  isHere: boolean;
  /** Nothing is to be looked up: an address, or a name that always means this machine. */
  isFixed: boolean;
  isKnown: boolean;
  lookAt: number;
  looking?: Promise<void> | undefined;
};

const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/** By the system's own way, as the database's driver and the others look up their servers: /etc/hosts and search domains count. */
const lookUp = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Whether an address is this machine's: loopback, the unspecified one, or one of a network interface. */
function createIsHere(): (address: Address) => boolean {
  let own: ReadonlySet<string> = new Set();
  let readAt = Number.NEGATIVE_INFINITY;
  return (address) => {
    const range = address.range();
    if (range === 'loopback' || range === 'unspecified') return true;
    if (performance.now() - readAt > INTERFACES_MS) {
      readAt = performance.now();
      const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
      own = new Set(all.flatMap((each) => readAddress(each.address)?.toString() ?? []));
    }
    return own.has(address.toString());
  };
}

/**
 * The endpoints of the service and of what it runs on, which are no targets: a webhook to its own API would publish for ever,
 * one to its database or to Temporal would speak with the trust of this network. `resolve` looks up own names; another one in
 * tests.
 *
 * It does not know: an address that leads here by translation outside this machine (a public one in front of a private network),
 * unless it is the address of an own name; what else listens on the same machine or network; another installation. The mark
 * that each delivery carries ends loops through these.
 */
export function createOwnAddresses(
  endpoints: readonly OwnEndpoint[],
  resolve: (host: string) => Promise<readonly string[]> = lookUp,
): OwnAddresses {
  const byPort = new Map<number, Entry[]>();
  const names = new Set<string>();
  const isHere = createIsHere();
  const toLookUp: Entry[] = [];

  const isOneHere = (text: string): boolean => {
    const address = readAddress(text);
    return address !== undefined && isHere(address);
  };

  const toEntry = ({ host, port, isShared = false }: OwnEndpoint): Entry => {
    const address = readAddress(host);
    return {
      host,
      port,
      isShared,
      addresses: new Set(address === undefined ? [] : [address.toString()]),
      isHere: address === undefined ? isLoopbackName(host) : isHere(address),
      isFixed: address !== undefined || isLoopbackName(host),
      isKnown: false,
      lookAt: Number.NEGATIVE_INFINITY,
    };
  };

  const look = async (entry: Entry): Promise<void> => {
    try {
      const found = await resolve(entry.host);
      entry.addresses = new Set(found.flatMap((text) => readAddress(text)?.toString() ?? []));
      entry.isHere = found.some(isOneHere);
      entry.isKnown = true;
      entry.lookAt = performance.now() + FRESH_MS;
    } catch {
      // Known addresses stay. A name server that is away keeps this service from its own parts as well.
      entry.lookAt = performance.now() + AGAIN_MS;
    } finally {
      entry.looking = undefined;
    }
  };

  /** Begins the look-ups that are due. Whoever is in a hurry goes on with what is known. */
  const renew = (): void => {
    if (toLookUp.length === 0) return;
    const now = performance.now();
    for (const entry of toLookUp) if (now >= entry.lookAt) entry.looking ??= look(entry);
  };

  const refresh = async (): Promise<void> => {
    renew();
    const first = toLookUp.flatMap(({ isKnown, looking }) => (isKnown || looking === undefined ? [] : [looking]));
    if (first.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolveLimit) => {
      timer = setTimeout(resolveLimit, PATIENCE_MS);
    });
    await Promise.race([Promise.all(first), limit]);
    clearTimeout(timer);
  };

  const add = (...added: readonly OwnEndpoint[]): void => {
    for (const endpoint of added) {
      if (endpoint.port === 0) continue;
      const entry = toEntry({ ...endpoint, host: plainHost(endpoint.host) });
      byPort.set(entry.port, [...(byPort.get(entry.port) ?? []), entry]);
      for (const port of entry.isShared === true ? [entry.port, ...WEB_PORTS] : [entry.port])
        names.add(`${entry.host}:${port}`);
      if (!entry.isFixed) toLookUp.push(entry);
    }
    // So that a URL is judged by them when it is saved, where nobody waits.
    renew();
  };
  add(...endpoints);

  const isOwnAddress = (text: string, port: number, hostname: string): boolean => {
    const entries = byPort.get(port);
    if (entries === undefined) return false;
    const address = readAddress(text);
    if (address === undefined) return false;
    const isBare = isIP(hostname) !== 0;
    return entries.some(
      (entry) =>
        (entry.isShared !== true || isBare) &&
        (entry.addresses.has(address.toString()) || (entry.isHere && isHere(address))),
    );
  };

  return {
    add,
    isOwnTarget(url) {
      const host = plainHost(url.hostname);
      const port = portOf(url);
      renew();
      if (names.has(`${host}:${port}`)) return true;
      return isOwnAddress(isLoopbackName(host) ? '127.0.0.1' : host, port, host);
    },
    isOwnAddress,
    refresh,
  };
}
