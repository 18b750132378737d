import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as 43 characters: the content of a cookie, or of a link of one use. Never stored. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url');

/**
 * SHA-256 of such a text, by which it is looked up: with 256 random bits there is nothing to guess, and a unique index has no timing
 * that says how much of it was right. Not for secrets that people choose.
 */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text can be such a secret at all; otherwise it is worth no query. */
export const hasSecretForm = (text: string): boolean => FORM.test(text);
