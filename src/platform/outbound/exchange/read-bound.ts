import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';
import { OutboundError } from './error-class.ts';

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

const [DIGIT_0, DIGIT_1, DIGIT_2, CR, LF] = ['0', '1', '2', '\r', '\n'].map((sign) => sign.charCodeAt(0));
/** Position of the three digits of the status in `HTTP/1.1 100`. */
const STATUS = { first: 9, second: 10, third: 11 } as const;

/** Watcher of the answers on one connection. */
type InterimAnswers = {
  /** `connect`, with its sockets watched. */
  connect: buildConnector.connector;
  /** A request is about to be written: the next bytes are the head of its answer. */
  expect(): void;
};

/**
 * Lets an unasked `100 Continue` through to undici as a `102`, which means the same (RFC 9110 §15.2: a client reads over interim
 * answers that it did not ask for, one or more). undici 7.30 reads over every other 1xx and counts them in `onInfo`, but ends the
 * connection at a 100: receivers behind a proxy that sends one never got a message. One byte is changed, in place, and only in the
 * head of an interim answer. A final answer is read up to its status only.
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

/** `connect`, which gives each socket to `watch` before anything is read from it. */
const watchSockets =
  (connect: buildConnector.connector, watch: (socket: Duplex) => void): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      watch(socket);
      return callback(null, socket);
    });

/** Takes the bytes of an answer as they come; true once a final status, or no valid status, has begun. */
function readHeads(): (chunk: Buffer) => boolean {
  // The position in a status line until its status is known, then the length of the header line that is being read.
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
