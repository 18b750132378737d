import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { pageQuery } from '../../../api/http/reading/query.ts';
import { MEANS } from '../../../api/person-fields.ts';
import { ROLES } from '../../../kernel/words/rights.ts';

export const sessionAnswer = z
  .strictObject({
    id: idOf('session'),
    isCurrent: z.boolean().describe('Whether this is the session of the request.'),
    createdAt: time.describe('When the user signed in.'),
    authenticatedAt: time.describe(
      'When the user last authenticated. Requests that require recent authentication need this to be at ' +
        'most 10 minutes ago.',
    ),
    provenBy: z.array(z.enum(MEANS)).describe('Methods by which the user has authenticated in this session.'),
    lastUsedAt: time.describe('When it was last used, to the minute. It ends after 12 hours without use.'),
    expiresAt: time.describe('When it ends at the latest: 7 days after it was started.'),
    address: z.string().describe('IP address from which it was started.'),
    userAgent: z.string().exactOptional().describe('Browser with which it was started, as reported in `User-Agent`.'),
  })
  .meta({ typeName: 'Session' });
export type Session = z.output<typeof sessionAnswer>;

export const userAnswer = z
  .strictObject({
    id: idOf('user'),
    email: z.string().describe('Email address to sign in with, in lower case.'),
    name: z.string().describe('Display name.'),
  })
  .meta({ typeName: 'User' });
export type User = z.output<typeof userAnswer>;

/** Who is signed in, and which organisations and apps they can use. */
export const signedInAnswer = z
  .strictObject({
    user: userAnswer.describe('The user.'),
    session: sessionAnswer.describe('The session of this request.'),
    organisations: z
      .array(
        z.strictObject({
          id: idOf('organisation'),
          name: z.string().describe('Display name.'),
          role: z.enum(ROLES).describe('Determines what the user may do in the organisation.'),
          apps: z
            .array(
              z.strictObject({
                id: idOf('app'),
                name: z.string().describe('Display name.'),
                slug: z.string().describe('Name in URLs, unique in its organisation.'),
              }),
            )
            .describe('Apps that requests of the user can name.'),
        }),
      )
      .describe('Organisations that the user is a member of.'),
  })
  .meta({ typeName: 'SignedIn' });
export type SignedIn = z.output<typeof signedInAnswer>;

/** The password was correct and a second factor is required. The user is not signed in yet. */
const secondStepAnswer = z.strictObject({
  secondStep: z
    .strictObject({
      means: z.array(z.enum(MEANS)).describe('Accepted second factors; any one of them is enough.'),
      expiresAt: time.describe('When the sign-in expires: after 10 minutes.'),
    })
    .describe(
      'Second factor required: continue with POST /v1/sign-in/second-factor. A cookie identifies the ' + 'sign-in.',
    ),
});
export type SecondStep = z.output<typeof secondStepAnswer>;

export const signInAnswer = z.union([signedInAnswer, secondStepAnswer]).meta({ typeName: 'SignIn' });

export const listSessionsQuery = pageQuery.meta({ typeName: 'PageQuery' });
export type ListSessions = z.output<typeof listSessionsQuery>;

export const revokedAnswer = z
  .strictObject({
    revoked: z.int().min(0).describe('Number of sessions that were ended.'),
  })
  .meta({ typeName: 'RevokedSessions' });
