import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import { openSigningSecret, readSigningKey, signatureHeader } from '../../platform/outbound/sign.ts';
import { isId } from '../../kernel/values/ids.ts';
import type { Signer } from './receive-store.ts';
import type { Signature } from './schema.ts';

/** As libraries of receivers have it (Standard Webhooks, "Verifying webhooks"). */
const TOLERANCE_SECONDS = 300;

type Collaborators = {
  keyRing: KeyRing;
  findSigners: (messageId: string) => Promise<Signer[]>;
  /** Calls a step until it says that nothing is left, and lets other work go on in between. */
  inSteps: (step: () => boolean) => Promise<void>;
};

type Signed = { header(name: string): string | undefined; body: Buffer; now: Date };

const failed = (
  reason: NonNullable<Signature['reason']>,
  more: Omit<Signature, 'status' | 'reason'> = {},
): Signature => ({
  status: 'failed',
  reason,
  ...more,
});

/**
 * Checks the signature as a receiver with the right secrets would (Standard Webhooks): over the exact bytes of the body, with the three
 * headers. `findSigners` gives the subscriptions of the environment that have the message, with the secrets that sign now. A request
 * that was signed by a secret whose overlap is over has failed, as at a receiver that has forgotten it.
 */
export async function checkSignature(
  { header, body, now }: Signed,
  { keyRing, findSigners, inSteps }: Collaborators,
): Promise<Signature> {
  const [id, timestampText, signatures] = [
    header('webhook-id'),
    header('webhook-timestamp'),
    header('webhook-signature'),
  ];
  if (signatures === undefined) return { status: 'unsigned' };
  if (id === undefined || timestampText === undefined) return failed('header_missing');
  if (!/^\d{1,12}$/.test(timestampText)) return failed('timestamp_malformed');
  const timestamp = Number(timestampText);
  const signers = isId('message', id) ? await findSigners(id) : [];
  const [first] = signers;
  if (first === undefined) return failed('message_unknown');
  const known = { messageId: id, subscriptionId: first.subscriptionId };
  if (Math.abs(now.getTime() / 1_000 - timestamp) > TOLERANCE_SECONDS) return failed('timestamp_off', known);
  const given = new Set(signatures.split(' '));
  const candidates = signers.flatMap(({ subscriptionId, secrets }) =>
    secrets.map((sealed) => ({ subscriptionId, sealed })),
  );
  let isReadable = false;
  let signer: string | undefined;
  // Each secret reads the whole body, and other requests are answered in between.
  await inSteps(() => {
    const candidate = candidates.shift();
    const key = candidate && keyOf(keyRing, candidate.sealed);
    if (key !== undefined) {
      isReadable = true;
      // Nothing is let in by this comparison, so that its time tells nothing of worth.
      if (given.has(signatureHeader({ keys: [key], id, timestamp, body }))) signer = candidate?.subscriptionId;
    }
    return signer === undefined && candidates.length > 0;
  });
  if (signer !== undefined) return { status: 'verified', messageId: id, subscriptionId: signer };
  return failed(isReadable ? 'signature_differs' : 'secret_unreadable', known);
}

/** Undefined for a secret that was sealed with a key that is gone. */
function keyOf(keyRing: KeyRing, sealed: Signer['secrets'][number]): ReturnType<typeof readSigningKey> | undefined {
  try {
    return readSigningKey(openSigningSecret(keyRing, sealed));
  } catch {
    return undefined;
  }
}
