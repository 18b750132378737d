import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span as received. Times are ms since the epoch. */
export type SeenSpan = {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  kind: string;
  startedAt: number;
  endedAt: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  resource: Record<string, unknown>;
};

/** A trace collector on the loopback interface: OTLP over HTTP in its binary format. */
export type Collector = {
  url: string;
  port: number;
  spans: SeenSpan[];
  /** Everything it has received, as text, to search for what must not be in it. */
  text(): string;
  headers: Record<string, unknown>[];
  /** While true, it accepts requests and never responds. */
  hangs: boolean;
  stop(): Promise<void>;
  /** Starts it again at the same port. */
  start(): Promise<void>;
};

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const ERROR = 2n;

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  let server = createServer();
  // `as`: the address of a server that listens on a port.
  const portOf = (): number => (server.address() as AddressInfo).port;
  const listen = (port: number): Promise<void> => {
    server = createServer((request, response) => {
      void buffer(request).then((body) => {
        bodies.push(body);
        collector.headers.push(request.headers);
        if (request.url === '/v1/traces') collector.spans.push(...spansOf(body));
        if (!collector.hangs) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', () => resolve());
    });
  };
  const collector: Collector = {
    url: '',
    port: 0,
    spans: [],
    headers: [],
    hangs: false,
    text: () => Buffer.concat(bodies).toString('latin1'),
    start: () => listen(collector.port),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await listen(0);
  collector.port = portOf();
  collector.url = `http://127.0.0.1:${collector.port}`;
  return collector;
}

/** The fields of a message of Protocol Buffers, by number: bytes, or a number. */
type Fields = Map<number, (Buffer | bigint)[]>;

function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const read = (wireType: number): Buffer | bigint => {
    if (wireType === 0) return varint();
    if (wireType === 1) return take(8).readBigUInt64LE();
    if (wireType === 5) return BigInt(take(4).readUInt32LE());
    if (wireType === 2) return take(Number(varint()));
    throw new Error(`No wire type of OTLP: ${wireType}`);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    fields.set(number, [...(fields.get(number) ?? []), read(tag & 7)]);
  }
  return fields;
}

const messagesIn = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).flatMap((value) => (typeof value === 'bigint' ? [] : [fieldsOf(value)]));
const bytesIn = (fields: Fields, number: number): Buffer => {
  const [value] = fields.get(number) ?? [];
  return value === undefined || typeof value === 'bigint' ? Buffer.alloc(0) : value;
};
const numberIn = (fields: Fields, number: number): bigint => {
  const [value] = fields.get(number) ?? [];
  return typeof value === 'bigint' ? value : 0n;
};

function attributesIn(fields: Fields, number: number): Record<string, unknown> {
  const entries = messagesIn(fields, number).map((pair) => {
    const [value = new Map() as Fields] = messagesIn(pair, 2);
    const text = value.get(1)?.[0];
    const isText = text !== undefined && typeof text !== 'bigint';
    return [bytesIn(pair, 1).toString(), isText ? text.toString() : Number(numberIn(value, 3))];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

// Field numbers of opentelemetry/proto/trace/v1/trace.proto.
const spansOf = (body: Buffer): SeenSpan[] =>
  messagesIn(fieldsOf(body), 1).flatMap((ofResource) => {
    const [about = new Map() as Fields] = messagesIn(ofResource, 1);
    const resource = attributesIn(about, 1);
    return messagesIn(ofResource, 2).flatMap((ofScope) =>
      messagesIn(ofScope, 2).map((span) => ({
        traceId: bytesIn(span, 1).toString('hex'),
        spanId: bytesIn(span, 2).toString('hex'),
        parentId: bytesIn(span, 4).toString('hex'),
        name: bytesIn(span, 5).toString(),
        kind: KINDS[Number(numberIn(span, 6))] ?? '',
        startedAt: Number(numberIn(span, 7) / 1_000n) / 1_000,
        endedAt: Number(numberIn(span, 8) / 1_000n) / 1_000,
        attributes: attributesIn(span, 9),
        links: messagesIn(span, 13).map((link) => ({
          traceId: bytesIn(link, 1).toString('hex'),
          spanId: bytesIn(link, 2).toString('hex'),
        })),
        isError: messagesIn(span, 15).some((status) => numberIn(status, 3) === ERROR),
        resource,
      })),
    );
  });
