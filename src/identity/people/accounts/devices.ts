import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { Means } from '../../../api/person-fields.ts';
import type { Visit } from '../../../api/caller.ts';
import type { Cookies } from '../sessions/cookie.ts';
import type { SignedIn } from '../sessions/schema.ts';
import { hashSecret, newSessionSecret } from '../sessions/secret.ts';
import type { WithCookies } from '../sessions/service.ts';
import { isKnownDevice, keepDevice } from './store.ts';
import type { Account } from './store.ts';
import type { Trier } from './tries.ts';

/** A browser stays known for so long after it has signed somebody in. */
const DEVICE_MS = 180 * 24 * 3_600_000;

/** Begins a session in a browser that is known from then on; by the password unless told otherwise. */
export type Begin = (
  transaction: DatabaseTransaction,
  userId: string,
  visit: Visit,
  how?: { trier?: Trier; provenBy?: readonly Means[] },
) => Promise<WithCookies<SignedIn>>;

export type Devices = {
  /** Whose tries a visit counts with: its browser's own where that has signed this person in before, else the account's. */
  trierOf(email: string, account: Account | undefined, visit: Visit): Promise<Trier>;
  /** Remembers the browser of a person who has just signed in. Returns the Set-Cookie header by which it is known again. */
  remember(transaction: DatabaseTransaction, userId: string, trier?: Trier): Promise<string>;
};

/** Browsers that people have signed in with before. Their secret is no proof of anybody: it only chooses where tries are counted. */
export function createDevices({ db, clock }: Pick<Dependencies, 'db' | 'clock'>, cookies: Cookies): Devices {
  return {
    async trierOf(email, account, visit) {
      const device = cookies.read('device', visit.cookie);
      const isKnown = device !== undefined && (await isKnownDevice(db, hashSecret(device), account?.id, clock()));
      return isKnown && account !== undefined
        ? { kind: 'device', userId: account.id, device }
        : { kind: 'account', email };
    },
    async remember(transaction, userId, trier) {
      // A secret that came with the request and was not known may be one that somebody has planted.
      const device = trier?.kind === 'device' ? trier.device : newSessionSecret();
      const createdAt = clock();
      const expiresAt = new Date(createdAt.getTime() + DEVICE_MS);
      await keepDevice(transaction, { hash: hashSecret(device), userId, createdAt, expiresAt });
      return cookies.write('device', device, DEVICE_MS);
    },
  };
}
