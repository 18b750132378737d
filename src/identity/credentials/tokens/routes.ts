import { routesOf } from '../../../api/http/route/route.ts';
import { keysAnswer, metadataAnswer, tokenAnswer, tokenBody } from './schema.ts';
import { KEYS_PATH, METADATA_PATH, TOKEN_PATH, type Tokens } from './service.ts';

/** Failed authentications of one client from one address in 60 s: its secret has 256 bits, so this keeps logs and PostgreSQL calm. */
const FAILURES_PER_MINUTE = 10;

/** Spec §8: requests from one address in 60 s. */
const REQUESTS = { name: 'token', perMinute: 30 };

const route = routesOf<{ tokens: Tokens }>();

export const tokenRoutes = [
  route({
    method: 'POST',
    path: TOKEN_PATH,
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
    access: 'public',
    answers: { 200: keysAnswer },
    headers: { 'Cache-Control': 'public, max-age=300' },
    handle: (_, { tokens }) => tokens.keys(),
  }),
  route({
    method: 'GET',
    path: METADATA_PATH,
    access: 'public',
    answers: { 200: metadataAnswer },
    headers: { 'Cache-Control': 'public, max-age=300' },
    handle: (_, { tokens }) => tokens.metadata(),
  }),
];
