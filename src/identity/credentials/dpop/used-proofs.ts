import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Dependencies, Clock } from '../../../platform/dependencies.ts';
import { createGrouping } from '../../../platform/db/group.ts';
import { PROOF_AGE, type Proof, ProofProblem } from './proof.ts';
import { insertUsedProofs } from './store.ts';

/** A proof holds for as long as its time lets it, and clocks of the service's processes differ by less than this, in seconds. */
const CLOCK_DIFFERENCE = 60;
const KEPT_MS = (PROOF_AGE.past + PROOF_AGE.future + CLOCK_DIFFERENCE) * 1_000;
/** Statements at a time, and proofs in one: calls that come together share a commit. */
const IN_FLIGHT = 4;
const MAX_PROOFS = 200;

export type UsedProofs = {
  /** Uses a proof up, for every process. Throws ProofProblem when it was used before. */
  use(proof: Proof): Promise<void>;
};

/**
 * Proofs that were used (RFC 9449 §11.1), in PostgreSQL: a process that is new, or another one behind the same address, knows them.
 * A client's ids are its own: they are kept as a hash together with its key.
 */
export function createUsedProofs({ pool, clock }: Pick<Dependencies, 'pool' | 'clock'>): UsedProofs {
  const grouping = createGrouping<Buffer, { isFirst: boolean }>({
    inFlight: IN_FLIGHT,
    maxWeight: MAX_PROOFS,
    weightOf: () => 1,
    async run(ids) {
      const unique = new Map(ids.map((id) => [id.toString('hex'), id]));
      const expiresAt = new Date(clock().getTime() + KEPT_MS);
      const inserted = await insertUsedProofs(pool, [...unique.values()], expiresAt);
      const fresh = new Set(inserted.map((id) => id.toString('hex')));
      // The first of several that are the same takes it.
      return ids.map((id) => ({ isFirst: fresh.delete(id.toString('hex')) }));
    },
  });
  return {
    async use({ thumbprint, jti }) {
      const id = createHash('sha256').update(`${thumbprint}\0${jti}`).digest();
      if (!(await grouping.add(id)).isFirst) throw new ProofProblem('was used before: make one for each request');
    },
  };
}

/** A nonce holds for this step of time and some around it. */
const STEP_SECONDS = 60;
/** Steps before and after the present one whose nonces are taken: a nonce is good for two to four minutes. */
const ACCEPTED_STEPS = [0, 1, -1, 2, -2] as const;
const NONCE_BYTES = 16;

type Nonces = {
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
