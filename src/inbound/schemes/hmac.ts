import { createHmac } from 'node:crypto';
import { decoded, isAmong, onlyHeader, replayKeyOf, requireFresh, timeText, type TimeUnit } from './reading.ts';
import { type Incoming, type SignatureCheck, SignatureRefused, type WayOfSigning } from './scheme.ts';

type Algorithm = 'sha1' | 'sha256' | 'sha512';
const LENGTH = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** A parsed signature header: the possible signatures, and the signed time if it is in the same header. */
type ReadHeader = { signatures: readonly string[]; timestamp?: string };

/**
 * Format of a signature header. `read` returns undefined if a value has a different format. `hasTime`: it also has the
 * signed time.
 */
export type HeaderForm = {
  hasTime?: boolean;
  read: (value: string) => ReadHeader | undefined;
  write: (signature: string, timestamp: string) => string;
};

/** How a service signs its requests with an HMAC. */
export type HmacRule = {
  /** Lower-case name of the header with the signature. */
  header: string;
  algorithm?: Algorithm;
  encoding?: 'hex' | 'base64';
  /** Default: the value is the signature. */
  form?: HeaderForm;
  /** Header with the signed time, unless it is in the signature header. */
  timestampHeader?: string;
  timestampUnit?: TimeUnit;
  /** Default: 300 s. */
  toleranceSeconds?: number;
  /** Returns the signed bytes, in parts. Default: the body. */
  signed?: (incoming: Incoming, timestamp: string) => readonly (string | Buffer)[];
  /** Returns the key. Default: the secret's text. */
  key?: (secret: string) => Buffer | string;
};

/** The whole value after a prefix. */
export const behind = (prefix: string): HeaderForm => ({
  read: (value) => (value.startsWith(prefix) ? { signatures: [value.slice(prefix.length)] } : undefined),
  write: (signature) => `${prefix}${signature}`,
});

/** `t=1700000000,v1=…,v1=…`: names and values, of which `names` hold the time and the signatures. */
export const pairs = (names: { time?: string; signature: string }, separator = ','): HeaderForm => ({
  hasTime: names.time !== undefined,
  read(value) {
    const found = value.split(separator).map((part): [string, string] => {
      const equals = part.indexOf('=');
      return [part.slice(0, Math.max(equals, 0)).trim(), part.slice(equals + 1).trim()];
    });
    const of = (name: string): string[] => found.flatMap(([each, text]) => (each === name ? [text] : []));
    const signatures = of(names.signature);
    const [timestamp, ...others] = names.time === undefined ? [] : of(names.time);
    if (signatures.length === 0 || others.length > 0) return undefined;
    if (names.time === undefined) return { signatures };
    return timestamp === undefined ? undefined : { signatures, timestamp };
  },
  write: (signature, timestamp) =>
    [...(names.time === undefined ? [] : [`${names.time}=${timestamp}`]), `${names.signature}=${signature}`].join(
      separator,
    ),
});

/**
 * Maximum signatures per header. A service sends two while a secret is rotated. Each one is compared with each secret.
 */
const MAX_SIGNATURES = 10;

/**
 * An HMAC over the body, with or without a time (RFC 2104). It does not cover other headers and usually not the URL.
 */
export function hmac(rule: HmacRule): WayOfSigning {
  const { header, algorithm = 'sha256', encoding = 'hex', timestampHeader, key = asText } = rule;
  const form = rule.form ?? whole;
  const signedParts = (incoming: Incoming, timestamp: string): readonly (string | Buffer)[] =>
    rule.signed?.(incoming, timestamp) ?? [incoming.bytes];
  const macOf = (secret: string, parts: readonly (string | Buffer)[]): Buffer => {
    const mac = createHmac(algorithm, key(secret));
    for (const part of parts) mac.update(part);
    return mac.digest();
  };
  const check: SignatureCheck = (incoming, secrets, { now }) => {
    const found = form.read(onlyHeader(incoming, header));
    const candidates = (found?.signatures ?? []).map((text) => decoded(text, encoding));
    const good = candidates.filter((bytes) => bytes !== undefined && bytes.length === LENGTH[algorithm]);
    if (found === undefined || good.length === 0 || good.length < candidates.length || good.length > MAX_SIGNATURES)
      throw new SignatureRefused('signature_malformed', `the header ${header} does not have the expected format`);
    const timestamp = timestampHeader === undefined ? found.timestamp : onlyHeader(incoming, timestampHeader);
    const signed = signedParts(incoming, timestamp ?? '');
    const expected = secrets.map((secret) => macOf(secret, signed));
    if (!isAmong(good as Buffer[], expected))
      throw new SignatureRefused('signature_wrong', 'the signature does not match any of the secrets');
    if (timestamp === undefined) return {};
    // Checked after the signature, so that only those who can sign learn the difference between the clocks.
    requireFresh(timestamp, {
      now,
      ...(rule.timestampUnit !== undefined && { unit: rule.timestampUnit }),
      ...(rule.toleranceSeconds !== undefined && { tolerance: rule.toleranceSeconds }),
    });
    return { replayKey: replayKeyOf(...signed) };
  };
  return {
    check,
    sign(incoming, { secret, now }) {
      const isTimed = form.hasTime === true || timestampHeader !== undefined;
      const timestamp = isTimed ? timeText(now, rule.timestampUnit) : '';
      const signature = macOf(secret, signedParts(incoming, timestamp)).toString(encoding);
      const time = timestampHeader === undefined ? {} : { [timestampHeader]: timestamp };
      return { headers: { ...time, [header]: form.write(signature, timestamp) } };
    },
  };
}

const whole: HeaderForm = { read: (value) => ({ signatures: [value] }), write: (signature) => signature };
const asText = (secret: string): string => secret;
