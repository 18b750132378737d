import { STRANGERS_REQUESTS, type StrangersRequest } from '../../test/support/make/strangers-requests.ts';
import { always, get, type HostileInput, post } from './input.ts';
import { type HostileRequest, JSON_TYPE } from './request.ts';
import type { Parser } from './parsers.ts';

const asSent = ({ method = 'POST', path, body, headers = {} }: StrangersRequest): HostileRequest => ({
  method,
  path,
  headers: { ...(body !== undefined && JSON_TYPE), ...headers },
  ...(body !== undefined && { body }),
});

/** What the answers to the requests of one reader begin with. */
const REACHED: Readonly<Record<keyof typeof STRANGERS_REQUESTS, string>> = {
  'forms of token requests': '400',
  JSON: '400',
  passwords: '4',
  passkeys: '40',
  'requests of inspectors': '404',
  'headers of credentials': '401',
  'DPoP proofs': '401',
  'other headers': '',
  paths: '404',
  queries: '4',
  files: '200',
};

/** The requests of one reader, each in turn. */
const byReader = Object.entries(STRANGERS_REQUESTS).map(
  ([parser, requests]): HostileInput => ({
    name: `unproven: ${parser}, ${Object.keys(requests).length} kinds`,
    // `as`: keys of the record, each of which is a parser.
    parser: parser as Parser & keyof typeof STRANGERS_REQUESTS,
    who: 'nobody',
    atOnce: 20,
    reached: REACHED[parser as keyof typeof STRANGERS_REQUESTS],
    begin: always(...Object.values<StrangersRequest>(requests).map(asSent)),
  }),
);

/** Pages that anyone may read. */
const pages: HostileInput = {
  name: 'unproven: pages of the dashboard',
  parser: 'files',
  who: 'nobody',
  atOnce: 20,
  reached: '200',
  begin: always(
    get('/dashboard/', { 'accept-encoding': 'br,gzip', 'if-none-match': 'W/"a",'.repeat(2_000) }),
    get('/openapi.json', { 'accept-encoding': 'identity' }),
  ),
};

/** What is refused by its head, however large its body says it is. */
const refusedBodies: HostileInput = {
  name: 'unproven: compressed bodies and bodies of parts',
  parser: 'bodies in pieces, compressed bodies',
  who: 'nobody',
  atOnce: 20,
  reached: '41',
  begin: always(
    post('/v1/sign-in', Buffer.alloc(16_000).toString('latin1'), { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    post('/v1/sign-in', '--a\r\n\r\n'.repeat(2_000), { 'content-type': 'multipart/form-data; boundary=a' }),
    post('/v1/channels', '{}'.repeat(2_000_000), { ...JSON_TYPE, 'content-encoding': 'br' }),
  ),
};

export const STRANGERS_INPUTS: readonly HostileInput[] = [...byReader, pages, refusedBodies];
