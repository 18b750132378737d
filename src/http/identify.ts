import { type Credential, type RequestHead, type Scheme, unauthorized } from '../identity/scheme.ts';
import type { Middleware } from './context.ts';
import { toApiError } from './errors.ts';
import { headOf } from './request-head.ts';

/**
 * Finds the credential that a request presents. This step throws nothing: the rate limit comes next and must see failed calls as well,
 * and its headers must be on their answers. `require-access.ts` throws what is left in credentialProblem.
 */
export const identify =
  (schemes: readonly Scheme[]): Middleware =>
  async (ctx, next) => {
    try {
      const credential = await firstCredential(schemes, headOf(ctx.req));
      if (credential === undefined) ctx.state.credentialProblem = unauthorized();
      else ctx.state.credential = credential;
    } catch (thrown) {
      ctx.state.credentialProblem = toApiError(thrown, { isRead: true });
    }
    await next();
  };

async function firstCredential(schemes: readonly Scheme[], head: RequestHead): Promise<Credential | undefined> {
  for (const scheme of schemes) {
    const credential = await scheme.identify(head);
    if (credential !== undefined) return credential;
  }
  return undefined;
}
