import { randomUUID } from 'node:crypto';
import { ApiError, PROOF_ALGORITHMS } from '../../../kernel/errors.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { SCOPES } from '../../../kernel/words/rights.ts';
import type { Asked } from '../belief/belief.ts';
import { type EnvironmentCaller, originOfVisit, type Visit } from '../../../api/caller.ts';
import { requireBinding } from '../dpop/binding.ts';
import { createNonces } from '../dpop/nonces.ts';
import { checkProof, type Proof, type ProvenRequest } from '../dpop/proof.ts';
import type { UsedProofs } from '../dpop/used-proofs.ts';
import type { MachineCredentials } from '../machine-credentials/service.ts';
import { type AccessToken, createTokenReader, signAccessToken, TOKEN_SECONDS } from './access-token.ts';
import { isSignedBy } from './client-secret.ts';
import { invalidClient, proofRefusal, suspendedClient, tokenProblem } from './refusals.ts';
import type { KeysAnswer, MetadataAnswer, TokenAnswer, TokenBody } from './schema.ts';
import { readScope } from './scope-parameter.ts';
import type { SigningKeys } from './signing-keys.ts';

export const TOKEN_PATH = '/oauth/token';
export const KEYS_PATH = '/.well-known/jwks.json';
export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** HMACs are compared with this where there is no such client, so that the answer takes as long. */
const NO_SECRET = { id: '', secret: 'ocs_none', scopes: [] };
const NONCE_PURPOSE = 'posthorn dpop nonces v1';

/** A request for a token: its parameters and proofs, and how a failed one is counted. */
type TokenRequest = {
  body: TokenBody;
  /** Every DPoP header. */
  proofs: readonly string[];
  /** Counts a failed authentication of that client; throws RATE_LIMITED when there were too many. */
  countFailure: (clientId: string) => Promise<void>;
  visit: Visit;
};

export type Tokens = {
  /** A token for a client that has proven itself. */
  issue(request: TokenRequest): Promise<TokenAnswer>;
  /** The nonce for the next proof; undefined where none is asked for. */
  nextNonce(): string | undefined;
  /** The claims of an access token, and who has it now; undefined for a token that is not taken. */
  identify(text: string, asked?: Asked): Promise<{ token: AccessToken; caller: EnvironmentCaller } | undefined>;
  /** Throws UNAUTHORIZED unless one of the proofs is made for this request with the token's key, and for the first time. */
  prove(token: AccessToken, proofs: readonly string[], request: { method: string; path: string }): Promise<void>;
  keys(): Promise<KeysAnswer>;
  metadata(): Promise<MetadataAnswer>;
};

type Collaborators = {
  machineCredentials: Pick<MachineCredentials, 'forToken' | 'noteToken' | 'callerOf'>;
  signingKeys: SigningKeys;
  usedProofs: UsedProofs;
  /** Makes an HMAC and compares it. Default: the one of client-secret.ts; a test counts how often. */
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
    // A client that does not exist has a made-up secret tried, so that its answer takes as long.
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

    // In this order: what strangers can send is refused before PostgreSQL is asked, and only a client that has proven itself leaves
    // anything behind (docs/authentication.md, Checks of a token request).
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
      log.info({ credentialId: credential.id, scopes, jkt: thumbprint }, 'gave an access token');
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

    // `as`: a JWK as `signingKeys` writes it has just these members.
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

/** Seconds that a token lives; none outlives its credential. */
function lifeOf(expiresAt: Date | undefined, now: Date): number {
  if (expiresAt === undefined) return TOKEN_SECONDS;
  const left = Math.floor((expiresAt.getTime() - now.getTime()) / 1_000);
  if (left < 1) throw new ApiError('UNAUTHORIZED', invalidClient().message, { oauth: { error: 'invalid_client' } });
  return Math.min(TOKEN_SECONDS, left);
}
