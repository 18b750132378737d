import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AddressAnswered } from '../../platform/outbound/fetch-text.ts';
import { decoded, isOneOf, requireFresh } from './reading.ts';
import {
  type CheckContext,
  type Incoming,
  ProofUnavailable,
  type Scalar,
  type SignatureCheck,
  SignatureRefused,
} from './scheme.ts';

/** Hosts of Amazon SNS. Certificates and confirmation addresses of topics are accepted from these hosts only. */
const SNS_HOST = /^sns\.[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?$/;
/**
 * Path of a certificate. Other addresses on the same host return text that a caller can choose, and so could return a
 * caller's own key.
 */
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9A-Za-z]{1,64}\.pem$/;
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----\s*$/;
/** Amazon repeats deliveries for hours with the signature and time of the first one. */
const TOLERANCE_SECONDS = 86_400;
const TOO_MANY_REQUESTS = 429;
const KNOWN_CERTIFICATES = 20;
const KNOWN_FOR_MS = 3_600_000;
const TOPIC = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w.-]{1,256}$/;

/** Signed members, in this order, by type of notification. Subject is included only if present. */
const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;
const ALGORITHM: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' };

/** Members that the check reads. */
const READ = [
  ...new Set([...Object.values(SIGNED).flat(), 'Signature', 'SignatureVersion', 'SigningCertURL'] as const),
];

function partsOf(incoming: Incoming): Partial<Record<(typeof READ)[number], Scalar | null>> {
  const values: readonly (Scalar | null | undefined)[] = incoming.peek(READ.map((name) => `/${name}`));
  const parts: Partial<Record<(typeof READ)[number], Scalar | null>> = {};
  for (const [index, name] of READ.entries()) {
    const value = values[index];
    if (value !== undefined) parts[name] = value;
  }
  return parts;
}

/** Returns why a text is not a topic ARN; undefined if it is one. */
export const topicProblem = (secret: string): string | undefined =>
  TOPIC.test(secret) ? undefined : 'must be the ARN of a topic, such as arn:aws:sns:eu-west-1:123456789012:orders';

/** Whether a URL belongs to Amazon SNS. */
export function isOfSns(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, host, username, password } = new URL(text);
  return protocol === 'https:' && SNS_HOST.test(host) && username === '' && password === '';
}

/** Whether a URL is that of an Amazon SNS certificate and nothing else. */
function isCertificateAddress(text: unknown): text is string {
  if (!isOfSns(text)) return false;
  const { pathname, search, hash } = new URL(text);
  return CERTIFICATE_PATH.test(pathname) && search === '' && hash === '';
}

/**
 * Returns the text of a certificate. A network error or a server error says nothing about the signature, so it is
 * reported as unavailable: Amazon only retries after a 5xx response. If the server responds that the certificate does
 * not exist, its address was forged.
 */
async function certificateAt(url: string, fetchText: CheckContext['fetchText']): Promise<string> {
  try {
    return await fetchText(url);
  } catch (cause) {
    if (cause instanceof AddressAnswered && cause.status < 500 && cause.status !== TOO_MANY_REQUESTS)
      throw new SignatureRefused('signature_wrong', `the address of the certificate returned ${cause.status}`);
    throw new ProofUnavailable('The certificate of the signature could not be fetched', { cause });
  }
}

/** Returns the key of a certificate. Refuses a bare key, and a certificate inside other text. */
function keyOf(text: string): KeyObject {
  if (!CERTIFICATE.test(text)) throw new Error('not a certificate');
  return new X509Certificate(text).publicKey;
}

/**
 * Amazon SNS signs with a key whose certificate it publishes. It signs the topics of all customers with that key, so
 * the secret of the webhook is the ARN of the topic that may send. Certificates are cached for an hour.
 */
export function createSns(): SignatureCheck {
  const certificates = new LRUCache<string, KeyObject>({ max: KNOWN_CERTIFICATES, ttl: KNOWN_FOR_MS });

  const keyAt = async (url: string, { fetchText }: CheckContext): Promise<KeyObject> => {
    const known = certificates.get(url);
    if (known !== undefined) return known;
    const text = await certificateAt(url, fetchText);
    try {
      const key = keyOf(text);
      certificates.set(url, key);
      return key;
    } catch {
      throw new SignatureRefused('signature_wrong', 'SigningCertURL does not lead to a certificate');
    }
  };

  return async (incoming, secrets, context) => {
    const value = partsOf(incoming);
    const { Type: type, TopicArn: topic, Signature: signature, SigningCertURL: url } = value;
    if (signature === undefined) throw new SignatureRefused('signature_missing', 'the field Signature is missing');
    const names = Object.hasOwn(SIGNED, String(type)) ? SIGNED[type as keyof typeof SIGNED] : undefined;
    const algorithm = ALGORITHM[String(value['SignatureVersion'])];
    const bytes = typeof signature === 'string' ? decoded(signature, 'base64') : undefined;
    if (names === undefined || algorithm === undefined || bytes === undefined || typeof topic !== 'string')
      throw new SignatureRefused('signature_malformed', 'the notification does not have the expected format');
    if (!isOneOf(topic, secrets))
      throw new SignatureRefused('signature_wrong', 'the notification is from another topic');
    if (!isCertificateAddress(url))
      throw new SignatureRefused(
        'signature_malformed',
        'SigningCertURL is not the address of an Amazon SNS certificate',
      );
    const signed = names
      .filter((name) => value[name] !== undefined)
      .map((name) => `${name}\n${String(value[name])}\n`)
      .join('');
    if (!verify(algorithm, Buffer.from(signed), await keyAt(url, context), bytes))
      throw new SignatureRefused('signature_wrong', 'the signature does not match the certificate');
    requireFresh(String(value['Timestamp']), { now: context.now, unit: 'iso8601', tolerance: TOLERANCE_SECONDS });
    return {};
  };
}
