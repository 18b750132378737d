import { isOneOf, onlyHeader } from './reading.ts';
import { SignatureRefused, type WayOfSigning } from './scheme.ts';

/**
 * The secret itself in a header. Weak: whoever sees one request can make any other, and neither content nor time is proven. The scheme is
 * as safe as TLS and the logs of every proxy on the way.
 */
export const token = (header: string): WayOfSigning => ({
  check(incoming, secrets) {
    if (!isOneOf(onlyHeader(incoming, header), secrets))
      throw new SignatureRefused('signature_wrong', `the header ${header} holds none of the secrets`);
    return {};
  },
  sign: (_, { secret }) => ({ headers: { [header]: secret } }),
});
