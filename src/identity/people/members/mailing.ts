import type { Dependencies } from '../../../platform/dependencies.ts';
import { sendMail } from '../../../platform/outbound/send-mail.ts';

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
