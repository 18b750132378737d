import { createHash, createHmac } from 'node:crypto';
import { decoded, isAmong, isOneOf, onlyHeader } from './reading.ts';
import { type SignatureCheck, type SignSample, type Incoming, SignatureRefused } from './scheme.ts';

const SHA1_BYTES = 20;
const HEADER = 'x-twilio-signature';

/**
 * Twilio signs the URL followed by the form parameters, names and values concatenated and sorted by name (HMAC-SHA1).
 * For any other body the query has its hash, as `bodySHA256`. The signature does not cover a time.
 */
export const twilio: SignatureCheck = (incoming, secrets) => {
  const given = decoded(onlyHeader(incoming, HEADER), 'base64');
  if (given?.length !== SHA1_BYTES)
    throw new SignatureRefused('signature_malformed', `the header ${HEADER} does not have the expected format`);
  const text = signedText(incoming);
  const expected = secrets.map((secret) => createHmac('sha1', secret).update(text).digest());
  if (!isAmong([given], expected))
    throw new SignatureRefused(
      'signature_wrong',
      'the signature does not match any of the secrets, or is for another URL',
    );
  return {};
};

/** The inverse of the check. For a body that is not a form, the query gets its hash. */
export const signForTwilio: SignSample = (incoming, { secret }) => {
  const { bytes, form } = incoming;
  const isHashed = form() === undefined && bytes.length > 0;
  const query = isHashed ? `?bodySHA256=${createHash('sha256').update(bytes).digest('hex')}` : '';
  const text = signedText({ ...incoming, url: incoming.url + query });
  return { query, headers: { [HEADER]: createHmac('sha1', secret).update(text).digest('base64') } };
};

/** Returns the text that Twilio signs. Throws SignatureRefused if the hash in the query does not match the body. */
export function signedText({ url, bytes, form }: Incoming): string {
  const fields = form();
  if (fields === undefined) {
    const hash = new URL(url).searchParams.get('bodySHA256') ?? '';
    if (bytes.length > 0 && !isOneOf(hash, [createHash('sha256').update(bytes).digest('hex')]))
      throw new SignatureRefused('signature_wrong', 'bodySHA256 in the query is not the hash of the body');
    return url;
  }
  const sorted = fields.toSorted(([a, one], [b, other]) => (a === b ? compare(one, other) : compare(a, b)));
  // Twilio signs a duplicate parameter only once.
  const distinct = sorted.filter(([name, value], at) => sorted[at - 1]?.[0] !== name || sorted[at - 1]?.[1] !== value);
  return url + distinct.map(([name, value]) => name + value).join('');
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
