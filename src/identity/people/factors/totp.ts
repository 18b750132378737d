import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** RFC 4226, section 4: a shared secret should have 160 bits. Authenticator apps know SHA-1, six digits and 30 s alone. */
const SECRET_BYTES = 20;
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps before and behind the current one whose codes are taken: clocks of telephones differ by seconds, typing takes some more. */
const WINDOW = 1;

/** A fresh secret of an authenticator app, in base32 (RFC 4648). */
export const newTotpSecret = (): string => {
  const bytes = randomBytes(SECRET_BYTES);
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
};

/** The URI by which an authenticator app takes the secret, as a QR code or a link. `label` names the account in the app. */
export const totpUri = (secret: string, label: string): string =>
  new TOTP({ ...FORM, issuer: 'Posthorn', label, secret }).toString();

/**
 * The step of 30 s since 1970 that a code belongs to (RFC 6238, section 4.2): the current one or a neighbour. Undefined for a wrong
 * code. Whether the step was used before is for the caller to know (section 5.2). The digits are compared in constant time.
 */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  const totp = new TOTP({ ...FORM, secret });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp: now.getTime() }) + delta;
}
