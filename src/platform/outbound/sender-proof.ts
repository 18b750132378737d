import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header by which this service knows its own requests to inspectors, and which is sent nowhere else. */
export const SENDER_HEADER = 'posthorn-sender';

export type SenderProofs = {
  /** The value of the header for requests of that sender, a subscription's id. */
  of(sender: string): string;
  /** Who sent a request with this value; undefined where no process of this service has made it. */
  senderOf(value: string): string | undefined;
};

/**
 * `<sender>.<HMAC-SHA256>`, with keys that every process has. They come from the encryption keys in their order: the first one makes
 * proofs, each is believed. A proof is the same at every try, and lets nobody in: it only says whose refused requests these are.
 */
export function createSenderProofs(keyRing: { derive(purpose: string): Buffer[] }): SenderProofs {
  const keys = keyRing.derive('requests to inspectors');
  const [writer] = keys;
  if (writer === undefined) throw new Error('Proofs of senders need at least one key');
  const proofBy = (key: Buffer, sender: string): Buffer => createHmac('sha256', key).update(sender).digest();
  return {
    of: (sender) => `${sender}.${proofBy(writer, sender).toString('base64url')}`,
    senderOf(value) {
      const dot = value.lastIndexOf('.');
      const sender = value.slice(0, Math.max(0, dot));
      const given = Buffer.from(value.slice(dot + 1), 'base64url');
      const isOurs = keys.some((key) => {
        const right = proofBy(key, sender);
        return given.length === right.length && timingSafeEqual(given, right);
      });
      return isOurs ? sender : undefined;
    },
  };
}
