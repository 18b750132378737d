import { idOf, noBody, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { listSessionsQuery, revokedAnswer, sessionAnswer, signedInAnswer } from './schema.ts';
import type { Sessions } from './service.ts';

const route = routesOf<{ sessions: Sessions }>({
  session: 'The current session.',
  sessions: 'All sessions of the user.',
});
const access = 'person';

export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/v1/session',
    operationId: 'session.get',
    summary: 'Get the session',
    description: 'Shows who is signed in, and which organisations and apps they can use.',
    access,
    answers: { 200: signedInAnswer },
    handle: ({ caller }, { sessions }) => sessions.show(caller),
  }),
  route({
    method: 'DELETE',
    path: '/v1/session',
    operationId: 'session.signOut',
    summary: 'Sign out',
    description: 'Ends the session and its cookie.',
    access,
    answers: { 204: noBody },
    async handle({ caller, setCookie }, { sessions }) {
      const { cookies } = await sessions.signOut(caller);
      cookies.forEach(setCookie);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/sessions',
    operationId: 'sessions.list',
    summary: 'List sessions',
    description: 'Sessions of the user, newest first.',
    access,
    query: listSessionsQuery,
    answers: { 200: pageOf(sessionAnswer) },
    handle: ({ caller, query }, { sessions }) => sessions.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/sessions/revoke-others',
    operationId: 'sessions.revokeOthers',
    summary: 'End all other sessions',
    description: 'Signs the user out in every other browser.',
    access,
    answers: { 200: revokedAnswer },
    handle: ({ caller }, { sessions }) => sessions.revokeOthers(caller),
  }),
  route({
    method: 'DELETE',
    path: '/v1/sessions/:sessionId',
    operationId: 'sessions.revoke',
    summary: 'End a session',
    description: 'Signs the user out in that browser.',
    params: { sessionId: idOf('session') },
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { sessionId } }, { sessions }) => sessions.revoke(caller, sessionId),
  }),
];
