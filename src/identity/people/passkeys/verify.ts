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
 * COSE numbers of EdDSA, ES256 and RS256, which every Node of ours verifies. The library would offer ML-DSA where the Node at hand has
 * it, and such a passkey would be lost under an older one.
 */
export const ALGORITHMS = [-8, -7, -257];

/** One text for every reason: somebody who tries learns nothing of what was nearly right. */
export const refused = (cause: unknown): ApiError =>
  new ApiError('UNAUTHORIZED', 'The passkey was not accepted', { cause });

/** The fields of the client data that are read before the library reads all of them (WebAuthn Level 3, section 5.8.1). */
export type ClientData = { challenge: string; crossOrigin: boolean };

/** Throws UNAUTHORIZED for what is no client data. */
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
 * Section 7.2, step 13, and likewise section 7.1 for a new passkey: a page inside a page of another site may show its person something
 * else than what is agreed to.
 */
export function refuseFramed({ crossOrigin }: ClientData): void {
  if (crossOrigin) throw refused('made inside a page of another origin');
}

/** Section 7.2, step 6: where the authenticator names its user, the passkey must be that user's. */
export function refuseOtherUser(passkey: PasskeyRow, userHandle: string | undefined): void {
  if (userHandle !== undefined && Buffer.from(userHandle, 'base64url').toString('utf8') !== passkey.userId)
    throw refused('the user handle is not that of the owner');
}

/** Section 7.2, step 6: somebody who is not known yet is named by the authenticator. */
export function refuseUnnamed(userHandle: string | undefined): void {
  if (userHandle === undefined) throw refused('the authenticator has named no user');
}

/** Section 7.2, step 18: whether a passkey may be copied was decided when it was made. */
export function refuseOtherEligibility(passkey: PasskeyRow, isBackupEligible: boolean): void {
  if (passkey.isBackupEligible !== isBackupEligible) throw refused('the backup eligibility has changed');
}

/**
 * Section 7.1: type, challenge, origin, RP id, user present and verified, algorithm and attestation. Throws UNAUTHORIZED. Nothing is
 * known of the authenticator's maker.
 */
export async function verifyNew({ passkey }: AddPasskey, challenge: string, { id, origin }: RelyingParty) {
  const { transports = [], ...response } = passkey.response;
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // `as`: transports are hints for browsers, and new ones come up.
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

/** Section 7.2: type, challenge, origin, RP id, user present and verified, signature, and a counter that has gone on. */
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

/** People look for a device, and type its PIN. */
const LIFE_MS = 5 * 60_000;

type Challenges = {
  /** 256 random bits in base64url, of which PostgreSQL keeps the SHA-256. */
  make(purpose: Purpose, boundTo: string): Promise<string>;
  /** Uses a challenge up, whatever becomes of its answer. Throws UNAUTHORIZED unless it was made for just this. */
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

/** Whom passkeys are made for, and the one origin whose pages may use them (WebAuthn Level 3, sections 5.4.2 and 7). */
type RelyingParty = { id: string; origin: string };

/**
 * The host of the pages that people use: of the dashboard where it has an address of its own, else of the API. Browsers bind a passkey
 * to it, so another address loses every passkey. Throws CONFLICT for an IP address, which is no relying party (section 5.1.3).
 */
export function relyingPartyOf({
  publicBaseUrl,
  dashboardUrl,
}: Pick<Config, 'publicBaseUrl' | 'dashboardUrl'>): RelyingParty {
  const url = parseUrl(dashboardUrl ?? publicBaseUrl);
  if (url === undefined) throw new Error('The settings were read with an address that is none');
  const { hostname, origin } = url;
  if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0)
    throw new ApiError(
      'CONFLICT',
      'Passkeys need a host name in PUBLIC_BASE_URL or DASHBOARD_URL: browsers take no IP address',
    );
  return { id: hostname, origin };
}
