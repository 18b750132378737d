import { exampleId } from './example-ids.ts';
import type { OperationText } from './operation-text.ts';

const email = 'ada@example.com';
const password = 'tangerine orbit mill';
const code = 'c2VuZCB0aGUgY29kZSBvZiB0aGUgbGluaw';
const credential = { id: 'cGFzc2tleQ', rawId: 'cGFzc2tleQ', type: 'public-key' };
const clientDataJSON = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0';
const assertion = {
  ...credential,
  response: { clientDataJSON, authenticatorData: 'SZYN5YgOjGh0NBcP', signature: 'MEUCIQDKz7wF' },
};

/** Organisations, their members, and how people sign in. */
export const peopleTexts: Readonly<Record<string, OperationText>> = {
  'POST /v1/organisations': {
    summary: 'Make an organisation',
    description: 'The person becomes its owner.',
    example: { body: { name: 'Acme' } },
  },
  'GET /v1/organisations': {
    summary: 'List organisations',
    description: 'Organisations that the person is a member of.',
    example: { query: { limit: '10' } },
  },
  'GET /v1/organisations/:organisationId': { summary: 'Get an organisation', description: 'Shows one organisation.' },
  'PATCH /v1/organisations/:organisationId': {
    summary: 'Rename an organisation',
    description: 'Changes its name.',
    example: { body: { name: 'Acme Ltd' } },
  },
  'GET /v1/organisations/:organisationId/members': {
    summary: 'List members',
    description: 'Members of the organisation with their roles.',
  },
  'PATCH /v1/organisations/:organisationId/members/:userId': {
    summary: 'Change the role of a member',
    description: 'A member gives roles below its own. An owner hands ownership over instead.',
    example: { body: { role: 'viewer' } },
  },
  'DELETE /v1/organisations/:organisationId/members/:userId': {
    summary: 'Remove a member',
    description: 'Takes a person out of the organisation. The owner cannot be removed.',
  },
  'POST /v1/organisations/:organisationId/members/:userId/password-reset': {
    summary: 'Make a link that resets a password',
    description: 'The link works once, for 30 minutes. The link is mailed where mail is set up.',
  },
  'DELETE /v1/organisations/:organisationId/members/:userId/factors': {
    summary: 'Remove the second factors of a member',
    description: 'For a person who has lost a phone and the recovery codes.',
  },
  'POST /v1/organisations/:organisationId/ownership': {
    summary: 'Hand ownership over',
    description: 'Makes another member the owner. The owner until now becomes an admin.',
    example: { body: { userId: exampleId('user') } },
  },
  'GET /v1/organisations/:organisationId/invitations': {
    summary: 'List invitations',
    description: 'Invitations that can still be accepted.',
  },
  'POST /v1/organisations/:organisationId/invitations': {
    summary: 'Invite a person',
    description: 'Makes a link for one address. The link is mailed where mail is set up; otherwise hand it over.',
    example: { body: { email, role: 'viewer' } },
  },
  'DELETE /v1/organisations/:organisationId/invitations/:invitationId': {
    summary: 'Withdraw an invitation',
    description: 'Its link works no longer.',
  },
  'POST /v1/invitations/look': {
    summary: 'Look at an invitation',
    description: 'Shows what the code of a link invites to.',
    example: { body: { code }, status: 403 },
  },
  'POST /v1/invitations/accept': {
    summary: 'Accept an invitation',
    description: 'Makes the person a member and signs them in.',
    example: { body: { code, name: 'Ada', password }, status: 403 },
  },
  'POST /v1/setup': {
    summary: 'Set the service up',
    description: 'Makes the first administrator, by the code that the service prints.',
    example: { body: { code, email, name: 'Ada', password }, status: 403 },
  },
  'GET /v1/sign-in': {
    summary: 'Get the ways to sign in',
    description: 'Says what a page for signing in should offer.',
  },
  'POST /v1/sign-in': {
    summary: 'Sign in with a password',
    description: 'Sets the cookie of a session, or of the second step where the person has second factors.',
    example: { body: { email, password }, status: 401 },
  },
  'POST /v1/sign-in/second-factor': {
    summary: 'Sign in, second step',
    description: 'Takes the code of an authenticator app, a recovery code, or the signature of a passkey.',
    example: { body: { code: '123456' }, status: 401 },
  },
  'POST /v1/sign-in/second-factor/options': {
    summary: 'Get a challenge for the second step',
    description: 'Input of `PublicKeyCredential.parseRequestOptionsFromJSON`.',
    example: { status: 401 },
  },
  'POST /v1/sign-in/passkey/options': {
    summary: 'Get a challenge for signing in',
    description: 'Input of `PublicKeyCredential.parseRequestOptionsFromJSON`.',
  },
  'POST /v1/sign-in/passkey': {
    summary: 'Sign in with a passkey',
    description: "Takes what the `toJSON()` of a browser's credential gives.",
    example: { body: { passkey: assertion }, status: 401 },
  },
  'POST /v1/sign-in/single-sign-on': {
    summary: 'Start single sign-on',
    description: "Gives the address of the operator's OpenID provider to which the browser is sent.",
    example: { body: { returnTo: '/dashboard/' }, status: 404 },
  },
  'GET /v1/sign-in/single-sign-on/callback': {
    summary: 'Return from single sign-on',
    description:
      'The provider sends browsers back here, with parameters of its own. The browser is sent on to the dashboard.',
    example: { status: 404 },
  },
  'GET /v1/session': { summary: 'Get the session', description: 'Shows who is signed in, and where they may act.' },
  'DELETE /v1/session': { summary: 'Sign out', description: 'Ends the session and its cookie.' },
  'POST /v1/session/authenticate': {
    summary: 'Prove again who you are',
    description: 'For ten minutes the session may then do what is dangerous.',
    example: { body: { password } },
  },
  'POST /v1/session/authenticate/options': {
    summary: 'Get a challenge for a proof',
    description: 'Input of `PublicKeyCredential.parseRequestOptionsFromJSON`.',
  },
  'POST /v1/session/authenticate/single-sign-on': {
    summary: 'Prove by single sign-on',
    description: 'Gives the address of the provider, where the person proves again who they are.',
    example: { body: { returnTo: '/dashboard/' }, status: 404 },
  },
  'GET /v1/sessions': { summary: 'List sessions', description: 'Sessions of the person, the newest first.' },
  'DELETE /v1/sessions/:sessionId': { summary: 'End a session', description: 'Signs the person out there.' },
  'POST /v1/sessions/revoke-others': {
    summary: 'End all other sessions',
    description: 'Signs the person out everywhere but here.',
  },
  'POST /v1/password-reset': {
    summary: 'Reset a password',
    description: 'Takes the code of a link. Every session of the person ends.',
    example: { body: { code, password }, status: 403 },
  },
  'POST /v1/user/password': {
    summary: 'Change the password',
    description: 'Ends all other sessions of the person.',
    example: { body: { password, newPassword: 'harbour candle fern' } },
  },
  'GET /v1/user': { summary: 'Get the user', description: 'Shows the person who is signed in.' },
  'PATCH /v1/user': {
    summary: 'Change the own name',
    description: 'The audit log of each of the organisations of the person tells of it.',
    example: { body: { name: 'Ada King' } },
  },
  'GET /v1/user/factors': {
    summary: 'Get the second factors',
    description: 'Shows which second factors the person has.',
  },
  'POST /v1/user/totp': {
    summary: 'Add an authenticator app',
    description: 'Gives the secret for the app. The app counts once a code of it has confirmed it.',
  },
  'POST /v1/user/totp/confirm': {
    summary: 'Confirm an authenticator app',
    description: 'Takes the first code. With the first factor come ten recovery codes.',
    example: { body: { code: '123456' }, status: 401 },
  },
  'DELETE /v1/user/totp': {
    summary: 'Remove the authenticator app',
    description: 'Its codes count no longer.',
    example: { status: 404 },
  },
  'POST /v1/user/recovery-codes': {
    summary: 'Make new recovery codes',
    description: 'The ones before count no longer. Each works once.',
    example: { status: 409 },
  },
  'POST /v1/views': {
    summary: 'Save a view',
    description:
      'Keeps filters of a list of the dashboard under a name, for this person alone. A person has 50 at most.',
    example: { body: { page: 'deliveries', name: 'Failed at the till', search: { status: 'failed', since: '24h' } } },
  },
  'GET /v1/views': { summary: 'List views', description: 'Views of the person, the newest first.' },
  'PATCH /v1/views/:viewId': {
    summary: 'Change a view',
    description: 'Gives a view another name, or other filters.',
    example: { body: { name: 'Failed today' } },
  },
  'DELETE /v1/views/:viewId': { summary: 'Delete a view', description: 'Forgets the name and its filters.' },
  'POST /v1/user/passkeys/options': {
    summary: 'Get a challenge for a new passkey',
    description: 'Input of `PublicKeyCredential.parseCreationOptionsFromJSON`.',
  },
  'POST /v1/user/passkeys': {
    summary: 'Add a passkey',
    description: "Takes what the `toJSON()` of a browser's new credential gives.",
    example: {
      body: {
        name: 'Phone',
        passkey: { ...credential, response: { clientDataJSON, attestationObject: 'o2NmbXRkbm9uZQ' } },
      },
      status: 401,
    },
  },
  'GET /v1/user/passkeys': { summary: 'List passkeys', description: 'Passkeys of the person, the newest first.' },
  'PATCH /v1/user/passkeys/:passkeyId': {
    summary: 'Rename a passkey',
    description: 'Changes the name by which the person knows it.',
    example: { body: { name: 'Phone' } },
  },
  'DELETE /v1/user/passkeys/:passkeyId': {
    summary: 'Remove a passkey',
    description: 'The passkey proves nothing any more.',
  },
};
