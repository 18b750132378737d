import { TOTP } from 'otpauth';
import { type Authenticator, createAuthenticator } from '../world/authenticator.ts';
import type { SignedIn } from '../../../src/identity/people/sessions/schema.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import type { Browser } from '../world/browser.ts';
import { setUpAnew } from './people.ts';

/** Returns the code of a secret, a given number of 30 s steps from now. */
export const totpCode = (secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });

export type Enrolled = { secret: string; recoveryCodes: string[] };

/** Enrols an authenticator app for the browser's user. Its first code is used up. */
export async function enrolTotp(browser: Browser): Promise<Enrolled> {
  const { body: made } = await browser.request<{ secret: string }>('POST', '/v1/user/totp');
  const sent = { code: totpCode(made.secret) };
  const { status, body } = await browser.request<{ recoveryCodes?: string[] }>('POST', '/v1/user/totp/confirm', sent);
  if (status !== 200) throw new Error(`The first code was answered ${status}: ${JSON.stringify(body)}`);
  return { secret: made.secret, recoveryCodes: body.recoveryCodes ?? [] };
}

/** Makes the codes of the last minute valid again, because a test needs more than one. */
export async function forgetSteps({ deps }: TestPosthorn): Promise<void> {
  await deps.pool.query('UPDATE totp_factors SET last_step = NULL');
}

/** Deletes all users and creates the first administrator again, with an authenticator app none of whose codes is used up. */
export async function setUpWithTotp(
  posthorn: TestPosthorn,
): Promise<{ owner: { browser: Browser; me: SignedIn }; organisation: string; enrolled: Enrolled }> {
  const made = await setUpAnew(posthorn);
  const enrolled = await enrolTotp(made.owner.browser);
  await forgetSteps(posthorn);
  return { ...made, enrolled };
}

/** Origin of pages by default: that of PUBLIC_BASE_URL. */
export const ORIGIN = 'http://localhost:3000';

type PasskeyCreation = Parameters<Authenticator['create']>[0];
type RequestOptions = Parameters<Authenticator['get']>[0];

/** Returns the options of a route that creates a challenge for an existing passkey. */
export async function requestOptions(browser: Browser, path: string): Promise<RequestOptions> {
  const { status, body } = await browser.request<RequestOptions>('POST', path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Returns the options for a new passkey of the browser's user. */
export async function creationOptions(browser: Browser): Promise<PasskeyCreation> {
  const { status, body } = await browser.request<PasskeyCreation>('POST', '/v1/user/passkeys/options');
  if (status !== 200) throw new Error(`Options for a passkey were answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Adds a passkey for the browser's user. */
export async function addPasskey(
  browser: Browser,
  name = 'Phone',
): Promise<{ authenticator: Authenticator; passkeyId: string; recoveryCodes: string[] }> {
  const authenticator = createAuthenticator(ORIGIN);
  const passkey = authenticator.create(await creationOptions(browser));
  const sent = { name, passkey };
  const { status, body } = await browser.request<{ id: string; recoveryCodes?: string[] }>(
    'POST',
    '/v1/user/passkeys',
    sent,
  );
  if (status !== 201) throw new Error(`A passkey was answered ${status}: ${JSON.stringify(body)}`);
  return { authenticator, passkeyId: body.id, recoveryCodes: body.recoveryCodes ?? [] };
}
