import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

/** Response of a name server to one question: addresses, an error code, or none at all. */
export type NameAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

const RECORD_TYPES = new Map([
  [1, 'A'],
  [28, 'AAAA'],
] as const);
const ERROR_CODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;

/** 4 or 16 bytes. IPv6 is taken through the URL parser's compressed hexadecimal form. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const words = (text: string): string[] => text.split(':').filter((word) => word !== '');
  const zeros = Array.from({ length: 8 - words(head).length - words(tail).length }, () => '0');
  return Buffer.from([...words(head), ...zeros, ...words(tail)].map((word) => word.padStart(4, '0')).join(''), 'hex');
}

/** The name and the type of a message's only question, and where it ends (RFC 1035 §4.1.2). */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let size = message.readUInt8(at); size > 0; size = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Starts a DNS server on a free UDP port of 127.0.0.1; `answer` decides each response. */
export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA') => NameAnswer,
): Promise<{ server: string; questions: string[]; stop(): Promise<void> }> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (message, from) => {
    const { name, type: number, end } = readQuestion(message);
    const type = RECORD_TYPES.get(number === 28 ? 28 : 1) ?? 'A';
    questions.push(`${type} ${name}`);
    const said = answer(name, type);
    if (said === 'silence') return;
    const addresses = typeof said === 'string' ? [] : said;
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (typeof said === 'string' ? ERROR_CODES[said] : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((address) => {
      const bytes = addressBytes(address);
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(number, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    socket.send(Buffer.concat([header, message.subarray(12, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
