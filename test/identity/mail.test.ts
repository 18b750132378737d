import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { codeOf, joinAs, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createBrowser } from '../support/world/browser.ts';
import { type MailServer, startMailServer } from '../support/world/mail-server.ts';

let server: MailServer;
let posthorn: TestPosthorn | undefined;
beforeAll(async () => {
  server = await startMailServer();
});
afterEach(() => posthorn?.stop());
afterAll(() => server.close());

type Made = { id: string; link: string; isMailed: boolean };

/** A service that mails by this URL, with its owner signed in. */
async function start(smtpUrl: string | undefined) {
  const variables = smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl, MAIL_FROM: 'Posthorn <posthorn@example.com>' };
  posthorn = await startPosthorn({ withWorker: false, variables });
  const { browser, me } = await setUp(posthorn);
  const organisation = `/v1/organisations/${me.organisations[0]?.id}`;
  const invite = (email: string) =>
    browser.request<Made>('POST', `${organisation}/invitations`, { email, role: 'viewer' });
  return { posthorn, browser, organisation, invite };
}

/** The first link of a mail, whose long lines are broken by `=` (RFC 2045 §6.7). */
const linkIn = (text: string): string =>
  /http\S+#code=[\w-]+/.exec(text.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0] ?? '';

test('links reach their person by mail, and that person alone', async () => {
  const { posthorn: service, browser, organisation, invite } = await start(`${server.url}?requireTLS=false`);
  const { status, body } = await invite('nora@example.com');
  expect([status, body.isMailed]).toEqual([201, true]);
  expect(server.mails).toMatchObject([{ from: 'posthorn@example.com', to: ['nora@example.com'] }]);
  expect(linkIn(server.mails[0]?.text ?? '')).toBe(body.link);
  const viewer = await joinAs(service, browser, organisation, { role: 'viewer', email: 'viewer@example.com' });
  const path = `${organisation}/members/${viewer.me.user.id}/password-reset`;
  const reset = await browser.request<Made>('POST', path);
  expect([reset.status, reset.body.isMailed]).toEqual([201, true]);
  const mail = server.mails.at(-1);
  expect(mail?.to).toEqual(['viewer@example.com']);
  const sent = { code: codeOf(linkIn(mail?.text ?? '')), password: 'four quiet harbours' };
  expect((await createBrowser(service).request('POST', '/v1/password-reset', sent)).status).toBe(204);
});

test('an address that is a list of addresses is refused', async () => {
  const { invite } = await start(`${server.url}?requireTLS=false`);
  const before = server.mails.length;
  for (const email of [
    'a@example.com,b@example.com',
    'evil,nora@example.com',
    '<nora@example.com>',
    'n <nora@example.com>',
  ])
    expect([email, (await invite(email)).status]).toEqual([email, 400]);
  expect(server.mails).toHaveLength(before);
});

test.each([
  ['is away', async () => `smtp://127.0.0.1:${await findFreePort()}`],
  ['has no TLS, which the URL does not allow', async () => server.url],
  ['knows another password', async () => `${server.url.replace('secret', 'wrong')}?requireTLS=false`],
])('a mail server that %s leaves the link to be handed over, and sends nothing', async (_, urlOf) => {
  const { posthorn: service, invite } = await start(await urlOf());
  const before = server.mails.length;
  const { status, body } = await invite('nora@example.com');
  expect([status, body.isMailed, server.mails.length]).toEqual([201, false, before]);
  const sent = { code: codeOf(body.link), name: 'Nora', password: 'seven lanterns at noon' };
  expect((await createBrowser(service).request('POST', '/v1/invitations/accept', sent)).status).toBe(200);
});

test('without a mail server the link is only shown', async () => {
  const { invite } = await start(undefined);
  expect((await invite('nora@example.com')).body.isMailed).toBe(false);
});
