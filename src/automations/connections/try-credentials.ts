import { ApiError } from '../../kernel/errors.ts';
import type { RequestSender } from '../../platform/outbound/send-request.ts';
import type { Connector } from '../connectors/catalogue/connector.ts';
import { createMask } from '../engine/actions/masked.ts';
import { requestOf } from '../connectors/request.ts';
import type { ConnectionTest } from './schema.ts';
import type { ConnectionCredentials } from './sealed.ts';

/** Somebody waits meanwhile. */
const TIMEOUT_MS = 10_000;
/** A refusal is read from the beginning of an answer. */
const MAX_BYTES = 65_536;

/** Sends the request by which a connector tests credentials. Nothing of the answer is shown but its status and a known refusal. */
export async function tryCredentials(
  sender: Pick<RequestSender, 'send'>,
  connector: Connector,
  credentials: ConnectionCredentials,
): Promise<ConnectionTest> {
  const { name, test, refusal } = connector;
  if (test === undefined)
    throw new ApiError('CONFLICT', `${name} has no request that tests credentials and changes nothing`);
  const { method, url, headers, body } = requestOf(connector, test, {
    params: {},
    credentials,
    idempotencyKey: '',
    toJson: JSON.stringify,
  });
  const sent = await sender.send({
    method,
    url,
    headers,
    ...(body !== undefined && { body: Buffer.from(body.text) }),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  if ('error' in sent) return { ok: false, message: `${name} gave no answer: ${sent.error.message}` };
  const { status } = sent;
  if (status < 200 || status > 299) return { ok: false, status, message: `${name} answered ${status}` };
  // The outcome is kept: a service that sends a credential back puts it in no row.
  const mask = createMask(
    Object.entries(credentials).filter((each): each is [string, string] => isSecret(each[1])),
  ).text;
  const reason = refusal?.(jsonIn(sent.body));
  return reason === undefined
    ? { ok: true, status, message: `${name} takes the credentials` }
    : { ok: false, status, message: `${name} refused: ${storable(mask(reason))}` };
}

/** PostgreSQL takes no NUL, and no half of a surrogate pair. */
const storable = (text: string): string => Buffer.from(text.replaceAll('\0', '\uFFFD').slice(0, 200)).toString();

// A shorter text is found in any other.
const LEAST_SECRET = 8;
const isSecret = (value: unknown): value is string => typeof value === 'string' && value.length >= LEAST_SECRET;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
