import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { type Address, readAddress } from './addresses.ts';
import { createConnector } from './connector.ts';
import { lookUpOwn, type OwnAddresses } from './own-addresses.ts';
import { createResolveHost, type ResolveHost } from './resolve-host.ts';
import { readPlainUrl, readTarget, type RefusedUrl, type UrlRules } from './url-rules.ts';

/** Limits of the phases before a request is sent, in ms. The total deadline is the sender's. */
const DNS_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** The only IPv6 range IANA hands out for the public. Outside it ipaddr.js calls `4000::1` and `::7f00:1` unicast. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure's platform address: metadata, DNS and agents answer there, although the number looks public. */
const AZURE_PLATFORM = '168.63.129.16';
const LOOPBACK = ipaddr.parse('127.0.0.1');

/** Target URLs that are remembered: each is at most 2,048 characters, and is read at every try of its subscription. */
const KNOWN_TARGETS = 5_000;

type Cidr = [Address, number];
type Target = { url: URL; origin: string; path: string } | RefusedUrl;

export type AddressGuardOptions = {
  /** Ranges the operator allows although they are not public (WEBHOOK_ALLOW_CIDRS). */
  allowCidrs: readonly string[];
  /** Plain http targets are allowed (ALLOW_HTTP_WEBHOOKS). */
  allowHttp: boolean;
  /** Addresses of this service and its servers: refused as targets, whatever ranges are allowed. */
  own: OwnAddresses;
  /** PEM certificates of authorities trusted besides Node's own. Default: none. */
  trustedCertificates?: readonly string[];
  /** Asks DNS; tests give another one. */
  resolve?: ResolveHost;
  /** Limits of the name lookup, and of TCP and TLS together, in ms. Default 5,000 each. */
  dnsTimeoutMs?: number;
  connectTimeoutMs?: number;
};

export type AddressGuard = {
  /** Why a target is refused by its form or its literal address, as the end of a sentence; undefined when it is not. */
  checkUrl(url: string): string | undefined;
  /** The same for the target of a subscription, which may be an inspector of this service. */
  checkWebhookUrl(url: string): string | undefined;
  /** Where a request to that URL goes, or `checkUrl`'s reason. URLs that were read before are remembered. */
  readTarget(url: string): { origin: string; path: string } | RefusedUrl;
  /** Where a webhook to an inspector of this service goes; undefined for any other URL. No rule but its own holds for it. */
  readInspector(url: string): { origin: string; path: string } | undefined;
  /** Whether a canonical IPv4 or IPv6 address may be connected to. False for everything else, such as a name. */
  isAllowed(address: string): boolean;
  /** The connector of every outgoing connection but those to inspectors. */
  connect: buildConnector.connector;
  /** The connector of connections to inspectors: they reach the API of this service and nothing else. */
  connectInspector: buildConnector.connector;
};

/** Strict: ipaddr.js would also read `10/8` and `0177.0.0.0/8`, which the operator may not have meant. */
function parseRange(text: string): Cidr {
  const [address = '', bits = '', ...rest] = text.split('/');
  const isRange =
    isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128) && rest.length === 0;
  if (!isRange) throw new Error(`WEBHOOK_ALLOW_CIDRS: ${text} is no address range such as 10.0.0.0/8 or fd00::/8`);
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

/**
 * Decides where outgoing requests may go, when a URL is saved, before each request, and on each new connection (OWASP API7). Public
 * unicast addresses and the operator's ranges are allowed. Every other address is refused, in any spelling, by name as well as
 * literally, and if only one of a name's addresses is refused. `localhost` may be used only when the ranges cover all of 127.0.0.0/8.
 * Ports: 80, 443 and those above 1023 without a known database or control plane, and no port of this service or its servers. Throws on
 * a range that cannot be read.
 *
 * Not protected: addresses that are public and trusted but unknown here (a metadata or admin service behind a public address); a
 * network with its own NAT64 or ISATAP prefix inside 2000::/3; services on allowed ports of allowed ranges; a receiver that passes the
 * request on. A network policy or an egress proxy is the second wall.
 */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const ranges = options.allowCidrs.map(parseRange);
  const isAllowed = createIsAllowed(ranges);
  const { own } = options;
  const rules: UrlRules = {
    allowHttp: options.allowHttp,
    allowLocalhost: ranges.some((range) => range[0].kind() === 'ipv4' && range[1] <= 8 && LOOPBACK.match(range)),
  };
  const known = new LRUCache<string, Target>({ max: KNOWN_TARGETS });
  const read = (text: string): Target => {
    const target = readTarget(text, rules);
    if ('problem' in target) return target;
    const { url } = target;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isName = isIP(host) === 0 && !/^[\d.]+$/.test(host);
    if (!isName && !isAllowed(host))
      return { problem: 'must not be a private, local or reserved address', isForm: false };
    return { url, origin: url.origin, path: `${url.pathname}${url.search}` };
  };
  const check = (text: string): Target => {
    let target = known.get(text);
    if (target === undefined) {
      target = read(text);
      known.set(text, target);
    }
    // Own addresses change while the service runs: their names are resolved anew.
    const isOwn = 'url' in target && own.isOwnTarget(target.url);
    return isOwn ? { problem: 'must not be an address of this service or of what it runs on', isForm: false } : target;
  };
  const checkUrl = (text: string): string | undefined => {
    const target = check(text);
    return 'problem' in target ? target.problem : undefined;
  };
  const readInspector = (text: string): { origin: string; path: string } | undefined => {
    // Its name may be one of a private network: the operator has given it to this service.
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
    readTarget: check,
    readInspector,
    isAllowed,
    connect: connectorFor(
      (address, port, hostname) => isAllowed(address) && !own.isOwnAddress(address, port, hostname),
      options.resolve ?? createResolveHost(isAllowed),
    ),
    connectInspector: connectorFor(own.isApiAddress, options.resolve ?? lookUpOwn),
  };
}
