import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Address, isLoopbackName, readAddress } from './resolve-host.ts';
import { ID_FORM, ID_PREFIXES } from '../../../kernel/values/ids.ts';

/** An address on which the service itself, or one of its servers, listens. */
export type OwnEndpoint = {
  /** A name or an address. One that means this machine stands for all of this machine's addresses. */
  host: string;
  port: number;
  /** Whether a proxy in front may serve other sites at this address and port by name. Then only this name and the bare address are ours. */
  isShared?: boolean;
  /** Set if this is the API of this service, with its public protocol and base path, which is empty at the root. */
  api?: { protocol: string; path: string };
};

export type OwnAddresses = {
  /** Adds own endpoints: a port is known only once a server listens on it. */
  add(...endpoints: readonly OwnEndpoint[]): void;
  /**
   * Whether a target is our own, by its name or literal address. Nothing else checks a whole URL. Inspectors are own targets too, so
   * code that may send to them calls `isInspector` first.
   */
  isOwnTarget(url: URL): boolean;
  /** Whether the URL is the address of an inspector of this service: the API's own name, protocol and port, and an inspector's path. */
  isInspector(url: URL): boolean;
  /** Whether a connection for the host name `hostname` to this address and port reaches the API, which is the only way to inspectors. */
  isApiAddress(address: string, port: number, hostname: string): boolean;
  /** Whether a connection for the host name `hostname` to this address and port would reach an own endpoint. */
  isOwnAddress(address: string, port: number, hostname: string): boolean;
  /** Looks up own names whose addresses are unknown or old. Waits only for unknown ones. */
  refresh(): Promise<void>;
};

/** How long an own name's addresses are used before the next lookup, and the pause after a failed one, in ms. */
const FRESH_MS = 30_000;
const AGAIN_MS = 2_000;
/** Longest wait of a connection for the first lookup of an own name, in ms. The rest of its attempt shares 5 s for its own lookup. */
const PATIENCE_MS = 2_000;
/** Maximum age of the list of this machine's own addresses, in ms; reading it takes about 0.1 ms. */
const INTERFACES_MS = 10_000;
/** On these ports a proxy distinguishes sites by name. */
const WEB_PORTS = [80, 443];

type Entry = OwnEndpoint & {
  addresses: ReadonlySet<string>;
  /** Whether the endpoint is on this machine. */
  isHere: boolean;
  /** Whether no lookup is needed: an address, or a name that always means this machine. */
  isFixed: boolean;
  isKnown: boolean;
  lookAt: number;
  looking?: Promise<void> | undefined;
};

/** Spellings of this machine that need no name server. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/** Port of a URL; 80 or 443 by default. */
export const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/** The system's own lookup, as used by the database driver: includes /etc/hosts and search domains. */
export const lookUpOwn = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Whether an address is this machine's: loopback, unspecified, or that of a network interface. */
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
 * The endpoints of the service and its servers, which are blocked as targets. A webhook to its own API would publish endlessly, and one
 * to its database or Temporal would have the trust of this network. Inspectors accept webhooks, because they cause nothing further.
 * `resolve` looks up own names; tests replace it.
 *
 * Not detected: an address that leads here by translation outside this machine (a public one in front of a private network), unless it
 * is the address of an own name; other servers on the same machine or network; another installation. The hop count of each delivery
 * ends loops through these.
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
      // Keep known addresses: if the name server is down, this service cannot reach its own servers either.
      entry.lookAt = performance.now() + AGAIN_MS;
    } finally {
      entry.looking = undefined;
    }
  };

  /** Starts the lookups that are due. Callers that cannot wait use the known addresses. */
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
    // Looked up early, because a URL is checked against them when it is saved, without waiting.
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

  /** A name that always means this machine also stands for 127.0.0.1 and [::1]. */
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
      // The operator's own name leads to the API wherever it points; a name of this machine leads to this machine.
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

/** Path of inspectors, in front of their ids. */
export const INSPECT_PATH = '/inspect/';

const ID = `${ID_PREFIXES.inspector}_${ID_FORM}`;
const ADDRESS = new RegExp(`^${INSPECT_PATH}(${ID})$`);
const ADDRESS_AND_MORE = new RegExp(`^${INSPECT_PATH}(${ID})(/.*)?$`);

/** Whether a path is exactly the address of an inspector, existing or not. */
const isInspectPath = (path: string): boolean => ADDRESS.test(path);

/** The id of the inspector at this path, and the rest of the path after it; undefined for any other path. */
export function readInspectPath(path: string): { id: string; rest: string } | undefined {
  // Every request passes here, and comparing the first characters is cheaper than a regular expression.
  if (!path.startsWith(INSPECT_PATH)) return undefined;
  const [, id, rest = ''] = ADDRESS_AND_MORE.exec(path) ?? [];
  return id === undefined ? undefined : { id, rest };
}
