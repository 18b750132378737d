import { hashSecret, newSessionSecret } from '../sessions/secret.ts';

/** The secret of a second step's cookie, and its hash, which is all that is stored. */
export const secondStepSecret = {
  make(): { secret: string; hash: Buffer } {
    const secret = newSessionSecret();
    return { secret, hash: hashSecret(secret) };
  },
  hash: hashSecret,
};
