import { exampleId } from '../../../api/openapi/examples.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { keysAnswer, metadataAnswer, tokenAnswer, tokenBody } from './schema.ts';
import { KEYS_PATH, METADATA_PATH, TOKEN_PATH, type Tokens } from './service.ts';

/**
 * Failed authentications per client and address in 60 s. A secret has 256 random bits, so this does not prevent
 * guessing; it limits the load on logs and PostgreSQL.
 */
const FAILURES_PER_MINUTE = 10;

/** Requests per address in 60 s (spec §8). */
const REQUESTS = { name: 'token', perMinute: 30 };

const route = routesOf<{ tokens: Tokens }>({ oauth: 'Access tokens.' });

export const tokenRoutes = [
  route({
    method: 'POST',
    path: TOKEN_PATH,
    operationId: 'oauth.token',
    summary: 'Request an access token',
    description:
      'Client credentials grant (RFC 6749) with a DPoP proof (RFC 9449) in the header `DPoP`. `client_secret` is an HMAC over that proof, so that the secret itself is never sent. The body is JSON or a form.',
    example: {
      body: {
        grant_type: 'client_credentials',
        client_id: exampleId('machineCredential'),
        client_secret: 'GkS5Qx9n2wqRr0v8u1eYz7mB4cD6fH3jKpLtNaVbXcE',
        scope: 'messages:write',
      },
      status: 400,
      answer: {
        access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJleGFtcGxlIjp0cnVlfQ.ZXhhbXBsZQ',
        token_type: 'DPoP',
        expires_in: 900,
        scope: 'messages:write',
      },
    },
    access: 'public',
    addressLimit: REQUESTS,
    consumes: 'parameters',
    size: 'parameters',
    body: tokenBody,
    isOAuth: true,
    answers: { 200: tokenAnswer },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    headers: { Pragma: 'no-cache' },
    async handle({ body, head, address, countAgainst, setNonce, visit }, { tokens }) {
      const answer = await tokens.issue({
        body,
        proofs: head().header('dpop'),
        countFailure: (clientId) => countAgainst(`token-failures:${clientId}:${address()}`, FAILURES_PER_MINUTE),
        visit: visit(),
      });
      const nonce = tokens.nextNonce();
      if (nonce !== undefined) setNonce(nonce);
      return answer;
    },
  }),
  route({
    method: 'GET',
    path: KEYS_PATH,
    operationId: 'oauth.getKeys',
    summary: 'Get the public keys for access tokens',
    description: 'Keys that verify access tokens (RFC 7517).',
    access: 'public',
    answers: { 200: keysAnswer },
    headers: { 'Cache-Control': 'public, max-age=300' },
    handle: (_, { tokens }) => tokens.keys(),
  }),
  route({
    method: 'GET',
    path: METADATA_PATH,
    operationId: 'oauth.getMetadata',
    summary: 'Get the metadata of the token endpoint',
    description: 'Metadata of the authorization server (RFC 8414).',
    access: 'public',
    answers: { 200: metadataAnswer },
    headers: { 'Cache-Control': 'public, max-age=300' },
    handle: (_, { tokens }) => tokens.metadata(),
  }),
];
