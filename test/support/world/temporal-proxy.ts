import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TestCertificate } from './certificate.ts';

/** An answer of the proxy itself: a status of gRPC and its words. */
type Refusal = { status: number; message: string };

export type TemporalProxyOptions = {
  /** host:port of the server behind it. */
  target: string;
  /** Speaks TLS with this certificate. With `clientAuthority` it wants a certificate that this one has signed. */
  tls?: { certificate: TestCertificate; clientAuthority?: TestCertificate };
  /** Asked for each call, by its path (`/package.Service/Method`) and headers. */
  refuse?: (path: string, headers: IncomingHttpHeaders) => Refusal | undefined;
};

export type TemporalProxy = { address: string; stop(): Promise<void> };

/**
 * A gRPC proxy on loopback in front of a Temporal server that speaks plainly: what a cluster with TLS, with credentials, or with an
 * owner of its own answers, while everything else is the real server's.
 */
export async function startTemporalProxy({ target, tls, refuse }: TemporalProxyOptions): Promise<TemporalProxy> {
  const behind = connect(`http://${target}`);
  behind.on('error', () => undefined);
  const server = serverFor(tls);
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    const refusal = refuse?.(headers[':path'] ?? '', headers);
    if (refusal === undefined) return forward(stream, headers, behind);
    // gRPC's "trailers only": https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': String(refusal.status),
        'grpc-message': refusal.message,
      },
      { endStream: true },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `as`: a TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      behind.destroy();
      await closed;
    },
  };
}

function serverFor(tls: TemporalProxyOptions['tls']): Http2Server | Http2SecureServer {
  if (tls === undefined) return createServer();
  const { certificate, clientAuthority } = tls;
  const server = createSecureServer({
    cert: certificate.cert,
    key: certificate.key,
    ...(clientAuthority !== undefined && { ca: clientAuthority.cert, requestCert: true, rejectUnauthorized: true }),
  });
  server.on('tlsClientError', () => undefined);
  return server;
}

/** One call: headers and body there, headers, body and trailers back. A caller who gives up takes the call behind with him. */
function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, behind: ClientHttp2Session): void {
  const { ':scheme': _scheme, ':authority': _authority, ...rest } = headers;
  const call = behind.request(rest);
  call.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  stream.once('close', () => call.close(constants.NGHTTP2_CANCEL));
  stream.pipe(call);
  let trailers: IncomingHttpHeaders = {};
  call.on('trailers', (given) => (trailers = given));
  call.on('response', (given, flags) => {
    if (stream.destroyed) return;
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) return stream.respond(given, { endStream: true });
    stream.respond(given, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    call.pipe(stream);
  });
}
