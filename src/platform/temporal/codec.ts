import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import protocol from '@temporalio/proto';
import type { Client } from '@temporalio/client';
import { reconcilerScheduleId } from '../../kernel/contract/temporal-names.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';

/** A key of 32 bytes, and its name, which stands in the open beside everything that it has encrypted. */
export type CodecKey = { readonly kid: string; readonly key: Buffer };

const { Payload: PayloadMessage } = protocol.temporal.api.common.v1;

// The form of Temporal's own samples, which its UI's codec servers in other languages read: names of metadata, then nonce, ciphertext
// and tag in a row. The plain text is the whole payload as protobuf, its metadata included.
const ENCODING = 'encoding';
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The name of the key that has encrypted a payload; undefined for one that is not encrypted. */
export function keyIdOf({ metadata }: Payload): string | undefined {
  if (metadata?.[ENCODING] === undefined || textOf(metadata[ENCODING]) !== ENCRYPTED) return undefined;
  return metadata[KEY_ID] == null ? '' : textOf(metadata[KEY_ID]);
}

/**
 * Encrypts every payload with AES-256-GCM and the first key, under a random nonce, and decrypts with any of the keys. A payload from
 * before there was a key is passed on as it is. Throws, with a sentence, for a key that is not there or has other bytes.
 */
export function createCodec(keys: readonly CodecKey[]): PayloadCodec {
  const [first] = keys;
  if (first === undefined) throw new Error('A codec needs a key');
  const byId = new Map(keys.map(({ kid, key }) => [kid, key]));
  return {
    // Synchronous inside: a payload is some hundred bytes, and the way to the thread pool costs more than the cipher.
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, first)),
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, byId)),
  };
}

function encrypt(payload: Payload, { kid, key }: CodecKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const encrypted = cipher.update(PayloadMessage.encode(payload).finish());
  return {
    metadata: { [ENCODING]: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(kid) },
    data: Buffer.concat([nonce, encrypted, cipher.final(), cipher.getAuthTag()]),
  };
}

function decrypt(payload: Payload, keys: ReadonlyMap<string, Buffer>): Payload {
  const kid = keyIdOf(payload);
  if (kid === undefined) return payload;
  const key = keys.get(kid);
  if (key === undefined)
    throw new Error(`TEMPORAL_CODEC_KEYS lacks the key ${kid}, which has encrypted this: add it behind the first one`);
  const data = payload.data ?? Buffer.alloc(0);
  try {
    const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const plain = decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES));
    return PayloadMessage.decode(Buffer.concat([plain, decipher.final()]));
  } catch (cause) {
    throw new Error(`TEMPORAL_CODEC_KEYS: the key ${kid} is not the one of that name which has encrypted this`, {
      cause,
    });
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Runs in the sandbox of Temporal workflows too: `bundleWorkflows` puts it into the bundle. */
export const FAILURE_CONVERTER_PATH = fileURLToPath(
  new URL(`../../../workflows/encoded-failures${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/** Converter for clients and workers. Without keys it is Temporal's own, which keeps everything as it is. */
export const dataConverterOf = (keys: readonly CodecKey[] | undefined): DataConverter =>
  keys === undefined ? {} : { payloadCodecs: [createCodec(keys)], failureConverterPath: FAILURE_CONVERTER_PATH };

/**
 * Stands in the memo of the reconciler's schedule, encrypted as everything else is. Each worker reads it at its start: histories that
 * it cannot decrypt would hold their deliveries up one by one, with an error for each.
 */
export const CODEC_MEMO = { codec: 'this opens with the keys of TEMPORAL_CODEC_KEYS' } as const;

type Checked = { namespace: string; taskQueue: string; codecKeys?: readonly CodecKey[] | undefined };

/**
 * Throws, with a sentence for the operator, when workers before this one have encrypted with a key that it lacks. Otherwise the first
 * key encrypts the memo anew where another one had, so that the other one can go. A schedule that is missing is made later, with the
 * first key.
 */
export async function checkCodecKeys(client: Client, { namespace, taskQueue, codecKeys }: Checked): Promise<void> {
  const scheduleId = reconcilerScheduleId(taskQueue);
  const { schedule } = await client.workflowService.describeSchedule({ namespace, scheduleId }).catch(ifMissing);
  if (schedule == null) return;
  const memo = schedule.action?.startWorkflow?.memo?.fields?.['codec'];
  const kid = memo == null ? undefined : keyIdOf(memo);
  if (memo != null && kid !== undefined) await open(memo, { kid, namespace, codecKeys });
  if (codecKeys === undefined || kid === codecKeys[0]?.kid) return;
  await client.schedule
    .getHandle(scheduleId)
    .update(({ action, ...rest }) => ({ ...rest, action: { ...action, memo: CODEC_MEMO } }));
}

/** Nobody has encrypted anything in a store that is new to us, or in a namespace that is still to be made. */
const ifMissing = (failure: unknown): { schedule?: never } => {
  if (grpcStatusOf(failure) === GRPC_STATUS.notFound) return {};
  throw failure;
};

async function open(
  memo: Payload,
  { kid, namespace, codecKeys }: { kid: string; namespace: string; codecKeys: Checked['codecKeys'] },
): Promise<void> {
  const advice = `or take a new TEMPORAL_NAMESPACE, in which unfinished deliveries begin anew`;
  if (!codecKeys?.some((known) => known.kid === kid))
    throw new Error(
      `TEMPORAL_CODEC_KEYS: the key ${kid} has encrypted workflows of the namespace ${namespace}; add it behind the first one, ${advice}`,
    );
  await createCodec(codecKeys)
    .decode([memo])
    .catch((cause: unknown) => {
      throw new Error(
        `TEMPORAL_CODEC_KEYS: its key ${kid} is another one than the key ${kid} of the workflows in the namespace ${namespace}; correct it, ${advice}`,
        { cause },
      );
    });
}
