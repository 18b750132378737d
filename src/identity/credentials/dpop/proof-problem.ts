/** Refusals of a proof, by the names of RFC 9449 §5 and §8. */
export type ProofError = 'invalid_dpop_proof' | 'use_dpop_nonce';

/** Why a proof is refused. The reason is for the caller, and repeats nothing of the proof. */
export class ProofProblem extends Error {
  override readonly name = 'ProofProblem';
  readonly error: ProofError;
  readonly reason: string;

  constructor(reason: string, error: ProofError = 'invalid_dpop_proof') {
    super(reason);
    this.reason = reason;
    this.error = error;
  }
}
