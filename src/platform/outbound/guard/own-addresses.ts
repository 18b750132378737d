import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Address, isLoopbackName, readAddress } from './resolve-host.ts';
import { ID_FORM, ID_PREFIXES } from '../../../kernel/values/ids.ts';

/** An address at which the service itself, or a server of its own, listens. */
export type OwnEndpoint = {
  /** A name or an address. One that means this machine stands for all of this machine's addresses. */
  host: string;
  port: number;
  /**
   * A proxy in front may serve other sites at this address and port, told apart by name. Only the name is then ours, and the bare
   * address.
   */
  isShared?: boolean;
  /** The API of this service stands here, as callers reach it: by this protocol, and below this path, which is empty at the root. */
  api?: { protocol: string; path: string };
};

export type OwnAddresses = {
  /** Adds own endpoints: a port is known only once a server listens on it. */
  add(...endpoints: readonly OwnEndpoint[]): void;
  /**
   * Whether a target is an own one, by its name or its literal address. No other place decides by a whole URL. Inspectors are own
   * targets too: who may send to them asks `isInspector` first.
   */
  isOwnTarget(url: URL): boolean;
  /** Whether the URL is the address of an inspector of this service, by the API's own name, protocol and port, and by no other path. */
  isInspector(url: URL): boolean;
  /** Whether a connection for the host name `hostname` to this address and port reaches the API: the one way to inspectors. */
  isApiAddress(address: string, port: number, hostname: string): boolean;
  /** Whether a connection for the host name `hostname` would reach an own endpoint at this address and port. */
  isOwnAddress(address: string, port: number, hostname: string): boolean;
  /** Looks up the own names whose addresses are unknown or old. Waits only for unknown ones. */
  refresh(): Promise<void>;
};

/** Time for which an own name's addresses are used before the next look-up, and after a failed one, ms. */
const FRESH_MS = 30_000;
const AGAIN_MS = 2_000;
/** Longest wait of a connection for the first look-up of an own name, ms: the rest of its try shares 5 s for its own. */
const PATIENCE_MS = 2_000;
/** Largest age of the list of this machine's own addresses, ms; reading it takes about 0.1 ms. */
const INTERFACES_MS = 10_000;
/** Behind these ports a proxy tells sites apart by name. */
const WEB_PORTS = [80, 443];

type Entry = OwnEndpoint & {
  addresses: ReadonlySet<string>;
  /** The endpoint is on this machine. */
  isHere: boolean;
  /** No look-up is needed: an address, or a name that always means this machine. */
  isFixed: boolean;
  isKnown: boolean;
  lookAt: number;
  looking?: Promise<void> | undefined;
};

/** Ways to write the machine itself that no name server is asked for. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/** Port of a URL, 80 or 443 where it names none. */
export const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/** The system's own look-up, as the database's driver uses it: /etc/hosts and search domains count. */
export const lookUpOwn = async (host: string): Promise<string[]> =>
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
 * The endpoints of the service and of its servers, which are no targets. A webhook to its own API would publish for ever. One to its
 * database or to Temporal would speak with the trust of this network. An inspector takes webhooks: nothing comes of them. `resolve` looks
 * up own names; tests give another one.
 *
 * Not known: an address that leads here by translation outside this machine (a public one in front of a private network), unless it is
 * the address of an own name; other servers on the same machine or network; another installation. The mark on each delivery ends loops
 * through these.
 */
export function createOwnAddresses(
  endpoints: readonly OwnEndpoint[],
  resolve: (host: string) => Promise<readonly string[]> = lookUpOwn,
): OwnAddresses {
  const byPort = new Map<number, Entry[]>();
  const names = new Set<string>();
  const isHere = createIsHere();
  const toLookUp: Entry[] = [];

  const isOneHere = (text: string): boolean => {
    const address = readAddress(text);
    return address !== undefined && isHere(address);
  };

  const toEntry = ({ host, port, isShared = false, api }: OwnEndpoint): Entry => {
    const address = readAddress(host);
    return {
      host,
      port,
      isShared,
      ...(api && { api }),
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
      // Known addresses stay. A name server that is away keeps this service from its own servers as well.
      entry.lookAt = performance.now() + AGAIN_MS;
    } finally {
      entry.looking = undefined;
    }
  };

  /** Begins the look-ups that are due. A caller in a hurry goes on with the known addresses. */
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
    // Looked up early, so that a URL is judged by them when it is saved, which waits for nothing.
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

  /** A name that always means this machine stands for 127.0.0.1 and [::1] as well. */
  const isNamed = ({ host }: Entry, given: string): boolean =>
    host === given || (isLoopbackName(host) && LOOPBACK.includes(given));

  return {
    add,
    isInspector(url) {
      const host = plainHost(url.hostname);
      return (byPort.get(portOf(url)) ?? []).some(
        (entry) =>
          entry.api?.protocol === url.protocol &&
          isNamed(entry, host) &&
          url.username === '' &&
          url.password === '' &&
          url.pathname.startsWith(entry.api.path) &&
          isInspectPath(url.pathname.slice(entry.api.path.length)),
      );
    },
    isApiAddress(text, port, hostname) {
      const address = readAddress(text);
      const host = plainHost(hostname);
      // The operator's own name leads to the API wherever it leads; a name of this machine leads to this machine.
      return (byPort.get(port) ?? []).some(
        (entry) =>
          entry.api !== undefined &&
          isNamed(entry, host) &&
          address !== undefined &&
          (!isLoopbackName(entry.host) || isHere(address)),
      );
    },
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

/** Path of inspectors, before their ids. */
export const INSPECT_PATH = '/inspect/';

const ID = `${ID_PREFIXES.inspector}_${ID_FORM}`;
const ADDRESS = new RegExp(`^${INSPECT_PATH}(${ID})$`);
const ADDRESS_AND_MORE = new RegExp(`^${INSPECT_PATH}(${ID})(/.*)?$`);

/** Whether a path is exactly the address of an inspector, whoever has it. */
const isInspectPath = (path: string): boolean => ADDRESS.test(path);

/** The id of the inspector at this path, and the rest of the path behind it; undefined for any other path. */
export function readInspectPath(path: string): { id: string; rest: string } | undefined {
  // Every request passes here, and an expression costs more than a look at the first letters.
  if (!path.startsWith(INSPECT_PATH)) return undefined;
  const [, id, rest = ''] = ADDRESS_AND_MORE.exec(path) ?? [];
  return id === undefined ? undefined : { id, rest };
}
