import type { Caller } from '../../caller/caller.ts';
import { type Credential, unauthorized } from '../../caller/scheme.ts';
import { routeProblem } from './require-access.ts';
import type { BoundRoute } from '../route/route.ts';

/**
 * The caller as they are now, for a body that took its time and for answers that last. Throws what the route would say to them if they
 * asked anew: a right was lost, an app was suspended.
 */
export async function renewAccess(route: BoundRoute, credential: Credential): Promise<Caller> {
  const renewed = await credential.renew();
  if (renewed === undefined) throw unauthorized();
  const problem = routeProblem(route, { ...renewed, isSession: credential.isSession });
  if (problem !== undefined) throw problem;
  return renewed.caller;
}
