import { z } from 'zod';
import { idOf, time } from '../../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, sameTime } from '../../../api/http/reading/fields.ts';
import { pageQuery } from '../../../api/http/reading/query.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import { base64url, personName } from '../../../api/person-fields.ts';

const descriptor = z.strictObject({
  id: z.string().describe('Id of the credential, in base64url.'),
  type: z.literal('public-key').describe('Credential type.'),
  transports: z
    .array(z.string())
    .exactOptional()
    .describe('How to reach the authenticator, as it reported when the passkey was created.'),
});

const challenge = z.string().describe('256 random bits in base64url, valid once, for 5 minutes.');
const timeout = z.int().describe('Milliseconds for which the browser should wait for the user.');
const verified = z
  .literal('required')
  .describe('The authenticator must verify the user, for example by PIN or fingerprint.');

/** Input of `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn Level 3, section 5.1.8). */
export const passkeyCreationAnswer = z
  .strictObject({
    challenge,
    rp: z
      .strictObject({
        id: z.string().describe('Host the passkey is bound to.'),
        name: z.string().describe('Display name.'),
      })
      .describe('The relying party: this service.'),
    user: z
      .strictObject({
        id: z.string().describe('User handle: the id of the user, in base64url.'),
        name: z.string().describe('Email address that the user signs in with.'),
        displayName: z.string().describe('Display name.'),
      })
      .describe('The user.'),
    pubKeyCredParams: z
      .array(
        z.strictObject({
          alg: z.int().describe('COSE algorithm identifier.'),
          type: z.literal('public-key').describe('Credential type.'),
        }),
      )
      .describe('Accepted algorithms, in order of preference.'),
    timeout,
    attestation: z.literal('none').describe('No attestation of the authenticator is requested.'),
    excludeCredentials: z.array(descriptor).describe('Passkeys that the user already has.'),
    authenticatorSelection: z
      .strictObject({
        residentKey: z.literal('required').describe('The passkey must be discoverable without its id.'),
        requireResidentKey: z.literal(true).describe('Same as `residentKey`, for older browsers.'),
        userVerification: verified,
      })
      .describe('Requirements for the authenticator.'),
  })
  .meta({ typeName: 'PasskeyCreation' });
export type PasskeyCreation = z.output<typeof passkeyCreationAnswer>;

/** Input of `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn Level 3, section 5.1.9). */
export const passkeyRequestAnswer = z
  .strictObject({
    challenge,
    rpId: z.string().describe('Host the passkey is bound to.'),
    timeout,
    userVerification: verified,
    allowCredentials: z.array(descriptor).describe('Passkeys of the user. Empty if the user is not known yet.'),
  })
  .meta({ typeName: 'PasskeyRequest' });
export type PasskeyRequest = z.output<typeof passkeyRequestAnswer>;

export const passkeyAnswer = z
  .strictObject({
    id: idOf('passkey'),
    name: z.string().describe('Display name, chosen by the user.'),
    createdAt: time.describe('When it was added.'),
    lastUsedAt: time.exactOptional().describe('When it was last used to authenticate. Absent if never.'),
    isBackedUp: z
      .boolean()
      .describe(
        'Whether the passkey is backed up, for example synchronised to other devices, as reported at its ' +
          'last use.',
      ),
  })
  .meta({ typeName: 'Passkey' });
export type Passkey = z.output<typeof passkeyAnswer>;

export const passkeyAddedAnswer = passkeyAnswer
  .extend({
    recoveryCodes: z
      .array(z.string())
      .exactOptional()
      .describe('Ten recovery codes, if this is the first second factor. Shown only once.'),
  })
  .meta({ typeName: 'PasskeyAdded' });
export type PasskeyAdded = z.output<typeof passkeyAddedAnswer>;

const rules = { name: nameProblem };

/**
 * A new credential as its `toJSON()` returns it (WebAuthn Level 3, section 5.1.6). Fields that browsers add are
 * dropped.
 */
const registration = z.object({
  id: base64url(1_400).describe('Id of the credential, in base64url.'),
  rawId: base64url(1_400).describe('Same as `id`.'),
  type: z.literal('public-key').describe('Credential type.'),
  response: z
    .object({
      clientDataJSON: base64url(4_096).describe('Client data that the authenticator signed, in base64url.'),
      attestationObject: base64url(16_384).describe('Attestation object with the new public key, in base64url.'),
      transports: z
        .array(z.string().max(32))
        .max(16)
        .nullish()
        .transform((transports) => transports ?? undefined)
        .describe('How to reach the authenticator.'),
    })
    .describe('Response of the authenticator.'),
});

export const addPasskeyBody = fieldsOf(
  {
    name: personName.describe('Display name.'),
    passkey: registration.describe('Credential from the browser, as its `toJSON()` returns it.'),
  },
  { rules },
).meta({ typeName: 'AddPasskey' });
export type AddPasskey = z.output<typeof addPasskeyBody>;

export const passkeyChange = changeOf(
  { name: personName.exactOptional().describe('Display name.') },
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
