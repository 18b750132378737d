import type { Authenticate, PasskeyRequest } from '../api/client.ts';

type Passkey = NonNullable<Authenticate['passkey']>;

/** Asks the browser for a signature by one of its person's passkeys. Rejects where there is none, or the person says no. */
export async function passkeyFor(options: PasskeyRequest): Promise<Passkey> {
  // `as`: the service sends what WebAuthn calls PublicKeyCredentialRequestOptionsJSON.
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey was given');
  // `as`: what WebAuthn calls AuthenticationResponseJSON, of which the service reads these fields.
  return credential.toJSON() as unknown as Passkey;
}
