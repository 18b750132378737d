import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import {
  type Address,
  isLoopbackName,
  LOOPBACK_ADDRESSES,
  readAddress,
  createLocalNames,
  createNameCheck,
  createResolveHost,
  type ResolveHost,
} from './resolve-host.ts';
import { createConnector } from './connector.ts';
import { lookUpOwn, type OwnAddresses, portOf } from './own-addresses.ts';
import { mayBeInPublicDns, readPlainUrl, readTarget, type RefusedUrl, type UrlRules } from './url-rules.ts';

/** Timeouts of the phases before a request is sent, in ms. The total deadline is the sender's. */
const DNS_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** The only IPv6 range that IANA assigns for public use. Outside it, ipaddr.js calls `4000::1` and `::7f00:1` unicast. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure's platform address: metadata, DNS and agents respond there, although the address looks public. */
const AZURE_PLATFORM = '168.63.129.16';

/** Number of parsed target URLs that are cached: each has up to 2,048 characters, and is needed at every attempt of its subscription. */
const KNOWN_TARGETS = 5_000;

type Cidr = [Address, number];
type Target = { url: URL; origin: string; path: string } | RefusedUrl;

const NOT_PUBLIC = 'must not be a private, local or reserved address';
const OWN = 'must not be an address of this service or of what it runs on';

/** Ends of sentences: why nothing is sent to a URL, or why nothing arrives there yet. With neither, the URL is fine or not known yet. */
export type UrlVerdict = { problem?: string; warning?: string };

export type AddressGuardOptions = {
  /** Ranges that the operator allows although they are not public (WEBHOOK_ALLOW_CIDRS). */
  allowCidrs: readonly string[];
  /** Whether plain http targets are allowed (ALLOW_HTTP_WEBHOOKS). */
  allowHttp: boolean;
  /** Addresses of this service and its servers, which are blocked as targets even within allowed ranges. */
  own: OwnAddresses;
  /** PEM certificates of authorities trusted in addition to Node's own. Default: none. */
  trustedCertificates?: readonly string[];
  /** Queries DNS; tests replace it. */
  resolve?: ResolveHost;
  /** Timeouts of the name lookup, and of TCP and TLS together, in ms. Default: 5,000 each. */
  dnsTimeoutMs?: number;
  connectTimeoutMs?: number;
};

export type AddressGuard = {
  /**
   * Why a target is blocked by its URL or literal address, as the end of a sentence; undefined if it is not. Does not query a name
   * server, so if ranges are allowed, names are checked by `judgeUrl`.
   */
  checkUrl(url: string): string | undefined;
  /** Does the same for the target of a subscription, which may be an inspector of this service. */
  checkWebhookUrl(url: string): string | undefined;
  /**
   * `checkUrl`, plus a check of a name's addresses if the operator has allowed ranges. Takes up to 2 s for the name. A name that cannot
   * be resolved at the moment is not a problem, since each connection checks its addresses again. Only a name that cannot be in the
   * public DNS gets a warning: for any other, this machine may just be offline.
   */
  judgeUrl(url: string): Promise<UrlVerdict>;
  /** Does the same for the target of a subscription. */
  judgeWebhookUrl(url: string): Promise<UrlVerdict>;
  /** Where a request to that URL goes, or `checkUrl`'s reason. Parsed URLs are cached. */
  readTarget(url: string): { origin: string; path: string } | RefusedUrl;
  /** Where a webhook to an inspector of this service goes; undefined for any other URL. Only its own rules apply to it. */
  readInspector(url: string): { origin: string; path: string } | undefined;
  /** Whether a canonical IPv4 or IPv6 address may be connected to. False for everything else, such as a name. */
  isAllowed(address: string): boolean;
  /** The connector of all outgoing connections except those to inspectors. */
  connect: buildConnector.connector;
  /** The connector for inspectors, which can reach only the API of this service. */
  connectInspector: buildConnector.connector;
};

/** Strict: ipaddr.js would also parse `10/8` and `0177.0.0.0/8`, which the operator may not have meant. */
function parseRange(text: string): Cidr {
  const [address = '', bits = '', ...rest] = text.split('/');
  const isRange =
    isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128) && rest.length === 0;
  if (!isRange) throw new Error(`WEBHOOK_ALLOW_CIDRS: ${text} is not an address range such as 10.0.0.0/8 or fd00::/8`);
  return ipaddr.parseCIDR(text);
}

function createIsAllowed(ranges: readonly Cidr[]): (address: string) => boolean {
  return (address) => {
    const parsed = readAddress(address);
    if (parsed === undefined) return false;
    if (ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))) return true;
    if (parsed.range() !== 'unicast') return false;
    return parsed.kind() === 'ipv4' ? parsed.toString() !== AZURE_PLATFORM : parsed.match(PUBLIC_IPV6);
  };
}

/** Addresses of a host that need no lookup: a literal address, or those of a name of this machine. Undefined for other names. */
function literalsOf({ hostname }: URL): readonly string[] | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isLoopbackName(host)) return LOOPBACK_ADDRESSES;
  return isIP(host) === 0 && !/^[\d.]*$/.test(host) ? undefined : [host];
}

/**
 * Decides where outgoing requests may go: when a URL is saved, before each request, and on each new connection (OWASP API7). Public
 * unicast addresses and the operator's ranges are allowed. Every other address is blocked, in any spelling, by name as well as
 * literally, and even if only one of a name's addresses is blocked. If the operator has allowed ranges, the addresses of a name decide,
 * and names of a private network may be used; otherwise such names are rejected outright. Ports: 80, 443 and those above 1023 that no
 * known database or control plane uses, and no port of this service or its servers. Throws on an invalid range.
 *
 * Not protected: addresses that are public and trusted but unknown here (a metadata or admin service at a public address); a network
 * with its own NAT64 or ISATAP prefix inside 2000::/3; services on allowed ports of allowed ranges; a receiver that forwards the
 * request. A network policy or an egress proxy is the second layer.
 */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const ranges = options.allowCidrs.map(parseRange);
  const isAllowed = createIsAllowed(ranges);
  const { own } = options;
  const rules: UrlRules = {
    allowHttp: options.allowHttp,
    allowPrivateNames: ranges.length > 0,
  };
  const resolve =
    options.resolve ?? createResolveHost(isAllowed, ranges.length > 0 ? { local: createLocalNames() } : {});
  const names = createNameCheck(resolve);
  const known = new LRUCache<string, Target>({ max: KNOWN_TARGETS });
  const read = (text: string): Target => {
    const target = readTarget(text, rules);
    if ('problem' in target) return target;
    const { url } = target;
    const literal = literalsOf(url);
    if (literal !== undefined && !literal.some(isAllowed)) return { problem: NOT_PUBLIC, isForm: false };
    return { url, origin: url.origin, path: `${url.pathname}${url.search}` };
  };
  const check = (text: string): Target => {
    let target = known.get(text);
    if (target === undefined) {
      target = read(text);
      known.set(text, target);
    }
    // Own addresses change while the service runs, so their names are resolved again.
    const isOwn = 'url' in target && own.isOwnTarget(target.url);
    return isOwn ? { problem: OWN, isForm: false } : target;
  };
  const checkUrl = (text: string): string | undefined => {
    const target = check(text);
    return 'problem' in target ? target.problem : undefined;
  };
  const judgeUrl = async (text: string): Promise<UrlVerdict> => {
    const target = check(text);
    if ('problem' in target) return { problem: target.problem };
    const { url } = target;
    if (ranges.length === 0 || literalsOf(url) !== undefined) return {};
    const [found] = await Promise.all([names.lookUp(url.hostname), own.refresh()]);
    if ('reason' in found)
      return mayBeInPublicDns(url.hostname) ? {} : { warning: `cannot be reached yet: ${found.reason}` };
    if (found.addresses.some((address) => own.isOwnAddress(address, portOf(url), url.hostname)))
      return { problem: OWN };
    return found.addresses.every(isAllowed) ? {} : { problem: NOT_PUBLIC };
  };
  const readInspector = (text: string): { origin: string; path: string } | undefined => {
    // Its name may be one of a private network, because the operator has given it to this service.
    const url = readPlainUrl(text);
    if (url === undefined || !own.isInspector(url)) return undefined;
    return { origin: url.origin, path: `${url.pathname}${url.search}` };
  };
  const connectorFor = (
    isTarget: (address: string, port: number, hostname: string) => boolean,
    resolve: ResolveHost,
  ): buildConnector.connector =>
    createConnector({
      isAllowed: isTarget,
      prepare: own.refresh,
      resolve,
      dnsTimeoutMs: options.dnsTimeoutMs ?? DNS_TIMEOUT_MS,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      trustedCertificates: options.trustedCertificates ?? [],
    });
  return {
    checkUrl,
    checkWebhookUrl: (text) => (readInspector(text) === undefined ? checkUrl(text) : undefined),
    judgeUrl,
    judgeWebhookUrl: async (text) => (readInspector(text) === undefined ? judgeUrl(text) : {}),
    readTarget: check,
    readInspector,
    isAllowed,
    connect: connectorFor(
      (address, port, hostname) => isAllowed(address) && !own.isOwnAddress(address, port, hostname),
      resolve,
    ),
    connectInspector: connectorFor(own.isApiAddress, options.resolve ?? lookUpOwn),
  };
}
