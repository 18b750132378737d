import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';
import { OutboundError } from './error-class.ts';
import { watchSockets } from './interim-answers.ts';

/**
 * Bytes of a response that are neither body nor counted as headers: interim responses, status line, trailers, and what frames headers
 * and chunks. Usual responses have less than a kilobyte of them.
 */
const FRAMING_BYTES = 65_536;

/**
 * Reads of one response. The bytes alone would allow 200,000 packets of one byte, each of which takes this process about 10 µs. A
 * response of 1 MiB in packets of 1,400 bytes has 750, and a body is read in at most as many pieces (exchange.ts).
 */
const MAX_READS = 4_096;

/** Bounds what is read from the one connection of a client. */
export type ReadBound = {
  /** `connect`, with its sockets bounded. */
  connect: buildConnector.connector;
  /** A request is about to be written, and `bodyBytes` of the body of its response will be read. */
  expect(bodyBytes: number): void;
};

/**
 * Ends a connection that has sent more for one request than a response may have: `headerBytes`, the body that will be read, and 64 KiB for
 * everything else. undici bounds the headers, and exchange.ts the body, but the parser also reads bytes that it gives to neither: chunk
 * extensions, reason phrases, spaces before a value, empty lines. A receiver that sent those as fast as the network takes them kept
 * half a processor busy until the deadline. Bytes that come while the connection is idle count for the last request.
 *
 * The connection ends after the parser has had the last bytes: a response whose headers are complete by then keeps its status.
 */
export function createReadBound(connect: buildConnector.connector, headerBytes: number): ReadBound {
  let bytesLeft = headerBytes + FRAMING_BYTES;
  let readsLeft = MAX_READS;

  const watch = (socket: Duplex): void => {
    const push = socket.push.bind(socket);
    socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (Buffer.isBuffer(chunk)) {
        bytesLeft -= chunk.length;
        readsLeft -= 1;
      }
      const takesMore = push(chunk, encoding);
      if (bytesLeft >= 0 && readsLeft >= 0) return takesMore;
      // The parser reads in the next tick, which `push` has asked for just now.
      process.nextTick(() =>
        socket.destroy(new OutboundError('protocol', 'the response has more bytes than its headers and body may have')),
      );
      return false;
    };
  };

  return {
    connect: watchSockets(connect, watch),
    expect(bodyBytes) {
      bytesLeft = headerBytes + FRAMING_BYTES + bodyBytes;
      readsLeft = MAX_READS;
    },
  };
}
