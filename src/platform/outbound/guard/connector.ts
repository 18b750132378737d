import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { blockedAddress, classifyError, OutboundError, tlsError } from '../exchange/error-class.ts';
import { asLookupResult, type ResolveHost, resolveWithin } from './resolve-host.ts';

export type ConnectorOptions = {
  /** Whether a connection for the host name `hostname` may be made to this address and port. */
  isAllowed(address: string, port: number, hostname: string): boolean;
  /** Awaited before addresses are judged: `isAllowed` may compare with addresses that have to be looked up. */
  prepare(): Promise<void>;
  resolve: ResolveHost;
  /** Limit of the name lookup, in ms. */
  dnsTimeoutMs: number;
  /** Limit of the TCP connection and the TLS handshake together, in ms. */
  connectTimeoutMs: number;
  /** PEM certificates of authorities that are trusted besides Node's own. */
  trustedCertificates: readonly string[];
  /** Opens the TCP connection; tests give another one. */
  dial?: (options: TcpNetConnectOpts) => Socket;
};

/**
 * Time for one of several addresses before the next one is tried (RFC 8305 §5), in ms. Node's default of 250 gives up on receivers
 * with a longer way. With 1,000 four dead addresses still leave one second for the fifth.
 */
const ATTEMPT_MS = 1_000;

const ignore = (): void => undefined;

/** Addresses to connect to: the literal itself, or everything the name resolves to. One refused address refuses them all. */
async function allowedAddresses(hostname: string, port: number, options: ConnectorOptions): Promise<readonly string[]> {
  // Sockets never call `lookup` for a literal, so it has to be judged here.
  const [addresses] = await Promise.all([
    isIP(hostname) === 0 ? resolveWithin(options.resolve, hostname, options.dnsTimeoutMs) : [hostname],
    options.prepare(),
  ]);
  if (!addresses.every((address) => options.isAllowed(address, port, hostname))) throw blockedAddress();
  return addresses;
}

/** Resolves at `event`; rejects at the socket's error, at its early end, and when `limit` destroys it. */
function untilReady(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const reset = (): void => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    socket.once(event, () => {
      socket.off('close', reset);
      resolve();
    });
    socket.once('close', reset);
    // Stays for the socket's life: an error between two owners of the socket must not end the process.
    socket.on('error', reject);
  });
}

function openTcp(port: number, addresses: readonly string[], options: ConnectorOptions): Socket {
  // The checked addresses are handed over as they are: nothing resolves the name a second time.
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    const [first, ...rest] = asLookupResult(addresses);
    if (first === undefined) callback(new Error('no address'), '');
    else if (all === true) callback(null, [first, ...rest]);
    else callback(null, first.address, first.family);
  };
  return (options.dial ?? connectTcp)({
    // Never used as a name; a name here makes net.connect ask `lookup` for all addresses.
    host: 'checked.invalid',
    port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
  });
}

function openTls(socket: Socket, hostname: string, secureContext: SecureContext): Socket {
  return connectTls({
    socket,
    secureContext,
    host: hostname,
    // Neither an address nor a dot at the end may stand in SNI (RFC 6066 §3). An address is then compared with the certificate's IP names.
    servername: isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
}

async function open(
  target: buildConnector.Options,
  context: SecureContext,
  options: ConnectorOptions,
): Promise<Socket> {
  const isTls = target.protocol === 'https:';
  const port = Number(target.port) || (isTls ? 443 : 80);
  const addresses = await allowedAddresses(target.hostname, port, options);
  const limitMs = options.connectTimeoutMs;
  let phase: 'connect' | 'tls' = 'connect';
  let socket = openTcp(port, addresses, options);
  const tcp = socket;
  const timer = setTimeout(() => {
    const what = phase === 'tls' ? 'the TLS handshake was not complete' : 'the connection was not open';
    socket.destroy(new OutboundError(phase, `${what} within ${limitMs} ms`));
  }, limitMs);
  try {
    await untilReady(tcp, 'connect');
    // The last check is of the peer's address itself, before a single byte is sent. The address is absent when the peer has gone
    // again.
    const { remoteAddress: peer, remotePort: peerPort = port } = tcp;
    if (peer !== undefined && !options.isAllowed(peer, peerPort, target.hostname)) throw blockedAddress();
    if (isTls) {
      phase = 'tls';
      socket = openTls(tcp, target.hostname, context);
      await untilReady(socket, 'secureConnect');
      // An alert that comes now is told, and the end of the connection behind it would take its place.
      socket.on('error', (error) => socket.destroy(error));
    }
    // undici connects again, for ever, when it is given a socket that is already closed.
    if (socket.destroyed || socket.remoteAddress === undefined) {
      throw Object.assign(new Error('closed'), { code: 'ECONNRESET' });
    }
    return socket;
  } catch (error) {
    socket.destroy();
    tcp.destroy();
    if (error instanceof OutboundError) throw error;
    if (phase === 'tls') throw tlsError(error);
    const known = classifyError(error);
    throw new OutboundError(known.class, known.message, error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Opens a socket for undici. The name is resolved (own time limit), the socket is refused when any address is not allowed, and it
 * connects to exactly those addresses. The peer's address is checked again. Then comes TLS 1.2 or later, HTTP/1.1 only, with
 * certificates verified against the host name. No session is kept: releases of Node have skipped that check for a resumed one
 * (CVE-2026-48934). Fails with an OutboundError, so that no text of the network reaches a user.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { trustedCertificates } = options;
  // One context for all sockets: reading the authorities takes longer than a handshake.
  const context = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(trustedCertificates.length > 0 && { ca: [...rootCertificates, ...trustedCertificates] }),
  });
  return (target, callback) => {
    open(target, context, options)
      .then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      )
      // An error that undici throws here is a failed assertion of its own. The request then ends at its deadline, not the process.
      .catch(ignore);
  };
}
