import { createHash } from 'node:crypto';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { createGrouping } from '../../../platform/db/group.ts';
import { PROOF_AGE, type Proof } from './proof.ts';
import { ProofProblem } from './proof-problem.ts';
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
