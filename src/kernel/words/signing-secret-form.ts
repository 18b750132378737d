/** Bytes of the key in a symmetric signing secret (Standard Webhooks, "Signature scheme"). */
export const SECRET_BYTES = { min: 24, max: 64 } as const;
export const SYMMETRIC_PREFIX = 'whsec_';

/** Whether a text is a symmetric signing secret: `whsec_` and the padded base64 of its bytes. */
export function isSymmetricSecret(text: string): boolean {
  if (!text.startsWith(SYMMETRIC_PREFIX)) return false;
  const encoded = text.slice(SYMMETRIC_PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return key.length >= SECRET_BYTES.min && key.length <= SECRET_BYTES.max && key.toString('base64') === encoded;
}
