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

/** Limits of the phases before a request is sent, in ms. The total deadline is the sender's. */
const DNS_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** The only IPv6 range IANA hands out for the public. Outside it ipaddr.js calls `4000::1` and `::7f00:1` unicast. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure's platform address: metadata, DNS and agents answer there, although the number looks public. */
const AZURE_PLATFORM = '168.63.129.16';

/** Target URLs that are remembered: each is at most 2,048 characters, and is read at every try of its subscription. */
const KNOWN_TARGETS = 5_000;

type Cidr = [Address, number];
type Target = { url: URL; origin: string; path: string } | RefusedUrl;

const NOT_PUBLIC = 'must not be a private, local or reserved address';
const OWN = 'must not be an address of this service or of what it runs on';

/** Ends of sentences: why nothing is sent to a URL, or why nothing arrives there yet. Neither: all is well, or nobody knows yet. */
export type UrlVerdict = { problem?: string; warning?: string };

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
  /**
   * Why a target is refused by its form or its literal address, as the end of a sentence; undefined when it is not. Asks no name server,
   * so where ranges are allowed a name is judged by `judgeUrl`.
   */
  checkUrl(url: string): string | undefined;
  /** The same for the target of a subscription, which may be an inspector of this service. */
  checkWebhookUrl(url: string): string | undefined;
  /**
   * `checkUrl`, and where the operator has allowed ranges, the addresses of a name as well. Takes 2 s at most for the name. One that
   * cannot be looked up now is no problem, since each connection judges its addresses again. Only a name that the public DNS cannot have
   * gets a warning: for any other, this machine may just be offline.
   */
  judgeUrl(url: string): Promise<UrlVerdict>;
  /** The same for the target of a subscription. */
  judgeWebhookUrl(url: string): Promise<UrlVerdict>;
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

/** Addresses that a host stands for without a look-up: a literal one, or those of a name of this machine. Undefined for other names. */
function literalsOf({ hostname }: URL): readonly string[] | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isLoopbackName(host)) return LOOPBACK_ADDRESSES;
  return isIP(host) === 0 && !/^[\d.]*$/.test(host) ? undefined : [host];
}

/**
 * Decides where outgoing requests may go, when a URL is saved, before each request, and on each new connection (OWASP API7). Public
 * unicast addresses and the operator's ranges are allowed. Every other address is refused, in any spelling, by name as well as
 * literally, and if only one of a name's addresses is refused. Where the operator has allowed ranges, the addresses of a name decide,
 * and names of a private network may be used. Otherwise such names are refused as they stand. Ports: 80, 443 and those above 1023
 * without a known database or control plane, and no port of this service or its servers. Throws on a range that cannot be read.
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
    // Own addresses change while the service runs: their names are resolved anew.
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
