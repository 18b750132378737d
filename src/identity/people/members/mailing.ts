import { createTransport } from 'nodemailer';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { MailSettings, Config } from '../../../platform/config/config.ts';
import { dashboardAt } from '../../../kernel/values/http.ts';

/** Sends a link to its person where mail is configured. False when it was not sent: the link is then handed over by hand. */
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
      log.warn({ err: error }, 'the mail server did not take a mail: the link was only shown to the one who made it');
      return false;
    }
  };

type Mail = { to: string; subject: string; text: string };

/** A caller waits for the answer: a mail server that hangs holds a request for this long at most. */
const PATIENCE = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/**
 * Sends a mail by the operator's own server, which is no target of anybody else: the address guard is not asked. Over TLS: smtp:// upgrades
 * by STARTTLS or fails, unless the URL says `?requireTLS=false`, as for a server on this machine. Rejects when the server does not take it.
 */
async function sendMail({ url, from }: MailSettings, { to, subject, text }: Mail): Promise<void> {
  const transport = createTransport({ url, requireTLS: true, ...PATIENCE });
  try {
    // An address as an object is never read as a list of them.
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  } finally {
    transport.close();
  }
}

type Urls = Pick<Config, 'publicBaseUrl' | 'dashboardUrl'>;

/**
 * A link for a person, to a page of the dashboard. Its code stands in the fragment, which browsers send to nobody: neither a log nor a
 * Referer has it.
 */
export const linkTo = (urls: Urls, page: 'setup' | 'invitation' | 'password-reset', code: string): string =>
  `${dashboardAt(urls)}/${page}#code=${code}`;
