import { timeText } from './reading.ts';
import { canSignStandard, checkStandard, standardSignature } from './standard.ts';
import { type Incoming, SignatureRefused, type WayOfSigning } from './scheme.ts';

/** The signature fields of a body with the scheme `body`. */
export type SignedBody = { id: string; timestamp: string; payload: string; signature: string };

/**
 * Posthorn's own scheme, with everything in the body: `{"id", "timestamp", "payload", "signature"}`, where `payload` is
 * JSON as a string. The signature is that of Standard Webhooks over `id.timestamp.payload`. Because the exact text is
 * signed, no canonical JSON is needed.
 */
export const body: WayOfSigning = {
  check(incoming, secrets, { now }) {
    const { id, timestamp, payload, signature } = signedBodyOf(incoming);
    checkStandard({ id, timestamp, signatures: signature, content: Buffer.from(payload) }, secrets, now);
    return {};
  },
  canSign: canSignStandard,
  // The body passed in becomes the `payload`.
  sign({ bytes }, { secret, now, id }) {
    const timestamp = timeText(now);
    const signature = standardSignature({ id, timestamp, content: bytes }, secret);
    return { body: JSON.stringify({ id, timestamp: Number(timestamp), payload: bytes.toString(), signature }) };
  },
};

/** Throws SignatureRefused if one of the fields is missing. */
export function signedBodyOf(incoming: Incoming): SignedBody {
  const [id, timestamp, payload, signature] = incoming.peek(['/id', '/timestamp', '/payload', '/signature']);
  if (signature === undefined) throw new SignatureRefused('signature_missing', 'the field signature is missing');
  if (typeof id !== 'string' || typeof payload !== 'string' || typeof signature !== 'string')
    throw new SignatureRefused('signature_malformed', 'id, payload and signature must be strings');
  if (typeof timestamp !== 'string' && typeof timestamp !== 'number')
    throw new SignatureRefused('signature_malformed', 'timestamp must be whole seconds since 1970');
  return { id, timestamp: String(timestamp), payload, signature };
}
