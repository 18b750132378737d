/** Conditions without which nothing changes that a caller could see, each with its reason. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  'src/identity/api-keys/known-keys.ts createKnownKeys.forget: comparison known.appId === id':
    'A process that forgets keys of other apps too asks PostgreSQL for them with their next request.',
  'src/identity/machine-credentials/known-credentials.ts createKnownCredentials.forget: comparison known.appId === id':
    'A process that forgets credentials of other apps too asks PostgreSQL for them with their next request.',
  'src/identity/factors/store.ts useStep: where userId':
    'The ciphertext beside it is sealed under a nonce of its own, so that no two people have the same one.',
  'src/identity/members/invitations-store.ts deleteInvitation: where organisationId':
    'The transaction that deletes an invitation by its id has just found that id in the organisation.',
};
