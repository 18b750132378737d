import {
  api,
  type AddPasskey,
  type Authenticate,
  type PasskeyCreation,
  type PasskeyRequest,
  type SignIn,
} from '../api/client.ts';

type Passkey = NonNullable<Authenticate['passkey']>;

/** The browser has no passkey for this site, or the user has declined. */
export class NoPasskeyError extends Error {}

/** Waits for the browser and the user. */
async function given(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await asked.catch((error: unknown) => {
    throw error instanceof DOMException && error.name === 'NotAllowedError' ? new NoPasskeyError(error.message) : error;
  });
  if (!(credential instanceof PublicKeyCredential)) throw new NoPasskeyError('no passkey was given');
  return credential;
}

/** Asks the browser for a signature by one of the user's passkeys. Rejects if there is none or the user declines. */
export async function passkeyFor(options: PasskeyRequest): Promise<Passkey> {
  // `as`: the service sends what WebAuthn calls PublicKeyCredentialRequestOptionsJSON.
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await given(navigator.credentials.get({ publicKey }));
  // `as`: what WebAuthn calls AuthenticationResponseJSON; the service reads these fields of it.
  return credential.toJSON() as unknown as Passkey;
}

/** Creates a passkey in the browser with the service's options. Rejects if the browser cannot or the user declines. */
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

/** Signs in with a passkey only. Rejects as `passkeyFor` does. */
export const signInByPasskey = async (): Promise<SignIn> =>
  api.signIn.byPasskey({ passkey: await passkeyFor(await api.signIn.requestPasskey()) });

/** Completes a sign-in with a passkey as the second factor. Rejects as `passkeyFor` does. */
export const secondStepByPasskey = async (): Promise<SignIn> =>
  api.signIn.bySecondFactor({ passkey: await passkeyFor(await api.signIn.requestSecondPasskey()) });
