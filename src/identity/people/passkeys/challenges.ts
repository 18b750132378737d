import { createHash, randomBytes } from 'node:crypto';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { insertChallenge, type Purpose, useChallenge } from './store.ts';
import { refused } from './verify.ts';

/** People look for a device, and type its PIN. */
const LIFE_MS = 5 * 60_000;

export type Challenges = {
  /** 256 random bits in base64url, of which PostgreSQL keeps the SHA-256. */
  make(purpose: Purpose, boundTo: string): Promise<string>;
  /** Uses a challenge up, whatever becomes of its answer. Throws UNAUTHORIZED unless it was made for just this. */
  use(challenge: string, purpose: Purpose, boundTo: string): Promise<void>;
};

export function createChallenges({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): Challenges {
  return {
    async make(purpose, boundTo) {
      const challenge = randomBytes(32).toString('base64url');
      const now = clock();
      const expiresAt = new Date(now.getTime() + LIFE_MS);
      await insertChallenge(db, { hash: hashOf(challenge), purpose, boundTo }, { now, expiresAt });
      return challenge;
    },
    async use(challenge, purpose, boundTo) {
      if (!(await useChallenge(db, { hash: hashOf(challenge), purpose, boundTo }, clock())))
        throw refused('the challenge was used, has expired, or was made for something else');
    },
  };
}

const hashOf = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();
