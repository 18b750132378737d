import { createHash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { ApiError } from '../../../kernel/errors.ts';
import type { Assertion } from '../../../api/person-fields.ts';
import type { AddPasskey } from './schema.ts';
import { type PasskeyRow, insertChallenge, type Purpose, useChallenge } from './store.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { Config } from '../../../platform/config/config.ts';
import { parseUrl } from '../../../kernel/values/http.ts';

/**
 * COSE numbers of EdDSA, ES256 and RS256, which every supported version of Node can verify. The library would also
 * offer ML-DSA if the current Node has it, but such a passkey could not be used after moving to an older one.
 */
export const ALGORITHMS = [-8, -7, -257];

/** One text for every reason, so that an attacker learns nothing about what was nearly right. */
export const refused = (cause: unknown): ApiError =>
  new ApiError('UNAUTHORIZED', 'The passkey was not accepted', { cause });

/**
 * The fields of the client data that are read before the library parses all of them (WebAuthn Level 3, section 5.8.1).
 */
export type ClientData = { challenge: string; crossOrigin: boolean };

/** Throws UNAUTHORIZED if this is not client data. */
export function readClientData(clientDataJson: string): ClientData {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'));
  } catch (cause) {
    throw refused(cause);
  }
  if (typeof data !== 'object' || data === null) throw refused('client data is no object');
  const challenge: unknown = Reflect.get(data, 'challenge');
  if (typeof challenge !== 'string') throw refused('client data has no challenge');
  return { challenge, crossOrigin: Reflect.get(data, 'crossOrigin') === true };
}

/**
 * Section 7.2, step 13, and section 7.1 for a new passkey: a page embedded in another site may show the user something
 * other than what they agree to.
 */
export function refuseFramed({ crossOrigin }: ClientData): void {
  if (crossOrigin) throw refused('made inside a page of another origin');
}

/** Section 7.2, step 6: if the authenticator names its user, the passkey must belong to that user. */
export function refuseOtherUser(passkey: PasskeyRow, userHandle: string | undefined): void {
  if (userHandle !== undefined && Buffer.from(userHandle, 'base64url').toString('utf8') !== passkey.userId)
    throw refused('the user handle is not that of the owner');
}

/** Section 7.2, step 6: a user who is not known yet must be named by the authenticator. */
export function refuseUnnamed(userHandle: string | undefined): void {
  if (userHandle === undefined) throw refused('the authenticator has named no user');
}

/** Section 7.2, step 18: whether a passkey can be backed up is fixed when it is created. */
export function refuseOtherEligibility(passkey: PasskeyRow, isBackupEligible: boolean): void {
  if (passkey.isBackupEligible !== isBackupEligible) throw refused('the backup eligibility has changed');
}

/**
 * Section 7.1: checks type, challenge, origin, RP id, user presence and verification, algorithm and attestation. Throws
 * UNAUTHORIZED. No attestation of the authenticator is requested.
 */
export async function verifyNew({ passkey }: AddPasskey, challenge: string, { id, origin }: RelyingParty) {
  const { transports = [], ...response } = passkey.response;
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // `as`: transports are hints for browsers, and new ones appear.
      response: { ...passkey, response: { ...response, transports: transports as [] }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error('the attestation is not valid');
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: BigInt(credential.counter),
      transports,
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
    };
  } catch (cause) {
    throw refused(cause);
  }
}

/**
 * Section 7.2: checks type, challenge, origin, RP id, user presence and verification, signature, and that the counter
 * has increased.
 */
export async function verifyUse(
  assertion: Assertion,
  passkey: PasskeyRow,
  { challenge, party: { id, origin } }: { challenge: string; party: RelyingParty },
): Promise<{ counter: number; isBackedUp: boolean; isBackupEligible: boolean }> {
  const { userHandle, ...response } = assertion.response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...assertion,
        response: { ...response, ...(userHandle !== undefined && { userHandle }) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: Buffer.from(passkey.credentialId).toString('base64url'),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: Number(passkey.counter),
      },
    });
    if (!verified) throw new Error('the signature is wrong');
    const { newCounter, credentialBackedUp, credentialDeviceType } = authenticationInfo;
    return {
      counter: newCounter,
      isBackedUp: credentialBackedUp,
      isBackupEligible: credentialDeviceType === 'multiDevice',
    };
  } catch (cause) {
    throw refused(cause);
  }
}

/** Users look for a device and type its PIN. */
const LIFE_MS = 5 * 60_000;

type Challenges = {
  /** Creates a challenge: 256 random bits in base64url. PostgreSQL stores only its SHA-256. */
  make(purpose: Purpose, boundTo: string): Promise<string>;
  /**
   * Uses up a challenge, whether or not its response is accepted. Throws UNAUTHORIZED unless it was created for this
   * purpose and session.
   */
  use(challenge: string, purpose: Purpose, boundTo: string): Promise<void>;
};

export function createChallenges({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): Challenges {
  return {
    async make(purpose, boundTo) {
      const challenge = randomBytes(32).toString('base64url');
      const now = clock();
      const expiresAt = new Date(now.getTime() + LIFE_MS);
      await insertChallenge(db, { hash: hashOf(challenge), purpose, boundTo }, { now, expiresAt });
      return challenge;
    },
    async use(challenge, purpose, boundTo) {
      if (!(await useChallenge(db, { hash: hashOf(challenge), purpose, boundTo }, clock())))
        throw refused('the challenge was used, has expired, or was made for something else');
    },
  };
}

const hashOf = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();

/**
 * The relying party of passkeys, and the only origin whose pages may use them (WebAuthn Level 3, sections 5.4.2 and 7).
 */
type RelyingParty = { id: string; origin: string };

/**
 * Derives the relying party from the host of the pages that people use: the dashboard if it has its own URL, otherwise
 * the API. Browsers bind passkeys to it, so changing the host loses all passkeys. Throws CONFLICT for an IP address,
 * which cannot be a relying party (section 5.1.3).
 */
export function relyingPartyOf({
  publicBaseUrl,
  dashboardUrl,
}: Pick<Config, 'publicBaseUrl' | 'dashboardUrl'>): RelyingParty {
  const url = parseUrl(dashboardUrl ?? publicBaseUrl);
  if (url === undefined) throw new Error('PUBLIC_BASE_URL or DASHBOARD_URL is not a valid URL');
  const { hostname, origin } = url;
  if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0)
    throw new ApiError(
      'CONFLICT',
      'Passkeys require a host name in PUBLIC_BASE_URL or DASHBOARD_URL, because browsers do not accept ' +
        'an IP address',
    );
  return { id: hostname, origin };
}
