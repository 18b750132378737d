import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';
import { OutboundError } from './error-class.ts';

/**
 * Bytes of a response that are neither body nor counted as headers: interim responses, status line, trailers, and the framing of
 * headers and chunks. Normal responses have less than a kilobyte of them.
 */
const FRAMING_BYTES = 65_536;

/**
 * Maximum reads per response. Limiting only the bytes would allow 200,000 packets of one byte, each of which takes this process about
 * 10 µs. A response of 1 MiB in packets of 1,400 bytes has 750, and a body is read in at most as many chunks (exchange.ts).
 */
const MAX_READS = 4_096;

/** Limits what is read from a client's connection. */
export type ReadBound = {
  /** `connect`, with its sockets limited. */
  connect: buildConnector.connector;
  /** Called before a request is written; `bodyBytes` of the response body will be read. */
  expect(bodyBytes: number): void;
};

/**
 * Ends a connection that has sent more for one request than a response may have: `headerBytes`, the body that will be read, and 64 KiB
 * for everything else. undici limits the headers, and exchange.ts the body, but the parser also reads bytes that belong to neither:
 * chunk extensions, reason phrases, spaces before a value, empty lines. A receiver that sent those at network speed kept half a core
 * busy until the deadline. Bytes that arrive while the connection is idle count for the last request.
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
      // The parser reads in the next tick, which `push` has just scheduled.
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

const [DIGIT_0, DIGIT_1, DIGIT_2, CR, LF] = ['0', '1', '2', '\r', '\n'].map((sign) => sign.charCodeAt(0));
/** Position of the three digits of the status in `HTTP/1.1 100`. */
const STATUS = { first: 9, second: 10, third: 11 } as const;

/** Watches the responses on one connection. */
type InterimAnswers = {
  /** `connect`, with its sockets watched. */
  connect: buildConnector.connector;
  /** Called before a request is written: the next bytes are the head of its response. */
  expect(): void;
};

/**
 * Turns an unsolicited `100 Continue` into a `102` for undici, which means the same (RFC 9110 §15.2: a client ignores interim responses
 * that it did not ask for, one or more). undici 7.30 ignores every other 1xx and counts them in `onInfo`, but ends the connection at a
 * 100, so receivers behind a proxy that sends one never received a message. Changes one byte, in place, and only in the head of an
 * interim response. A final response is read only up to its status.
 */
export function createInterimAnswers(connect: buildConnector.connector): InterimAnswers {
  let head: ((chunk: Buffer) => boolean) | undefined;

  const watch = (socket: Duplex): void => {
    const push = socket.push.bind(socket);
    socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (head !== undefined && Buffer.isBuffer(chunk) && head(chunk)) head = undefined;
      return push(chunk, encoding);
    };
  };

  return {
    connect: watchSockets(connect, watch),
    expect() {
      head = readHeads();
    },
  };
}

/** `connect`, which passes each socket to `watch` before anything is read from it. */
const watchSockets =
  (connect: buildConnector.connector, watch: (socket: Duplex) => void): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      watch(socket);
      return callback(null, socket);
    });

/** Reads the bytes of a response as they arrive; returns true once a final status, or an invalid one, has begun. */
function readHeads(): (chunk: Buffer) => boolean {
  // The position in a status line until its status is known, then the length of the current header line.
  let position = 0;
  let isInterim = false;
  let isContinue = false;
  let lineLength = 0;

  return (chunk) => {
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (isInterim) {
        if (byte === LF && lineLength === 0) {
          isInterim = false;
          position = 0;
        } else if (byte === LF) lineLength = 0;
        else if (byte !== CR) lineLength += 1;
        continue;
      }
      // The parser skips empty lines before a status line.
      if (position === 0 && (byte === CR || byte === LF)) continue;
      if (position === STATUS.first && byte !== DIGIT_1) return true;
      if (position === STATUS.second) isContinue = byte === DIGIT_0;
      if (position === STATUS.third) {
        if (isContinue && byte === DIGIT_0) chunk[index] = DIGIT_2 ?? 0;
        isInterim = true;
        lineLength = position;
      }
      position += 1;
    }
    return false;
  };
}
