import { randomUUID, createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError, PROOF_ALGORITHMS, type OAuthError } from '../../../kernel/errors.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { SCOPES, type Scope } from '../../../kernel/words/rights.ts';
import { type Asked, RENEWAL } from '../belief.ts';
import {
  type EnvironmentCaller,
  originOfVisit,
  type Visit,
  type Credential,
  type Scheme,
} from '../../../api/caller.ts';
import { requireBinding, checkProof, type Proof, type ProvenRequest, ProofProblem } from '../dpop/proof.ts';
import { createNonces, type UsedProofs } from '../dpop/used-proofs.ts';
import type { MachineCredentials } from '../machine-credentials/service.ts';
import { type AccessToken, createTokenReader, signAccessToken, TOKEN_SECONDS } from './access-token.ts';
import type { KeysAnswer, MetadataAnswer, TokenAnswer, TokenBody } from './schema.ts';
import type { SigningKeys } from './signing-keys.ts';

export const TOKEN_PATH = '/oauth/token';
export const KEYS_PATH = '/.well-known/jwks.json';
export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** HMACs of unknown clients are compared with this, so that the response takes as long. */
const NO_SECRET = { id: '', secret: 'ocs_none', scopes: [] };
const NONCE_PURPOSE = 'posthorn dpop nonces v1';

/** A request for a token: its parameters and proofs, and how to count a failed one. */
type TokenRequest = {
  body: TokenBody;
  /** All DPoP headers. */
  proofs: readonly string[];
  /** Counts a failed authentication of that client. Throws RATE_LIMITED if there were too many. */
  countFailure: (clientId: string) => Promise<void>;
  visit: Visit;
};

export type Tokens = {
  /** Issues a token to a client that has authenticated. */
  issue(request: TokenRequest): Promise<TokenAnswer>;
  /** Returns the nonce for the next proof; undefined if nonces are off. */
  nextNonce(): string | undefined;
  /** Returns the claims of an access token and its caller; undefined if the token is not valid. */
  identify(text: string, asked?: Asked): Promise<{ token: AccessToken; caller: EnvironmentCaller } | undefined>;
  /**
   * Throws UNAUTHORIZED unless there is exactly one proof, made for this request with the token's key and not used
   * before.
   */
  prove(token: AccessToken, proofs: readonly string[], request: { method: string; path: string }): Promise<void>;
  keys(): Promise<KeysAnswer>;
  metadata(): Promise<MetadataAnswer>;
};

type Collaborators = {
  machineCredentials: Pick<MachineCredentials, 'forToken' | 'noteToken' | 'callerOf'>;
  signingKeys: SigningKeys;
  usedProofs: UsedProofs;
  /** Computes and compares an HMAC. Default: `isSignedBy`; a test counts the calls. */
  isSigned?: typeof isSignedBy;
};

/** `signingKeys` and `usedProofs` are shared by all processes on a database. */
export function createTokens(
  { config, clock, keyRing, log }: Pick<Dependencies, 'config' | 'clock' | 'keyRing' | 'log'>,
  { machineCredentials, signingKeys, usedProofs, isSigned = isSignedBy }: Collaborators,
): Tokens {
  const issuer = config.publicBaseUrl;
  const nonces = config.dpopNonces ? createNonces(keyRing.derive(NONCE_PURPOSE), clock) : undefined;
  const reader = createTokenReader({ issuer, clock, verifier: signingKeys.verifier });
  const nextNonce = (): string | undefined => nonces?.current();

  const check = (proofs: readonly string[], proven: ProvenRequest): Promise<Proof> =>
    checkProof(proofs, proven, { now: clock(), isGoodNonce: nonces?.isGood });

  const authenticate = async (
    { client_id: clientId, client_secret: given }: TokenBody,
    proof: Proof,
    countFailure: TokenRequest['countFailure'],
  ) => {
    const found = await machineCredentials.forToken(clientId);
    // For an unknown client, check a made-up secret, so that the response takes as long.
    const matching = (found?.secrets ?? [NO_SECRET]).filter(({ secret }) =>
      isSigned(secret, clientId, proof.text, given),
    );
    const [secret] = matching;
    if (found === undefined || secret === undefined) {
      await countFailure(clientId);
      throw invalidClient();
    }
    if (found.credential.isAppSuspended) throw suspendedClient();
    return { credential: found.credential, secretId: secret.id, scopes: secret.scopes };
  };

  const useUp = async (proof: Proof, code: 'INVALID_REQUEST' | 'UNAUTHORIZED'): Promise<void> => {
    try {
      await usedProofs.use(proof);
    } catch (thrown) {
      throw proofRefusal(thrown, code, nextNonce());
    }
  };

  return {
    nextNonce,

    // The order matters: what strangers can send is rejected before PostgreSQL is queried, and only a client that has
    // authenticated leaves anything behind (docs/reference/token-exchange.md, Checks of a token request).
    async issue({ body, proofs, countFailure, visit }) {
      if (body.grant_type !== 'client_credentials')
        throw tokenProblem('unsupported_grant_type', 'grant_type', 'must be client_credentials');
      const proof = await check(proofs, { method: 'POST', uri: issuer + TOKEN_PATH }).catch((thrown: unknown) => {
        throw proofRefusal(thrown, 'INVALID_REQUEST', nextNonce());
      });
      const { credential, secretId, scopes: own } = await authenticate(body, proof, countFailure);
      await useUp(proof, 'INVALID_REQUEST');
      const scopes = readScope(body.scope, own);
      if (typeof scopes === 'string') throw tokenProblem('invalid_scope', 'scope', scopes);
      const now = clock();
      const lifeSeconds = lifeOf(credential.expiresAt, now);
      const { thumbprint } = proof;
      const jti = randomUUID();
      const text = await signAccessToken(await signingKeys.signer(), issuer, {
        jti,
        clientId: credential.id,
        epoch: credential.epoch,
        secretId,
        organisationId: credential.organisationId,
        appId: credential.appId,
        environmentId: credential.environmentId,
        scopes,
        thumbprint,
        now,
        lifeSeconds,
      });
      const expiresAt = new Date(now.getTime() + lifeSeconds * 1_000);
      await machineCredentials.noteToken({
        credential,
        secretId,
        jti,
        scopes,
        thumbprint,
        expiresAt,
        from: originOfVisit(visit),
      });
      log.info({ credentialId: credential.id, scopes, jkt: thumbprint }, 'issued an access token');
      return { access_token: text, token_type: 'DPoP', expires_in: lifeSeconds, scope: scopes.join(' ') };
    },

    async identify(text, asked) {
      const token = await reader.read(text);
      if (token === undefined) return undefined;
      const caller = await machineCredentials.callerOf(token, asked);
      return caller === undefined ? undefined : { token, caller };
    },

    async prove(token, proofs, { method, path }) {
      let proof: Proof;
      try {
        proof = await check(proofs, { method, uri: issuer + path });
        requireBinding(proof, token);
      } catch (thrown) {
        throw proofRefusal(thrown, 'UNAUTHORIZED', nextNonce());
      }
      await useUp(proof, 'UNAUTHORIZED');
    },

    // `as`: a JWK written by `signingKeys` has exactly these members.
    keys: async () => ({ keys: await signingKeys.shown() }) as KeysAnswer,

    metadata: () =>
      Promise.resolve({
        issuer,
        token_endpoint: issuer + TOKEN_PATH,
        jwks_uri: issuer + KEYS_PATH,
        scopes_supported: [...SCOPES],
        response_types_supported: [],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_dpop_hmac'],
        dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
      }),
  };
}

/** Lifetime of a token in seconds. No token outlives its credential. */
function lifeOf(expiresAt: Date | undefined, now: Date): number {
  if (expiresAt === undefined) return TOKEN_SECONDS;
  const left = Math.floor((expiresAt.getTime() - now.getTime()) / 1_000);
  if (left < 1) throw new ApiError('UNAUTHORIZED', invalidClient().message, { oauth: { error: 'invalid_client' } });
  return Math.min(TOKEN_SECONDS, left);
}

const VERSION = 'v1';

/**
 * The value of `client_secret` in a token request: `v1.` and the base64url of an HMAC-SHA256 over `v1`, the client id
 * and the exact value of the DPoP header, separated by line feeds. The HMAC key is the UTF-8 text of the whole secret
 * as shown. The proof contains method, URI, time, id, nonce and public key, so one HMAC binds the client to all of
 * them, and the secret is never sent.
 */
export const signTokenRequest = (secret: string, clientId: string, proof: string): string =>
  `${VERSION}.${createHmac('sha256', secret).update(`${VERSION}\n${clientId}\n${proof}`).digest('base64url')}`;

/** Whether `given` matches the secret. Compares in constant time for texts of the right length. */
export function isSignedBy(secret: string, clientId: string, proof: string, given: string): boolean {
  const wanted = Buffer.from(signTokenRequest(secret, clientId, proof));
  const compared = Buffer.from(given);
  return compared.length === wanted.length && timingSafeEqual(wanted, compared);
}

/** `scope` of RFC 6749 §3.3: names separated by single spaces. */
const FORM = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/**
 * Returns the requested scopes in our order, or all scopes of the client if it names none. Returns a text if the
 * request must be rejected. RFC 6749 §3.3 would allow granting fewer scopes than requested; rejecting tells the client
 * early that it lacks one.
 */
export function readScope(given: string | undefined, granted: readonly Scope[]): Scope[] | string {
  // A parameter without a value counts as omitted (RFC 6749 §3.1).
  if (given === undefined || given === '') return SCOPES.filter((scope) => granted.includes(scope));
  if (!FORM.test(given)) return 'must be scope names separated by single spaces';
  const names = given.split(' ');
  const unknown = names.find((name) => !granted.some((scope) => scope === name));
  if (unknown !== undefined) return 'must contain only scopes of this credential';
  return SCOPES.filter((scope) => names.includes(scope));
}

/** INVALID_REQUEST of the token endpoint, for one parameter. */
const tokenProblem = (error: OAuthError, field: string, reason: string): ApiError =>
  new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { details: { field, reason }, oauth: { error } });

/** One text for an unknown, revoked or expired client and for a wrong HMAC. */
const invalidClient = (): ApiError => {
  const reason = 'must be an active machine credential whose secret was used to compute client_secret from this proof';
  const details = { field: 'client_id', reason };
  return new ApiError('UNAUTHORIZED', `client_id: ${reason}`, { details, oauth: { error: 'invalid_client' } });
};

/** The client has authenticated, so it may learn the reason. */
const suspendedClient = (): ApiError => {
  const reason = 'belongs to an app that is suspended';
  const details = { field: 'client_id', reason };
  return new ApiError('FORBIDDEN', `client_id: ${reason}`, { details, oauth: { error: 'unauthorized_client' } });
};

/** One text for every access token that is not accepted. */
const invalidToken = (): ApiError =>
  new ApiError('UNAUTHORIZED', 'The access token is invalid, has expired or was revoked', {
    oauth: { error: 'invalid_token' },
  });

/**
 * Converts a rejected proof to the response: INVALID_REQUEST at the token endpoint (RFC 9449 §5), UNAUTHORIZED
 * elsewhere (§7.1). `nonce` is the one for the next request. Returns any other error unchanged.
 */
function proofRefusal(thrown: unknown, code: 'INVALID_REQUEST' | 'UNAUTHORIZED', nonce: string | undefined): unknown {
  if (!(thrown instanceof ProofProblem)) return thrown;
  const { error, reason } = thrown;
  const details = { field: 'DPoP', reason };
  return new ApiError(code, `DPoP: ${reason}`, { details, oauth: { error, nonce } });
}

const TOKEN = /^DPoP +([\x21-\x7e]+)$/i;

/**
 * Access tokens with DPoP proofs (RFC 9449 §7.1). The token is checked first (one Authorization header, signature and
 * claims, current state of the credential), so that limits count per machine credential. The proof is checked after
 * scope and limits, so that a rejected request does not use it up or write a row. Proofs do not cover the body, but it
 * is read before, because the edge checks proofs of all kinds of credentials in one place.
 */
export const dpopScheme = ({
  identify,
  prove,
  nextNonce,
}: Pick<Tokens, 'identify' | 'prove' | 'nextNonce'>): Scheme => ({
  async identify({ header }): Promise<Credential | undefined> {
    const given = header('authorization');
    // Not a DPoP header: leave it to the other schemes, such as API keys. If there are several Authorization headers,
    // all are rejected.
    if (!given.some((value) => /^DPoP(?: |$)/i.test(value))) return undefined;
    const text = given.length === 1 ? TOKEN.exec(given[0] ?? '')?.[1] : undefined;
    const found = text === undefined ? undefined : await identify(text);
    if (text === undefined || found === undefined) throw invalidToken();
    return {
      caller: found.caller,
      isSession: false,
      async prove(request) {
        await prove(found.token, request.header('dpop'), request);
        const nonce = nextNonce();
        return nonce === undefined ? undefined : { 'DPoP-Nonce': nonce };
      },
      renew: () => identify(text, RENEWAL),
    };
  },
});
