import { createHash } from 'node:crypto';
import { type Caller, type Credential, type RequestHead, type Scheme, unauthorized } from '../../../src/api/caller.ts';

/** Proof of a request: nobody could mistake it for a signature, but it covers method, target and each byte of the body. */
export const proofOf = (method: string, target: string, body: string | Buffer): string =>
  createHash('sha256').update(`${method} ${target} `).update(body).digest('hex');

/** A caller of the scheme below, by the name that it gives in X-Principal. */
export type Known = { caller: Caller; isSession?: boolean; prove?: NonNullable<Credential['prove']> };

/**
 * A scheme for tests alone, in the two steps that a real one has: X-Principal names, X-Proof proves. `asked` counts the proofs
 * that were looked at.
 */
export function createProvingScheme(known: Readonly<Record<string, Known>>): { scheme: Scheme; asked: () => number } {
  let asked = 0;
  const matches = ({ header }: RequestHead, expected: string): boolean =>
    header('x-proof').length === 1 && header('x-proof')[0] === expected;
  const scheme: Scheme = {
    identify({ header }) {
      const [name, ...others] = header('x-principal');
      const found = name === undefined || others.length > 0 ? undefined : known[name];
      if (found === undefined) return Promise.resolve(undefined);
      return Promise.resolve({
        caller: found.caller,
        isSession: found.isSession ?? false,
        prove(request) {
          asked += 1;
          if (found.prove !== undefined) return found.prove(request);
          const isProven = matches(request, proofOf(request.method, request.target, request.body));
          return isProven ? Promise.resolve(undefined) : Promise.reject(unauthorized());
        },
        renew: () => Promise.resolve({ caller: found.caller }),
      });
    },
  };
  return { scheme, asked: () => asked };
}
