import { isOneOf, onlyHeader } from './reading.ts';
import { SignatureRefused, type WayOfSigning } from './scheme.ts';

/**
 * Sends the secret itself in a header. This is weak: anyone who sees one request can send others, and neither content
 * nor time is authenticated. It is only as safe as TLS and the logs of every proxy on the way.
 */
export const token = (header: string): WayOfSigning => ({
  check(incoming, secrets) {
    if (!isOneOf(onlyHeader(incoming, header), secrets))
      throw new SignatureRefused('signature_wrong', `the header ${header} does not match any of the secrets`);
    return {};
  },
  sign: (_, { secret }) => ({ headers: { [header]: secret } }),
});
