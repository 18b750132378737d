import type { HostileInput } from './input.ts';

const head = (lines = ''): string => `GET /healthz HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
const CLOSE = 'Connection: close\r\n';
const headOfPieces = (path: string, address: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${CLOSE}X-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const PIECE = '1\r\n1\r\n';

type Bytes = Pick<HostileInput, 'name' | 'parser' | 'atOnce' | 'reached'> & { bytes: (address: string) => string };
/** Writes the bytes to one connection after the other, each time from another address. */
const written = ({ bytes, ...input }: Bytes): HostileInput => ({
  ...input,
  who: 'nobody',
  begin: (attacker) => () => attacker.write(bytes),
});
const MANY = head().repeat(2_200);
const SIXTEEN = head().repeat(15) + head(CLOSE);
const LONG = head('a: b\r\n'.repeat(300) + CLOSE);
const ENDLESS = 'a: b\r\n'.repeat(200_000);
const ZEROS = '\0'.repeat(65_536);
const PIECES = `${PIECE.repeat(4_000)}0\r\n\r\n`;

/** Bytes that no HTTP client would send. */
export const CONNECTION_INPUTS: readonly HostileInput[] = [
  written({
    name: 'connection: 2,200 requests at once',
    parser: 'heads and pipelined requests',
    atOnce: 50,
    reached: '',
    bytes: () => MANY,
  }),
  written({
    name: 'connection: 16 requests at once',
    parser: 'heads and pipelined requests',
    atOnce: 50,
    reached: '200',
    bytes: () => SIXTEEN,
  }),
  written({
    name: 'connection: 300 headers',
    parser: 'heads and pipelined requests',
    atOnce: 50,
    reached: '200',
    bytes: () => LONG,
  }),
  written({
    name: 'connection: headers that never end',
    parser: 'heads and pipelined requests',
    atOnce: 50,
    reached: '431',
    bytes: (address) => `GET / HTTP/1.1\r\nX-Forwarded-For: ${address}\r\n${ENDLESS}`,
  }),
  written({
    name: 'connection: what is no HTTP',
    parser: 'heads and pipelined requests',
    atOnce: 50,
    reached: '400',
    bytes: () => ZEROS,
  }),
  written({
    name: 'connection: a body in 4,000 pieces of a byte',
    parser: 'bodies in pieces, compressed bodies',
    atOnce: 20,
    reached: '400',
    bytes: (address) => headOfPieces('/v1/sign-in', address) + PIECES,
  }),
  {
    name: 'connection: a body in a million pieces of a byte',
    parser: 'bodies in pieces, compressed bodies',
    who: 'nobody',
    atOnce: 10,
    reached: 'closed',
    async begin(attacker) {
      const channelId = await attacker.channel();
      const { id } = await attacker.call('POST', '/v1/webhooks', {
        name: 'GitHub',
        channelId,
        provider: 'github',
        secrets: ['a secret of GitHub'],
      });
      const pieces = PIECE.repeat(1_000_000);
      return () => attacker.write((address) => headOfPieces(`/v1/webhooks/${id}`, address) + pieces);
    },
  },
];
