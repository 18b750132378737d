import { createTransport } from 'nodemailer';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { MailSettings, Config } from '../../../platform/config/config.ts';
import { dashboardAt } from '../../../kernel/values/http.ts';

/**
 * Emails a link to a person if email is configured. Returns false if it was not sent, and the link has to be passed on
 * manually.
 */
export type SendLink = (to: string, what: { subject: string; link: string; until: Date }) => Promise<boolean>;

export const createSendLink =
  ({ config: { mail }, log }: Pick<Dependencies, 'config' | 'log'>): SendLink =>
  async (to, { subject, link, until }) => {
    if (mail === undefined) return false;
    const text = `${subject}.\n\n${link}\n\nThe link works once, until ${until.toISOString()}. Nobody else should have it.\n`;
    try {
      await sendMail(mail, { to, subject, text });
      return true;
    } catch (error) {
      log.warn({ err: error }, 'could not send the email; its link was shown only to the person who created it');
      return false;
    }
  };

type Mail = { to: string; subject: string; text: string };

/** The caller waits for the response, so a mail server that hangs must not hold the request for longer than this. */
const PATIENCE = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/**
 * Sends an email through the operator's server. That server is configured by the operator and cannot be chosen by
 * anyone else, so the address guard is not used. Uses TLS: smtp:// upgrades with STARTTLS or fails, unless the URL says
 * `?requireTLS=false`, for example for a server on this machine. Rejects if the server does not accept the email.
 */
async function sendMail({ url, from }: MailSettings, { to, subject, text }: Mail): Promise<void> {
  const transport = createTransport({ url, requireTLS: true, ...PATIENCE });
  try {
    // An address given as an object is never parsed as a list of addresses.
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  } finally {
    transport.close();
  }
}

type Urls = Pick<Config, 'publicBaseUrl' | 'dashboardUrl'>;

/**
 * Returns a link to a page of the dashboard. Its code is in the fragment, which browsers do not send, so no log or
 * Referer contains it.
 */
export const linkTo = (urls: Urls, page: 'setup' | 'invitation' | 'password-reset', code: string): string =>
  `${dashboardAt(urls)}/${page}#code=${code}`;
