import { RENEWAL } from '../belief/belief.ts';
import type { Credential, Scheme } from '../../../api/caller.ts';
import { invalidToken } from './refusals.ts';
import type { Tokens } from './service.ts';

const TOKEN = /^DPoP +([\x21-\x7e]+)$/i;

/**
 * Access tokens with proofs (RFC 9449 §7.1). The token is looked at first, so that limits count by its machine credential: one
 * Authorization header, signature and claims, the credential as it is now. The proof comes when scope and limits have let the request
 * through: a refused request uses no proof up, and writes no row. Proofs do not cover the body; it is read before all the same,
 * because the edge proves every kind of credential at one place.
 */
export const dpopScheme = ({
  identify,
  prove,
  nextNonce,
}: Pick<Tokens, 'identify' | 'prove' | 'nextNonce'>): Scheme => ({
  async identify({ header }): Promise<Credential | undefined> {
    const given = header('authorization');
    // Another scheme's, or none: an API key may still be there. Two of any kind are nobody's.
    if (!given.some((value) => /^DPoP(?: |$)/i.test(value))) return undefined;
    const text = given.length === 1 ? TOKEN.exec(given[0] ?? '')?.[1] : undefined;
    const found = text === undefined ? undefined : await identify(text);
    if (text === undefined || found === undefined) throw invalidToken();
    return {
      caller: found.caller,
      isSession: false,
      async prove(request) {
        await prove(found.token, request.header('dpop'), request);
        const nonce = nextNonce();
        return nonce === undefined ? undefined : { 'DPoP-Nonce': nonce };
      },
      renew: () => identify(text, RENEWAL),
    };
  },
});
