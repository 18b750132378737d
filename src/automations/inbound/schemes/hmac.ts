import { createHmac } from 'node:crypto';
import { decoded, isAmong, onlyHeader, replayKeyOf, requireFresh, type TimeUnit } from './reading.ts';
import { type SignatureCheck, type Incoming, SignatureRefused } from './scheme.ts';

type Algorithm = 'sha1' | 'sha256' | 'sha512';
const LENGTH = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** A signature header, read: the texts that may be signatures, and the signed time where it stands in the same header. */
export type ReadHeader = { signatures: readonly string[]; timestamp?: string };

/** How a service signs its requests by an HMAC. */
export type HmacRule = {
  /** Lower-case name of the header with the signature. */
  header: string;
  algorithm?: Algorithm;
  encoding?: 'hex' | 'base64';
  /** Undefined for a value of another form. Default: the value is the signature. */
  read?: (value: string) => ReadHeader | undefined;
  /** Where the signed time stands unless it is in the signature header. */
  timestampHeader?: string;
  timestampUnit?: TimeUnit;
  /** Default 300 s. */
  toleranceSeconds?: number;
  /** The signed bytes, in parts. Default: the body. */
  signed?: (incoming: Incoming, timestamp: string) => readonly (string | Buffer)[];
  /** The key's bytes. Default: those of the secret's text. */
  key?: (secret: string) => Buffer | string;
};

/** The whole value behind a prefix. */
export const behind =
  (prefix: string) =>
  (value: string): ReadHeader | undefined =>
    value.startsWith(prefix) ? { signatures: [value.slice(prefix.length)] } : undefined;

/** `t=1700000000,v1=…,v1=…`: names and values, of which these hold the time and the signatures. */
export const pairs =
  (names: { time?: string; signature: string }, separator = ',') =>
  (value: string): ReadHeader | undefined => {
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
  };

/** Signatures that one header may hold: a service shows two while a secret is exchanged. Each is compared with each secret. */
const MAX_SIGNATURES = 10;

/** Checks an HMAC over the body, with or without a time (RFC 2104). Neither other headers nor, as a rule, the URL are covered. */
export function hmac(rule: HmacRule): SignatureCheck {
  const { header, algorithm = 'sha256', encoding = 'hex', timestampHeader, key = asText } = rule;
  const read = rule.read ?? whole;
  return (incoming, secrets, { now }) => {
    const found = read(onlyHeader(incoming, header));
    const candidates = (found?.signatures ?? []).map((text) => decoded(text, encoding));
    const good = candidates.filter((bytes) => bytes !== undefined && bytes.length === LENGTH[algorithm]);
    if (found === undefined || good.length === 0 || good.length < candidates.length || good.length > MAX_SIGNATURES)
      throw new SignatureRefused('signature_malformed', `the header ${header} has another form`);
    const timestamp = timestampHeader === undefined ? found.timestamp : onlyHeader(incoming, timestampHeader);
    const signed = rule.signed?.(incoming, timestamp ?? '') ?? [incoming.bytes];
    const expected = secrets.map((secret) => {
      const mac = createHmac(algorithm, key(secret));
      for (const part of signed) mac.update(part);
      return mac.digest();
    });
    if (!isAmong(good as Buffer[], expected))
      throw new SignatureRefused('signature_wrong', 'the signature fits none of the secrets');
    if (timestamp === undefined) return {};
    // Behind the signature: only one who can sign learns that our clocks differ.
    requireFresh(timestamp, {
      now,
      ...(rule.timestampUnit !== undefined && { unit: rule.timestampUnit }),
      ...(rule.toleranceSeconds !== undefined && { tolerance: rule.toleranceSeconds }),
    });
    return { replayKey: replayKeyOf(...signed) };
  };
}

const whole = (value: string): ReadHeader => ({ signatures: [value] });
const asText = (secret: string): string => secret;
