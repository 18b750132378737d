import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Dependencies, Clock } from '../../../platform/dependencies.ts';
import { createGrouping } from '../../../platform/db/group.ts';
import { PROOF_AGE, type Proof, ProofProblem } from './proof.ts';
import { insertUsedProofs } from './store.ts';

/** Proofs are kept for as long as they are valid, plus the maximum clock difference between processes in seconds. */
const CLOCK_DIFFERENCE = 60;
const KEPT_MS = (PROOF_AGE.past + PROOF_AGE.future + CLOCK_DIFFERENCE) * 1_000;
/** Concurrent statements, and proofs per statement. Simultaneous requests share a commit. */
const IN_FLIGHT = 4;
const MAX_PROOFS = 200;

export type UsedProofs = {
  /** Uses up a proof, for all processes. Throws ProofProblem if it was used before. */
  use(proof: Proof): Promise<void>;
};

/**
 * Stores used DPoP proofs in PostgreSQL (RFC 9449 §11.1), so that a new process, or another one behind the same
 * address, knows them too. The id of a proof is stored as a hash together with the client's key, so ids of different
 * clients cannot collide.
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
      // Of several identical proofs, the first one counts as first use.
      return ids.map((id) => ({ isFirst: fresh.delete(id.toString('hex')) }));
    },
  });
  return {
    async use({ thumbprint, jti }) {
      const id = createHash('sha256').update(`${thumbprint}\0${jti}`).digest();
      if (!(await grouping.add(id)).isFirst) throw new ProofProblem('was used before; create one for each request');
    },
  };
}

/** Length of a time step. A nonce belongs to one step. */
const STEP_SECONDS = 60;
/** Steps around the current one whose nonces are accepted: a nonce is valid for two to four minutes. */
const ACCEPTED_STEPS = [0, 1, -1, 2, -2] as const;
const NONCE_BYTES = 16;

type Nonces = {
  /** Returns the nonce to hand out now. It is that of the next step, so that it is valid for as long as possible. */
  current(): string;
  /** Whether a process with one of the secrets has handed out this nonce recently. */
  isGood(nonce: string): boolean;
};

/**
 * Nonces that need no storage: each is the HMAC of its time step (RFC 9449 §8 leaves the form to the server). The first
 * secret creates nonces; all secrets are accepted. A nonce limits the age of a proof; that a proof is used only once is
 * checked by the store of used proofs.
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
      // Base64url decoding accepts other spellings of the same bytes, but a nonce must be the text that was handed out
      // (RFC 9449 §4.3, check 10).
      if (given.length !== NONCE_BYTES || given.toString('base64url') !== nonce) return false;
      const now = stepNow();
      return secrets.some((secret) => ACCEPTED_STEPS.some((step) => timingSafeEqual(of(secret, now + step), given)));
    },
  };
}
