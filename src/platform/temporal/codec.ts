import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import protocol from '@temporalio/proto';
import type { Client } from '@temporalio/client';
import { reconcilerScheduleId } from '../../kernel/contract/temporal-names.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';

/** A 32-byte key and its name, which is stored unencrypted with everything that the key has encrypted. */
export type CodecKey = { readonly kid: string; readonly key: Buffer };

const { Payload: PayloadMessage } = protocol.temporal.api.common.v1;

// The format of Temporal's own samples, which codec servers in other languages can read: names of metadata, then nonce, ciphertext and
// tag concatenated. The plain text is the whole payload as protobuf, including its metadata.
const ENCODING = 'encoding';
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The name of the key that has encrypted a payload; undefined if it is not encrypted. */
export function keyIdOf({ metadata }: Payload): string | undefined {
  if (metadata?.[ENCODING] === undefined || textOf(metadata[ENCODING]) !== ENCRYPTED) return undefined;
  return metadata[KEY_ID] == null ? '' : textOf(metadata[KEY_ID]);
}

/**
 * Encrypts every payload with AES-256-GCM and the first key, with a random nonce, and decrypts with any of the keys. Payloads from
 * before there was a key are passed on unchanged. Throws one sentence if a key is missing or has other bytes.
 */
export function createCodec(keys: readonly CodecKey[]): PayloadCodec {
  const [first] = keys;
  if (first === undefined) throw new Error('A codec needs a key');
  const byId = new Map(keys.map(({ kid, key }) => [kid, key]));
  return {
    // Synchronous inside: a payload is a few hundred bytes, and using the thread pool costs more than the cipher.
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
    throw new Error(
      `TEMPORAL_CODEC_KEYS lacks the key ${kid}, which has encrypted this payload; add it after the first one`,
    );
  const data = payload.data ?? Buffer.alloc(0);
  try {
    const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const plain = decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES));
    return PayloadMessage.decode(Buffer.concat([plain, decipher.final()]));
  } catch (cause) {
    throw new Error(
      `TEMPORAL_CODEC_KEYS: the key ${kid} differs from the key of that name that has encrypted this payload`,
      {
        cause,
      },
    );
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Also runs in the sandbox of Temporal workflows: `bundleWorkflows` puts it into the bundle. */
export const FAILURE_CONVERTER_PATH = fileURLToPath(
  new URL(`../../../workflows/encoded-failures${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/** Converter for clients and workers. Without keys it is Temporal's own, which does not encrypt. */
export const dataConverterOf = (keys: readonly CodecKey[] | undefined): DataConverter =>
  keys === undefined ? {} : { payloadCodecs: [createCodec(keys)], failureConverterPath: FAILURE_CONVERTER_PATH };

/**
 * Stored in the memo of the reconciler's schedule, encrypted like everything else. Each worker reads it when it starts: histories that
 * it cannot decrypt would block their deliveries one by one, with an error for each.
 */
export const CODEC_MEMO = { codec: 'this opens with the keys of TEMPORAL_CODEC_KEYS' } as const;

type Checked = { namespace: string; taskQueue: string; codecKeys?: readonly CodecKey[] | undefined };

/**
 * Throws a sentence for the operator if earlier workers have encrypted with a key that this one lacks. Otherwise re-encrypts the memo
 * with the first key if another one had, so that the other one can be removed. A missing schedule is created later, with the first key.
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

/** Nothing has been encrypted in a store that is new to us, or in a namespace that does not exist yet. */
const ifMissing = (failure: unknown): { schedule?: never } => {
  if (grpcStatusOf(failure) === GRPC_STATUS.notFound) return {};
  throw failure;
};

async function open(
  memo: Payload,
  { kid, namespace, codecKeys }: { kid: string; namespace: string; codecKeys: Checked['codecKeys'] },
): Promise<void> {
  const advice = `or use a new TEMPORAL_NAMESPACE, in which unfinished deliveries start again`;
  if (!codecKeys?.some((known) => known.kid === kid))
    throw new Error(
      `TEMPORAL_CODEC_KEYS: the key ${kid} has encrypted workflows of the namespace ${namespace}; add it after the first one, ${advice}`,
    );
  await createCodec(codecKeys)
    .decode([memo])
    .catch((cause: unknown) => {
      throw new Error(
        `TEMPORAL_CODEC_KEYS: its key ${kid} differs from the key ${kid} of the workflows in the namespace ${namespace}; correct it, ${advice}`,
        { cause },
      );
    });
}
