import { z } from 'zod';
import { hasControlCharacter } from '../../kernel/values/text.ts';

/** A header name. */
export const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_|~-]{1,64}$/, 'must be the name of a header');
/** Headers that HTTP clients set themselves. */
const HTTP_ITSELF: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
]);
const proofHeader = headerName.refine(
  (header) => !HTTP_ITSELF.has(header.toLowerCase()),
  'must not be a header that HTTP sets itself, because it does not authenticate the sender',
);
/** Text without control characters. */
export const visible = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !hasControlCharacter(text), 'must not contain control characters');

/** How requests are signed, for the schemes `hmac` and `token`. */
export const signatureShape = {
  header: proofHeader.describe('Header with the signature, or with the secret itself.'),
  prefix: visible(64).exactOptional().describe('Text before the signature, such as `sha256=`.'),
  algorithm: z
    .enum(['sha1', 'sha256', 'sha512'])
    .exactOptional()
    .describe('Hash algorithm of the HMAC. Default sha256.'),
  encoding: z.enum(['hex', 'base64']).exactOptional().describe('Encoding of the signature. Default hex.'),
  timestampHeader: headerName.exactOptional().describe('Header with the signed time.'),
  timestampUnit: z
    .enum(['seconds', 'milliseconds', 'iso8601'])
    .exactOptional()
    .describe('Unit of the signed time. Default seconds.'),
  toleranceSeconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .exactOptional()
    .describe('Maximum difference between the signed time and the server time, in seconds. Default 300.'),
  idHeader: headerName.exactOptional().describe('Header whose value is used for `{id}` in the template.'),
  template: visible(256)
    .refine((text) => text.includes('{body}'), 'must contain {body}')
    .exactOptional()
    .describe(
      'Template of the signed text, with `{timestamp}`, `{id}`, `{url}` and `{body}`. Default `{body}`, or `{timestamp}.{body}` with a timestamp header.',
    ),
};
export const signatureSettings = z.strictObject(signatureShape);
export type SignatureSettings = z.output<typeof signatureSettings>;
