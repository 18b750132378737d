import { createHmac } from 'node:crypto';
import { withMember } from './pointer.ts';
import { decoded, isAmong, requireFresh, timeText } from './reading.ts';
import { type SignatureCheck, type SignSample, SignatureRefused } from './scheme.ts';

const SHA256_BYTES = 32;

/**
 * Mailgun signs a time and a token in the body (HMAC-SHA256 in hex over both). The data beside it is not covered: the token may be used
 * once, which is why it is the id of the event.
 */
export const mailgun: SignatureCheck = (incoming, secrets, { now }) => {
  const [signature, ...parts] = incoming.peek([
    '/signature',
    '/signature/timestamp',
    '/signature/token',
    '/signature/signature',
  ]);
  // Null: an object or a list.
  if (signature !== null) throw new SignatureRefused('signature_missing', 'the field signature is missing');
  const [timestamp, token, text] = parts;
  const given = typeof text === 'string' ? decoded(text, 'hex') : undefined;
  const isTime = typeof timestamp === 'string' || typeof timestamp === 'number';
  if (given?.length !== SHA256_BYTES || typeof token !== 'string' || !isTime)
    throw new SignatureRefused('signature_malformed', 'the field signature has another form');
  const expected = secrets.map((secret) => createHmac('sha256', secret).update(`${timestamp}${token}`).digest());
  if (!isAmong([given], expected))
    throw new SignatureRefused('signature_wrong', 'the signature fits none of the secrets');
  requireFresh(String(timestamp), { now });
  return {};
};

/** The inverse of the check: the field `signature` of the body, with a token that is good once. */
export const signForMailgun: SignSample = ({ bytes }, { secret, now, id: token }) => {
  const timestamp = timeText(now);
  const signature = createHmac('sha256', secret).update(`${timestamp}${token}`).digest('hex');
  return { body: withMember(bytes.toString(), 'signature', JSON.stringify({ timestamp, token, signature })) };
};
