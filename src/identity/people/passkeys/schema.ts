import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, sameTime } from '../../../api/http/reading/fields.ts';
import { pageQuery } from '../../../api/http/reading/query.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import { base64url, personName } from '../../../api/person-fields.ts';

const descriptor = z.strictObject({
  id: z.string().describe('Id of the credential, in base64url.'),
  type: z.literal('public-key').describe('The one kind there is.'),
  transports: z.array(z.string()).exactOptional().describe('Ways to reach the authenticator, as it has told them.'),
});

const challenge = z.string().describe('256 random bits in base64url, good once, for 5 minutes.');
const timeout = z.int().describe('Milliseconds that a browser should wait for its person.');
const verified = z.literal('required').describe('The authenticator must know its person, by a PIN or a finger.');

/** Input of `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn Level 3, section 5.1.8). */
export const passkeyCreationAnswer = z
  .strictObject({
    challenge,
    rp: z
      .strictObject({
        id: z.string().describe('Host that the passkey is bound to.'),
        name: z.string().describe('Name for people.'),
      })
      .describe('The service.'),
    user: z
      .strictObject({
        id: z.string().describe('Id of the person, in base64url: the user handle.'),
        name: z.string().describe('Address that the person signs in with.'),
        displayName: z.string().describe('Name for people.'),
      })
      .describe('The person.'),
    pubKeyCredParams: z
      .array(
        z.strictObject({
          alg: z.int().describe('COSE number of an algorithm.'),
          type: z.literal('public-key').describe('The one kind there is.'),
        }),
      )
      .describe('Algorithms that are taken, the best first.'),
    timeout,
    attestation: z.literal('none').describe('The maker of the authenticator is not asked for.'),
    excludeCredentials: z.array(descriptor).describe('Passkeys that the person has already.'),
    authenticatorSelection: z
      .strictObject({
        residentKey: z.literal('required').describe('The authenticator must find the passkey without its id.'),
        requireResidentKey: z.literal(true).describe('The same, for older browsers.'),
        userVerification: verified,
      })
      .describe('Authenticators that are taken.'),
  })
  .meta({ typeName: 'PasskeyCreation' });
export type PasskeyCreation = z.output<typeof passkeyCreationAnswer>;

/** Input of `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn Level 3, section 5.1.9). */
export const passkeyRequestAnswer = z
  .strictObject({
    challenge,
    rpId: z.string().describe('Host that the passkey is bound to.'),
    timeout,
    userVerification: verified,
    allowCredentials: z.array(descriptor).describe('Passkeys of the person; none where nobody is known yet.'),
  })
  .meta({ typeName: 'PasskeyRequest' });
export type PasskeyRequest = z.output<typeof passkeyRequestAnswer>;

export const passkeyAnswer = z
  .strictObject({
    id: idOf('passkey'),
    name: z.string().describe('Name that its person has given.'),
    createdAt: time.describe('When it was added.'),
    lastUsedAt: time.exactOptional().describe('When it last proved its person. Absent before.'),
    isBackedUp: z.boolean().describe('Whether it is kept outside its device too, as of its last use.'),
  })
  .meta({ typeName: 'Passkey' });
export type Passkey = z.output<typeof passkeyAnswer>;

export const passkeyAddedAnswer = passkeyAnswer
  .extend({
    recoveryCodes: z
      .array(z.string())
      .exactOptional()
      .describe('With the first factor: ten recovery codes. Shown only now.'),
  })
  .meta({ typeName: 'PasskeyAdded' });
export type PasskeyAdded = z.output<typeof passkeyAddedAnswer>;

const rules = { name: nameProblem };

/** A new credential as its `toJSON()` gives it (WebAuthn Level 3, section 5.1.6). Browsers add fields, which are left out. */
const registration = z.object({
  id: base64url(1_400).describe('Id of the credential, in base64url.'),
  rawId: base64url(1_400).describe('The same id.'),
  type: z.literal('public-key').describe('The one kind there is.'),
  response: z
    .object({
      clientDataJSON: base64url(4_096).describe('Data of the browser that is signed, in base64url.'),
      attestationObject: base64url(16_384).describe('The new key, in base64url.'),
      transports: z
        .array(z.string().max(32))
        .max(16)
        .nullish()
        .transform((transports) => transports ?? undefined)
        .describe('Ways to reach the authenticator.'),
    })
    .describe('The answer of the authenticator.'),
});

export const addPasskeyBody = fieldsOf(
  {
    name: personName.describe('Name for people.'),
    passkey: registration.describe("The browser's credential, as its `toJSON()` gives it."),
  },
  { rules },
).meta({ typeName: 'AddPasskey' });
export type AddPasskey = z.output<typeof addPasskeyBody>;

export const passkeyChange = changeOf(
  { name: personName.exactOptional().describe('Name for people.') },
  {
    identity: { createdAt: sameTime() },
    moved: ['id', 'lastUsedAt', 'isBackedUp'],
    rules,
  },
);
export const renamePasskeyBody = passkeyChange.body.meta({ typeName: 'RenamePasskey' });
export type RenamePasskey = z.output<typeof renamePasskeyBody>;

export const listPasskeysQuery = pageQuery.meta({ typeName: 'PageQuery' });
export type ListPasskeys = z.output<typeof listPasskeysQuery>;
