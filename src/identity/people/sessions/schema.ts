import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { pageQuery } from '../../../api/http/reading/query.ts';
import { MEANS } from '../../../api/person-fields.ts';
import { ROLES } from '../../../kernel/words/rights.ts';

export const sessionAnswer = z
  .strictObject({
    id: idOf('session'),
    isCurrent: z.boolean().describe('Whether this request came with it.'),
    createdAt: time.describe('When the person signed in.'),
    authenticatedAt: time.describe(
      'When the person last proved who they are. Dangerous requests want that within 10 minutes.',
    ),
    provenBy: z
      .array(z.enum(MEANS))
      .describe('Means by which the person has proven who they are since it began, each once.'),
    lastUsedAt: time.describe('When it was last used, to the minute. After 12 hours without use it ends.'),
    expiresAt: time.describe('When it ends in any case: 7 days after it began.'),
    address: z.string().describe('Network address that it was begun from.'),
    userAgent: z.string().exactOptional().describe('Browser that it was begun with, as that browser says.'),
  })
  .meta({ typeName: 'Session' });
export type Session = z.output<typeof sessionAnswer>;

export const userAnswer = z
  .strictObject({
    id: idOf('user'),
    email: z.string().describe('Address to sign in with, in lower case.'),
    name: z.string().describe('Name for people.'),
  })
  .meta({ typeName: 'User' });
export type User = z.output<typeof userAnswer>;

/** Who is signed in, and where that person may act. */
export const signedInAnswer = z
  .strictObject({
    user: userAnswer.describe('The person.'),
    session: sessionAnswer.describe('The session of this request.'),
    organisations: z
      .array(
        z.strictObject({
          id: idOf('organisation'),
          name: z.string().describe('Name for people.'),
          role: z.enum(ROLES).describe('Says what the person may do there.'),
          apps: z
            .array(
              z.strictObject({
                id: idOf('app'),
                name: z.string().describe('Name for people.'),
                slug: z.string().describe('Name in addresses, unique in its organisation.'),
              }),
            )
            .describe('Apps whose environments a request may name.'),
        }),
      )
      .describe('Organisations that the person is a member of.'),
  })
  .meta({ typeName: 'SignedIn' });
export type SignedIn = z.output<typeof signedInAnswer>;

/** The password was right, and a second factor is asked for. Nobody is signed in yet. */
const secondStepAnswer = z.strictObject({
  secondStep: z
    .strictObject({
      means: z.array(z.enum(MEANS)).describe('Any one of these is enough.'),
      expiresAt: time.describe('Until when: 10 minutes.'),
    })
    .describe('POST /v1/sign-in/second-factor takes it. A cookie says whose step it is.'),
});
export type SecondStep = z.output<typeof secondStepAnswer>;

export const signInAnswer = z.union([signedInAnswer, secondStepAnswer]).meta({ typeName: 'SignIn' });

export const listSessionsQuery = pageQuery.meta({ typeName: 'PageQuery' });
export type ListSessions = z.output<typeof listSessionsQuery>;

export const revokedAnswer = z
  .strictObject({
    revoked: z.int().min(0).describe('How many sessions were ended.'),
  })
  .meta({ typeName: 'RevokedSessions' });
