import type { Role } from '../../../src/kernel/words/rights.ts';

/** A route for users or for unauthenticated callers, written by hand like the contract of the others (contract-table.ts). */
export type PeopleRow = {
  endpoint: string;
  access: 'public' | 'person' | 'session';
  status: 200 | 201 | 204 | 303;
  /** Its guards, in addition to who may call it. */
  guards?: string;
  /** The least role in the organisation that the path names. */
  least?: Role;
  /** A valid body. */
  body?: Record<string, unknown>;
};

const GUESSED = 'own pages, 30 a minute';
const email = 'ada@example.com';
const password = 'tangerine orbit mill';
const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' };
const clientDataJSON = 'e30';
const passkey = { ...credential, response: { clientDataJSON, authenticatorData: 'AAAA', signature: 'AAAA' } };
const newPasskey = { ...credential, response: { clientDataJSON, attestationObject: 'AAAA' } };

/**
 * The contract of those routes. The tests compare the route table with it, so that neither who may call a route nor a guard against
 * guessing changes unnoticed.
 */
export const PEOPLE: PeopleRow[] = [
  {
    endpoint: 'POST /v1/setup',
    access: 'public',
    status: 201,
    guards: GUESSED,
    body: { code: 'x', email, name: 'Ada', password },
  },
  { endpoint: 'POST /v1/sign-in', access: 'public', status: 200, guards: GUESSED, body: { email, password } },
  { endpoint: 'GET /v1/sign-in', access: 'public', status: 200 },
  { endpoint: 'POST /v1/sign-in/single-sign-on', access: 'public', status: 200, guards: GUESSED, body: {} },
  {
    endpoint: 'GET /v1/sign-in/single-sign-on/callback',
    access: 'public',
    status: 303,
    guards: 'by others, 30 a minute',
  },
  {
    endpoint: 'POST /v1/session/authenticate/single-sign-on',
    access: 'person',
    status: 200,
    guards: GUESSED,
    body: {},
  },
  { endpoint: 'GET /v1/organisations', access: 'person', status: 200 },
  { endpoint: 'POST /v1/organisations', access: 'person', status: 201, body: { name: 'Acme' } },
  {
    endpoint: 'POST /v1/sign-in/second-factor',
    access: 'public',
    status: 200,
    guards: GUESSED,
    body: { passkey },
  },
  { endpoint: 'POST /v1/sign-in/second-factor/options', access: 'public', status: 200, guards: GUESSED },
  { endpoint: 'POST /v1/sign-in/passkey/options', access: 'public', status: 200, guards: GUESSED },
  { endpoint: 'POST /v1/sign-in/passkey', access: 'public', status: 200, guards: GUESSED, body: { passkey } },
  { endpoint: 'POST /v1/session/authenticate/options', access: 'person', status: 200 },
  { endpoint: 'POST /v1/user/passkeys/options', access: 'person', status: 200, guards: 'fresh' },
  {
    endpoint: 'POST /v1/user/passkeys',
    access: 'person',
    status: 201,
    guards: 'fresh',
    body: { name: 'Phone', passkey: newPasskey },
  },
  { endpoint: 'GET /v1/user/passkeys', access: 'person', status: 200 },
  { endpoint: 'PATCH /v1/user/passkeys/:passkeyId', access: 'person', status: 200, body: { name: 'Phone' } },
  { endpoint: 'DELETE /v1/user/passkeys/:passkeyId', access: 'person', status: 204, guards: 'fresh' },
  {
    endpoint: 'POST /v1/views',
    access: 'person',
    status: 201,
    body: { page: 'deliveries', name: 'Failed', search: { status: 'failed' } },
  },
  { endpoint: 'GET /v1/views', access: 'person', status: 200 },
  { endpoint: 'PATCH /v1/views/:viewId', access: 'person', status: 200, body: { name: 'Failed today' } },
  { endpoint: 'DELETE /v1/views/:viewId', access: 'person', status: 204 },
  { endpoint: 'GET /v1/user/factors', access: 'person', status: 200 },
  { endpoint: 'POST /v1/user/totp', access: 'person', status: 201, guards: 'fresh' },
  {
    endpoint: 'POST /v1/user/totp/confirm',
    access: 'person',
    status: 200,
    guards: `${GUESSED}, fresh`,
    body: { code: '123456' },
  },
  { endpoint: 'DELETE /v1/user/totp', access: 'person', status: 204, guards: 'fresh' },
  { endpoint: 'POST /v1/user/recovery-codes', access: 'person', status: 201, guards: 'fresh' },
  { endpoint: 'GET /v1/session', access: 'person', status: 200 },
  { endpoint: 'DELETE /v1/session', access: 'person', status: 204 },
  { endpoint: 'POST /v1/session/authenticate', access: 'person', status: 200, guards: GUESSED, body: { passkey } },
  { endpoint: 'GET /v1/user', access: 'person', status: 200 },
  { endpoint: 'PATCH /v1/user', access: 'person', status: 200, body: { name: 'Ada' } },
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
  { endpoint: 'GET /v1/organisations/:organisationId/members', access: 'person', status: 200, least: 'viewer' },
  {
    endpoint: 'PATCH /v1/organisations/:organisationId/members/:userId',
    access: 'person',
    status: 200,
    guards: 'fresh',
    least: 'admin',
    body: { role: 'viewer' },
  },
  {
    endpoint: 'DELETE /v1/organisations/:organisationId/members/:userId',
    access: 'person',
    status: 204,
    guards: 'fresh',
    least: 'admin',
  },
  {
    endpoint: 'POST /v1/organisations/:organisationId/members/:userId/password-reset',
    access: 'person',
    status: 201,
    guards: 'fresh',
    least: 'owner',
  },
  {
    endpoint: 'DELETE /v1/organisations/:organisationId/members/:userId/factors',
    access: 'person',
    status: 204,
    guards: 'fresh',
  },
  {
    endpoint: 'POST /v1/organisations/:organisationId/ownership',
    access: 'person',
    status: 200,
    guards: 'fresh',
    least: 'owner',
    body: { userId: 'x' },
  },
  { endpoint: 'GET /v1/organisations/:organisationId/invitations', access: 'person', status: 200, least: 'admin' },
  {
    endpoint: 'POST /v1/organisations/:organisationId/invitations',
    access: 'person',
    status: 201,
    guards: 'fresh',
    least: 'admin',
    body: { email, role: 'viewer' },
  },
  {
    endpoint: 'DELETE /v1/organisations/:organisationId/invitations/:invitationId',
    access: 'person',
    status: 204,
    least: 'admin',
  },
  { endpoint: 'POST /v1/invitations/preview', access: 'public', status: 200, guards: GUESSED, body: { code: 'x' } },
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
