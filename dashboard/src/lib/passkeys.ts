import {
  api,
  type AddPasskey,
  type Authenticate,
  type PasskeyCreation,
  type PasskeyRequest,
  type SignIn,
} from '../api/client.ts';

type Passkey = NonNullable<Authenticate['passkey']>;

/** The browser has no passkey for its page, or its person has said no. */
export class NoPasskeyError extends Error {}

/** Waits for the browser and its person. */
async function given(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await asked.catch((error: unknown) => {
    throw error instanceof DOMException && error.name === 'NotAllowedError' ? new NoPasskeyError(error.message) : error;
  });
  if (!(credential instanceof PublicKeyCredential)) throw new NoPasskeyError('no passkey was given');
  return credential;
}

/** Asks the browser for a signature by one of its person's passkeys. Rejects where there is none, or the person says no. */
export async function passkeyFor(options: PasskeyRequest): Promise<Passkey> {
  // `as`: the service sends what WebAuthn calls PublicKeyCredentialRequestOptionsJSON.
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await given(navigator.credentials.get({ publicKey }));
  // `as`: what WebAuthn calls AuthenticationResponseJSON, of which the service reads these fields.
  return credential.toJSON() as unknown as Passkey;
}

/** Makes a passkey in the browser, as the service asks for it. Rejects where the browser cannot, or its person says no. */
export async function newPasskey(options: PasskeyCreation): Promise<AddPasskey['passkey']> {
  // `as`: the service sends what WebAuthn calls PublicKeyCredentialCreationOptionsJSON.
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await given(navigator.credentials.create({ publicKey }));
  // `as`: what WebAuthn calls RegistrationResponseJSON.
  const { id, rawId, response } = credential.toJSON() as unknown as AddPasskey['passkey'];
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, rawId, type: 'public-key', response: { clientDataJSON, attestationObject, transports } };
}

/** Signs in with a passkey alone. Rejects as `passkeyFor` does. */
export const signInByPasskey = async (): Promise<SignIn> =>
  api.signIn.byPasskey({ passkey: await passkeyFor(await api.signIn.requestPasskey()) });

/** Takes the second step of signing in with a passkey. Rejects as `passkeyFor` does. */
export const secondStepByPasskey = async (): Promise<SignIn> =>
  api.signIn.bySecondFactor({ passkey: await passkeyFor(await api.signIn.requestSecondPasskey()) });
