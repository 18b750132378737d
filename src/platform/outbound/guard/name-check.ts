import { LRUCache } from 'lru-cache';
import { classifyError } from '../exchange/error-class.ts';
import { type ResolveHost, resolveWithin } from './resolve-host.ts';

/** Time for the addresses of one name, ms: somebody waits for the answer to what they have saved. */
const LIMIT_MS = 2_000;
/** Look-ups at a time, each a few UDP packets. Beyond it a name is not looked up: nobody waits for the names of others. */
const MOST_AT_ONCE = 50;
/** Names that are remembered and for how long, ms: a page that is loaded again asks no name server again. */
const KNOWN = { max: 1_000, ttl: 5_000 };

type Found = { addresses: readonly string[] } | { reason: string };

/**
 * Looks names up for those who save or read a target. `reason` says why there are no addresses, in words that hold none. Never rejects.
 */
export function createNameCheck(resolve: ResolveHost): { lookUp(hostname: string): Promise<Found> } {
  const known = new LRUCache<string, Promise<Found>>(KNOWN);
  let underWay = 0;
  const ask = async (hostname: string): Promise<Found> => {
    underWay += 1;
    try {
      return { addresses: await resolveWithin(resolve, hostname, LIMIT_MS) };
    } catch (error) {
      return { reason: classifyError(error).message };
    } finally {
      underWay -= 1;
    }
  };
  return {
    async lookUp(hostname) {
      const asked = known.get(hostname);
      if (asked !== undefined) return asked;
      if (underWay >= MOST_AT_ONCE) return { reason: 'too many host names are being looked up at this moment' };
      const asking = ask(hostname);
      known.set(hostname, asking);
      return asking;
    },
  };
}
