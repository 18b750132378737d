import { ANSWERS } from '../../api/openapi/generated/answers.ts';

/** Values shared by several examples of the API reference. */
export const EXAMPLE_EMAIL = 'ada@example.com';
export const EXAMPLE_PASSWORD = 'tangerine orbit mill';
/** Code of a link, such as that of an invitation. */
export const EXAMPLE_CODE = 'c2VuZCB0aGUgY29kZSBvZiB0aGUgbGluaw';
export const EXAMPLE_RECOVERY_CODES = ['exam-ple0-exam-ple0', 'exam-ple1-exam-ple1'];
export const EXAMPLE_CREDENTIAL = { id: 'cGFzc2tleQ', rawId: 'cGFzc2tleQ', type: 'public-key' };
export const EXAMPLE_CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0';
/** What a browser returns when the user confirms a sign-in with a passkey. */
export const EXAMPLE_ASSERTION = {
  ...EXAMPLE_CREDENTIAL,
  response: {
    clientDataJSON: EXAMPLE_CLIENT_DATA,
    authenticatorData: 'SZYN5YgOjGh0NBcP',
    signature: 'MEUCIQDKz7wF',
  },
};
export const EXAMPLE_SESSION = ANSWERS['GET /v1/session'];
export const EXAMPLE_PROVIDER_URL = {
  url: 'https://login.example.com/authorize?client_id=posthorn&response_type=code&scope=openid%20email',
};
