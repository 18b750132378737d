import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { encodeCBOR } from '@levischuck/tiny-cbor';

type PasskeyCreation = { challenge: string; rp: { id: string }; user: { id: string } };
type RequestOptions = { challenge: string; rpId: string };

/** Values that an honest authenticator and its browser would not send. */
export type Lie = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  isVerified?: boolean;
  isPresent?: boolean;
  counter?: number;
  userHandle?: string | undefined;
  isBackupEligible?: boolean;
  isBackedUp?: boolean;
  signature?: string;
};

const FLAG = { isPresent: 1, isVerified: 4, isBackupEligible: 8, isBackedUp: 16, hasCredential: 64 } as const;
const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const toBase64url = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** An authenticator with one passkey (ES256), and the browser in front of it, written from WebAuthn Level 3, section 6. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let counter = 0;
  let userHandle: string | undefined;

  const clientDataOf = (type: string, challenge: string, lie: Lie): string =>
    JSON.stringify({
      type: lie.type ?? type,
      challenge: lie.challenge ?? challenge,
      origin: lie.origin ?? origin,
      crossOrigin: lie.crossOrigin ?? false,
    });

  const authenticatorDataOf = (rpId: string, lie: Lie, attested?: Buffer): Buffer => {
    const { isPresent = true, isVerified = true, isBackupEligible = false, isBackedUp = false } = lie;
    const said = { isPresent, isVerified, isBackupEligible, isBackedUp, hasCredential: attested !== undefined };
    const flags = Object.entries(FLAG).reduce(
      (sum, [name, bit]) => sum + (Reflect.get(said, name) === true ? bit : 0),
      0,
    );
    const count = Buffer.alloc(4);
    counter += 1;
    count.writeUInt32BE(lie.counter ?? counter);
    return Buffer.concat([sha256(lie.rpId ?? rpId), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  };

  return {
    id,
    /** Answers `navigator.credentials.create`. */
    create({ challenge, rp, user }: PasskeyCreation, lie: Lie = {}) {
      userHandle = user.id;
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const key = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, encodeCBOR(key)]);
      const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', new Uint8Array(authenticatorDataOf(rp.id, lie, attested))],
      ]);
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: toBase64url(clientDataOf('webauthn.create', challenge, lie)),
          attestationObject: toBase64url(encodeCBOR(attestation)),
          transports: ['internal'],
        },
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
      };
    },
    /** Answers `navigator.credentials.get`. */
    get({ challenge, rpId }: RequestOptions, lie: Lie = {}) {
      const clientData = clientDataOf('webauthn.get', challenge, lie);
      const authenticatorData = authenticatorDataOf(rpId, lie);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey);
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: toBase64url(clientData),
          authenticatorData: toBase64url(authenticatorData),
          signature: lie.signature ?? toBase64url(signature),
          userHandle: 'userHandle' in lie ? lie.userHandle : userHandle,
        },
        clientExtensionResults: {},
      };
    },
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;
