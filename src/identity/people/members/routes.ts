import { EXAMPLE_CODE, EXAMPLE_EMAIL, EXAMPLE_PASSWORD, EXAMPLE_SESSION } from '../examples.ts';
import { exampleId, EXAMPLE_TIME } from '../../../api/openapi/examples.ts';
import { idOf, noBody, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { signedInAnswer } from '../sessions/schema.ts';
import {
  acceptBody,
  createInvitationBody,
  transferOwnershipBody,
  invitationAnswer,
  listInvitationsQuery,
  listMembersQuery,
  invitationPreviewAnswer,
  previewInvitationBody,
  memberAnswer,
  newInvitationAnswer,
  resetLinkAnswer,
  updateMemberBody,
} from './schema.ts';
import type { Members } from './service.ts';

const ORGANISATION = '/v1/organisations/:organisationId';
const MEMBER = `${ORGANISATION}/members/:userId`;
/** The path names the organisation; the service looks up the user's role in it. */
const access = 'person';

const route = routesOf<{ members: Members }>({
  members: 'Members of an organisation.',
  invitations: 'Invitations to an organisation.',
});
const ofOrganisation = { organisationId: idOf('organisation') };
const ofMember = { ...ofOrganisation, userId: idOf('user') };
const GUESSED = { addressLimit: { name: 'sign-in', perMinute: 30 }, isFromOwnPages: true } as const;

export const memberRoutes = [
  route({
    method: 'GET',
    path: `${ORGANISATION}/members`,
    operationId: 'members.list',
    summary: 'List members',
    description: 'Members of the organisation with their roles.',
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
    operationId: 'members.update',
    summary: 'Change the role of a member',
    description:
      'The caller can give roles up to their own; only owners change the role of an owner or make a ' +
      'member an owner. The sessions of the member end.',
    example: { body: { role: 'viewer' } },
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
    operationId: 'members.remove',
    summary: 'Remove a member',
    description:
      'Removes a user from the organisation. Any member can leave, except the last owner; only owners ' +
      'remove owners. The invitations that the user created and all open password reset links of the ' +
      'organisation become invalid; API keys that the user created remain.',
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
    operationId: 'members.createResetLink',
    summary: 'Create a password reset link',
    description:
      'The link works once, for 30 minutes. It is emailed if email is set up. FORBIDDEN if the member ' +
      'also belongs to an organisation that the caller does not own.',
    params: ofMember,
    access,
    isDangerous: true,
    answers: { 201: resetLinkAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId, userId } }, { members }) =>
      members.createResetLink(caller, organisationId, userId),
  }),
  route({
    method: 'DELETE',
    path: `${MEMBER}/factors`,
    operationId: 'members.removeFactors',
    summary: 'Remove the second factors of a member',
    description:
      'For users who have lost their phone and recovery codes. FORBIDDEN if the member also belongs to ' +
      'an organisation that the caller does not own.',
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
    operationId: 'members.transferOwnership',
    summary: 'Transfer ownership',
    description: 'Makes another member the owner. The current owner becomes an admin.',
    example: { body: { userId: exampleId('user') } },
    params: ofOrganisation,
    access,
    isDangerous: true,
    consumes: 'json',
    body: transferOwnershipBody,
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
    operationId: 'invitations.list',
    summary: 'List invitations',
    description: 'Invitations that can still be accepted.',
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
    operationId: 'invitations.create',
    summary: 'Invite a person',
    description:
      'Creates an invitation link for one email address. It works once, for 72 hours, and replaces ' +
      'earlier invitations of the address. It is emailed if email is set up; otherwise pass it on ' +
      'yourself.',
    example: { body: { email: EXAMPLE_EMAIL, role: 'viewer' } },
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
    operationId: 'invitations.revoke',
    summary: 'Withdraw an invitation',
    description: 'The link no longer works.',
    params: { ...ofOrganisation, invitationId: idOf('invitation') },
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId, invitationId } }, { members }) =>
      members.invitations.revoke(caller, organisationId, invitationId),
  }),
  route({
    method: 'POST',
    path: '/v1/invitations/preview',
    operationId: 'invitations.preview',
    summary: 'Preview an invitation',
    description: 'Shows what the code of an invitation link is for.',
    example: {
      answer: {
        organisation: { id: exampleId('organisation'), name: 'Acme' },
        email: EXAMPLE_EMAIL,
        role: 'viewer',
        expiresAt: EXAMPLE_TIME,
        hasAccount: false,
      },
      body: { code: EXAMPLE_CODE },
      status: 403,
    },
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: previewInvitationBody,
    answers: { 200: invitationPreviewAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ body }, { members }) => members.invitations.preview(body),
  }),
  route({
    method: 'POST',
    path: '/v1/invitations/accept',
    operationId: 'invitations.accept',
    summary: 'Accept an invitation',
    description:
      'Makes the user a member and signs them in. A new user gives a name and a password; a user with an ' +
      'account gives its password or is already signed in. If the account has a second factor, sign in ' +
      'first.',
    example: {
      answer: EXAMPLE_SESSION,
      body: { code: EXAMPLE_CODE, name: 'Ada', password: EXAMPLE_PASSWORD },
      status: 403,
    },
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
