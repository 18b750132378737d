import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../platform/dependencies.ts';

/** A nonce holds for this step of time and some around it. */
const STEP_SECONDS = 60;
/** Steps before and after the present one whose nonces are taken: a nonce is good for two to four minutes. */
const ACCEPTED_STEPS = [0, 1, -1, 2, -2] as const;
const NONCE_BYTES = 16;

export type Nonces = {
  /** The one to hand out now: of the next step, so that it holds for as long as can be. */
  current(): string;
  /** Whether a process that has one of the secrets has handed this out lately. */
  isGood(nonce: string): boolean;
};

/**
 * Nonces that no process stores: each is the HMAC of its step of time (RFC 9449 §8 leaves their form to the server). The first
 * secret makes them, each is taken. A nonce says how old a proof can be at most; that a proof is used once is the replay store's part.
 */
export function createNonces(secrets: readonly Buffer[], clock: Clock): Nonces {
  const [writer] = secrets;
  if (writer === undefined) throw new Error('Nonces need at least one secret');
  const stepNow = (): number => Math.floor(clock().getTime() / 1_000 / STEP_SECONDS);
  const of = (secret: Buffer, step: number): Buffer =>
    createHmac('sha256', secret).update(`dpop-nonce ${step}`).digest().subarray(0, NONCE_BYTES);
  return {
    current: () => of(writer, stepNow() + 1).toString('base64url'),
    isGood(nonce) {
      const given = Buffer.from(nonce, 'base64url');
      // Decoding takes other spellings of the same bytes; a nonce is the text that was handed out (RFC 9449 §4.3, check 10).
      if (given.length !== NONCE_BYTES || given.toString('base64url') !== nonce) return false;
      const now = stepNow();
      return secrets.some((secret) => ACCEPTED_STEPS.some((step) => timingSafeEqual(of(secret, now + step), given)));
    },
  };
}
