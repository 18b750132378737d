/** A route for people or for strangers, written by hand as the contract of the others is (contract-table.ts). */
export type PeopleRow = {
  endpoint: string;
  access: 'public' | 'person' | 'session';
  status: 200 | 201 | 204;
  /** Its guards, beside who may ask. */
  guards?: string;
  /** A body in the right form. */
  body?: Record<string, unknown>;
};

const GUESSED = 'own pages, 30 a minute';
const email = 'ada@example.com';
const password = 'tangerine orbit mill';

/** Neither who may ask nor a guard against guessing changes unseen: the tests compare the route table with it. */
export const PEOPLE: PeopleRow[] = [
  {
    endpoint: 'POST /v1/setup',
    access: 'public',
    status: 201,
    guards: GUESSED,
    body: { code: 'x', email, name: 'Ada', password },
  },
  { endpoint: 'POST /v1/sign-in', access: 'public', status: 200, guards: GUESSED, body: { email, password } },
  { endpoint: 'GET /v1/session', access: 'person', status: 200 },
  { endpoint: 'DELETE /v1/session', access: 'person', status: 204 },
  { endpoint: 'POST /v1/session/authenticate', access: 'person', status: 200, guards: GUESSED, body: { password } },
  {
    endpoint: 'POST /v1/user/password',
    access: 'person',
    status: 200,
    guards: GUESSED,
    body: { password, newPassword: password },
  },
  {
    endpoint: 'POST /v1/password-reset',
    access: 'public',
    status: 204,
    guards: GUESSED,
    body: { code: 'x', password },
  },
  { endpoint: 'GET /v1/organisations/:organisationId/members', access: 'person', status: 200 },
  {
    endpoint: 'PATCH /v1/organisations/:organisationId/members/:userId',
    access: 'person',
    status: 200,
    guards: 'fresh',
    body: { role: 'viewer' },
  },
  {
    endpoint: 'DELETE /v1/organisations/:organisationId/members/:userId',
    access: 'person',
    status: 204,
    guards: 'fresh',
  },
  {
    endpoint: 'POST /v1/organisations/:organisationId/members/:userId/password-reset',
    access: 'person',
    status: 201,
    guards: 'fresh',
  },
  {
    endpoint: 'POST /v1/organisations/:organisationId/ownership',
    access: 'person',
    status: 200,
    guards: 'fresh',
    body: { userId: 'x' },
  },
  { endpoint: 'GET /v1/organisations/:organisationId/invitations', access: 'person', status: 200 },
  {
    endpoint: 'POST /v1/organisations/:organisationId/invitations',
    access: 'person',
    status: 201,
    guards: 'fresh',
    body: { email, role: 'viewer' },
  },
  {
    endpoint: 'DELETE /v1/organisations/:organisationId/invitations/:invitationId',
    access: 'person',
    status: 204,
  },
  { endpoint: 'POST /v1/invitations/look', access: 'public', status: 200, guards: GUESSED, body: { code: 'x' } },
  {
    endpoint: 'POST /v1/invitations/accept',
    access: 'public',
    status: 200,
    guards: GUESSED,
    body: { code: 'x', name: 'Ada', password },
  },
  { endpoint: 'GET /v1/sessions', access: 'person', status: 200 },
  { endpoint: 'POST /v1/sessions/revoke-others', access: 'person', status: 200 },
  { endpoint: 'DELETE /v1/sessions/:sessionId', access: 'person', status: 204 },
];
