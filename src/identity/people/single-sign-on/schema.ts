import { z } from 'zod';
import { parseUrl } from '../../../kernel/values/http.ts';
import { fieldsOf } from '../../../api/http/reading/fields.ts';

/**
 * A path of the dashboard. It must begin with exactly one slash, so that a forged link cannot redirect to another site.
 */
const returnTo = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[\x21\x22\x24-\x5b\x5d-\x7e]*$/, 'must be a path of the dashboard, such as /messages')
  // Dot segments, however they are encoded, would lead out of the dashboard.
  .refine(
    (path) => parseUrl(`https://x${path}`)?.pathname === path.replace(/\?.*/, ''),
    'must be a path of the dashboard, such as /messages',
  );

export const startSingleSignOnBody = fieldsOf({
  returnTo: returnTo.optional().describe('Path of the dashboard to return to.'),
}).meta({ typeName: 'StartSingleSignOn' });
export type StartSingleSignOn = z.output<typeof startSingleSignOnBody>;

export const singleSignOnAnswer = z
  .strictObject({
    url: z.string().describe('URL of the identity provider. Send the browser there within 10 minutes.'),
  })
  .meta({ typeName: 'SingleSignOn' });
export type Start = z.output<typeof singleSignOnAnswer>;

export const signInWaysAnswer = z
  .strictObject({
    password: z
      .enum(['everyone', 'owners'])
      .describe(
        'Who can sign in with a password: everyone, or only owners of the first organisation if the ' +
          'operator requires single sign-on.',
      ),
    singleSignOn: z
      .strictObject({ name: z.string().describe('Display name.') })
      .exactOptional()
      .describe('Single sign-on. Absent if no identity provider is set up.'),
  })
  .meta({ typeName: 'SignInWays' });
export type Ways = z.output<typeof signInWaysAnswer>;

/** Error codes that are appended as `#problem=` to the URL the browser returns to. */
const PROBLEMS = [
  'denied',
  'invalid',
  'unreachable',
  'expired',
  'not_set_up',
  'not_invited',
  'address_not_verified',
  'linked_otherwise',
  'other_person',
] as const;
export type SignOnProblem = (typeof PROBLEMS)[number];
