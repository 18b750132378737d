import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { Visit } from '../../../api/caller.ts';
import type { Cookies } from '../sessions/cookie.ts';
import { hashSecret, newSessionSecret } from '../sessions/secret.ts';
import { type SignOnAttempt, insertAttempt, useAttempt } from './store.ts';

/** For so long a person may take at the identity provider. */
const LIFE_MS = 600_000;

/** Browsers that were sent to the identity provider. Each comes back once, with the secret that it was given. */
export type Attempts = {
  newSecret(): string;
  /** Keeps an attempt. Returns the Set-Cookie header that gives the browser its secret. */
  begin(attempt: SignOnAttempt, secret: string): Promise<string>;
  /** The attempt of a browser that has come back, used up by this. Undefined when there is none, or its time is over. */
  use(visit: Visit): Promise<(SignOnAttempt & { secret: string }) | undefined>;
  /** The Set-Cookie header that ends it. */
  over(): string;
};

export function createAttempts(
  { db, clock }: Pick<Dependencies, 'clock'> & { db: DatabaseTransaction },
  cookies: Cookies,
): Attempts {
  return {
    newSecret: newSessionSecret,
    async begin(attempt, secret) {
      const now = clock();
      await insertAttempt(
        db,
        { ...attempt, hash: hashSecret(secret), expiresAt: new Date(now.getTime() + LIFE_MS) },
        now,
      );
      return cookies.write('single-sign-on', secret, LIFE_MS);
    },
    async use({ cookie }) {
      const secret = cookies.read('single-sign-on', cookie);
      const attempt = secret === undefined ? undefined : await useAttempt(db, hashSecret(secret), clock());
      return attempt && secret !== undefined ? { ...attempt, secret } : undefined;
    },
    over: () => cookies.write('single-sign-on', undefined, 0),
  };
}
