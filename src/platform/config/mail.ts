import { ConfigError } from './reading/config-error.ts';

/** A mail server of the operator's and the sender of every mail (outbound/send-mail.ts). */
export type MailSettings = { readonly url: string; readonly from: string };

/** Throws ConfigError for one of the two without the other. */
export function readMail(url: string | undefined, from: string | undefined): MailSettings | undefined {
  if (url === undefined && from === undefined) return undefined;
  if (url === undefined || from === undefined) throw new ConfigError('SMTP_URL and MAIL_FROM go together');
  return { url, from };
}
