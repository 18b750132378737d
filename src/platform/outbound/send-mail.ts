import { createTransport } from 'nodemailer';
import type { MailSettings } from '../config/mail.ts';

export type Mail = { to: string; subject: string; text: string };

/** A caller waits for the answer: a mail server that hangs holds a request for this long at most. */
const PATIENCE = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/**
 * Sends a mail by the operator's own server, which is no target of anybody else: the address guard is not asked. Over TLS: smtp:// upgrades
 * by STARTTLS or fails, unless the URL says `?requireTLS=false`, as for a server on this machine. Rejects when the server does not take it.
 */
export async function sendMail({ url, from }: MailSettings, { to, subject, text }: Mail): Promise<void> {
  const transport = createTransport({ url, requireTLS: true, ...PATIENCE });
  try {
    // An address as an object is never read as a list of them.
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  } finally {
    transport.close();
  }
}
