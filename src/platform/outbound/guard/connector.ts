import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { blockedAddress, classifyError, OutboundError, tlsError } from '../exchange/error-class.ts';
import { asLookupResult, type ResolveHost, resolveWithin } from './resolve-host.ts';

export type ConnectorOptions = {
  /** Whether a connection for the host name `hostname` may be opened to this address and port. */
  isAllowed(address: string, port: number, hostname: string): boolean;
  /** Awaited before addresses are checked: `isAllowed` may compare with addresses that have to be looked up first. */
  prepare(): Promise<void>;
  resolve: ResolveHost;
  /** Timeout of the name lookup, in ms. */
  dnsTimeoutMs: number;
  /** Timeout of the TCP connection and the TLS handshake together, in ms. */
  connectTimeoutMs: number;
  /** PEM certificates of authorities that are trusted in addition to Node's own. */
  trustedCertificates: readonly string[];
  /** Opens the TCP connection; tests replace it. */
  dial?: (options: TcpNetConnectOpts) => Socket;
};

/**
 * Time for one of several addresses before the next one is tried (RFC 8305 §5), in ms. Node's default of 250 gives up on distant
 * receivers. With 1,000, four dead addresses still leave one second for the fifth.
 */
const ATTEMPT_MS = 1_000;

const ignore = (): void => undefined;

/** Returns the addresses to connect to: the literal itself, or everything the name resolves to. One blocked address blocks them all. */
async function allowedAddresses(hostname: string, port: number, options: ConnectorOptions): Promise<readonly string[]> {
  // Sockets never call `lookup` for a literal, so it has to be checked here.
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
    // Stays for the socket's lifetime: an error between two owners of the socket must not end the process.
    socket.on('error', reject);
  });
}

function openTcp(port: number, addresses: readonly string[], options: ConnectorOptions): Socket {
  // Passes on exactly the checked addresses, so that the name is not resolved a second time.
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    const [first, ...rest] = asLookupResult(addresses);
    if (first === undefined) callback(new Error('no address'), '');
    else if (all === true) callback(null, [first, ...rest]);
    else callback(null, first.address, first.family);
  };
  return (options.dial ?? connectTcp)({
    // Never resolved; with a name here, net.connect asks `lookup` for all addresses.
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
    // SNI must not contain an address or a trailing dot (RFC 6066 §3). An address is then compared with the certificate's IP names.
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
    // The last check is of the peer's address itself, before a single byte is sent. The address is undefined if the peer has already
    // disconnected.
    const { remoteAddress: peer, remotePort: peerPort = port } = tcp;
    if (peer !== undefined && !options.isAllowed(peer, peerPort, target.hostname)) throw blockedAddress();
    if (isTls) {
      phase = 'tls';
      socket = openTls(tcp, target.hostname, context);
      await untilReady(socket, 'secureConnect');
      // Report an alert that arrives now, which the following end of the connection would otherwise replace.
      socket.on('error', (error) => socket.destroy(error));
    }
    // undici reconnects forever if it is given a socket that is already closed.
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
 * Opens sockets for undici. Resolves the name (with its own timeout), rejects the socket if any address is blocked, and connects to
 * exactly those addresses. Checks the peer's address again. Then TLS 1.2 or later, HTTP/1.1 only, with certificates verified against
 * the host name. TLS sessions are not kept, because releases of Node have skipped that check for a resumed one (CVE-2026-48934). Fails
 * with an OutboundError, so that no text from the network reaches a user.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { trustedCertificates } = options;
  // One context for all sockets: loading the authorities takes longer than a handshake.
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
      // An error that undici throws here is a failed assertion of its own. It should only let the request run into its deadline, not
      // end the process.
      .catch(ignore);
  };
}
