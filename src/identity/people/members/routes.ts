import { idOf, noBody, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { signedInAnswer } from '../sessions/schema.ts';
import {
  acceptBody,
  createInvitationBody,
  handOverBody,
  invitationAnswer,
  listInvitationsQuery,
  listMembersQuery,
  lookAnswer,
  lookBody,
  memberAnswer,
  newInvitationAnswer,
  resetLinkAnswer,
  updateMemberBody,
} from './schema.ts';
import type { Members } from './service.ts';

const ORGANISATION = '/v1/organisations/:organisationId';
const MEMBER = `${ORGANISATION}/members/:userId`;
/** The path names the organisation; the service looks up the person's role in it. */
const access = 'person';

const route = routesOf<{ members: Members }>();
const ofOrganisation = { organisationId: idOf('organisation') };
const ofMember = { ...ofOrganisation, userId: idOf('user') };
const GUESSED = { addressLimit: { name: 'sign-in', perMinute: 30 }, isFromOwnPages: true } as const;

export const memberRoutes = [
  route({
    method: 'GET',
    path: `${ORGANISATION}/members`,
    params: ofOrganisation,
    access,
    query: listMembersQuery,
    answers: { 200: pageOf(memberAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId }, query }, { members }) => members.list(caller, organisationId, query),
  }),
  route({
    method: 'PATCH',
    path: MEMBER,
    params: ofMember,
    access,
    isDangerous: true,
    consumes: 'json',
    body: updateMemberBody,
    answers: { 200: memberAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle({ caller, params: { organisationId, userId }, body, setCookie }, { members }) {
      const { answer, cookies } = await members.update(caller, organisationId, userId, body);
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'DELETE',
    path: MEMBER,
    params: ofMember,
    access,
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { organisationId, userId } }, { members }) =>
      members.remove(caller, organisationId, userId),
  }),
  route({
    method: 'POST',
    path: `${MEMBER}/password-reset`,
    params: ofMember,
    access,
    isDangerous: true,
    answers: { 201: resetLinkAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId, userId } }, { members }) =>
      members.makeResetLink(caller, organisationId, userId),
  }),
  route({
    method: 'DELETE',
    path: `${MEMBER}/factors`,
    params: ofMember,
    access,
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId, userId } }, { members }) =>
      members.removeFactors(caller, organisationId, userId),
  }),
  route({
    method: 'POST',
    path: `${ORGANISATION}/ownership`,
    params: ofOrganisation,
    access,
    isDangerous: true,
    consumes: 'json',
    body: handOverBody,
    answers: { 200: memberAnswer },
    errors: ['NOT_FOUND'],
    async handle({ caller, params: { organisationId }, body, setCookie }, { members }) {
      const { answer, cookies } = await members.handOver(caller, organisationId, body);
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'GET',
    path: `${ORGANISATION}/invitations`,
    params: ofOrganisation,
    access,
    query: listInvitationsQuery,
    answers: { 200: pageOf(invitationAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId }, query }, { members }) =>
      members.invitations.list(caller, organisationId, query),
  }),
  route({
    method: 'POST',
    path: `${ORGANISATION}/invitations`,
    params: ofOrganisation,
    access,
    isDangerous: true,
    consumes: 'json',
    body: createInvitationBody,
    answers: { 201: newInvitationAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { organisationId }, body }, { members }) =>
      members.invitations.create(caller, organisationId, body),
  }),
  route({
    method: 'DELETE',
    path: `${ORGANISATION}/invitations/:invitationId`,
    params: { ...ofOrganisation, invitationId: idOf('invitation') },
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId, invitationId } }, { members }) =>
      members.invitations.revoke(caller, organisationId, invitationId),
  }),
  route({
    method: 'POST',
    path: '/v1/invitations/look',
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: lookBody,
    answers: { 200: lookAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ body }, { members }) => members.invitations.look(body),
  }),
  route({
    method: 'POST',
    path: '/v1/invitations/accept',
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: acceptBody,
    answers: { 200: signedInAnswer },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    async handle({ body, visit, setCookie }, { members }) {
      const { answer, cookies } = await members.invitations.accept(body, visit());
      cookies.forEach(setCookie);
      return answer;
    },
  }),
];
