import { createHmac } from 'node:crypto';
import { withMember } from './pointer.ts';
import { decoded, isAmong, requireFresh, timeText } from './reading.ts';
import { type SignatureCheck, type SignSample, SignatureRefused } from './scheme.ts';

const SHA256_BYTES = 32;

/**
 * Mailgun signs a time and a token in the body (HMAC-SHA256 in hex over both). The data is not covered, so each token
 * may be used only once; that is why it is the event id.
 */
export const mailgun: SignatureCheck = (incoming, secrets, { now }) => {
  const [signature, ...parts] = incoming.peek([
    '/signature',
    '/signature/timestamp',
    '/signature/token',
    '/signature/signature',
  ]);
  // Null: an object or an array.
  if (signature !== null) throw new SignatureRefused('signature_missing', 'the field signature is missing');
  const [timestamp, token, text] = parts;
  const given = typeof text === 'string' ? decoded(text, 'hex') : undefined;
  const isTime = typeof timestamp === 'string' || typeof timestamp === 'number';
  if (given?.length !== SHA256_BYTES || typeof token !== 'string' || !isTime)
    throw new SignatureRefused('signature_malformed', 'the field signature does not have the expected format');
  const expected = secrets.map((secret) => createHmac('sha256', secret).update(`${timestamp}${token}`).digest());
  if (!isAmong([given], expected))
    throw new SignatureRefused('signature_wrong', 'the signature does not match any of the secrets');
  requireFresh(String(timestamp), { now });
  return {};
};

/** The inverse of the check: adds the field `signature` to the body, with a token that can be used once. */
export const signForMailgun: SignSample = ({ bytes }, { secret, now, id: token }) => {
  const timestamp = timeText(now);
  const signature = createHmac('sha256', secret).update(`${timestamp}${token}`).digest('hex');
  return { body: withMember(bytes.toString(), 'signature', JSON.stringify({ timestamp, token, signature })) };
};
