import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as received. */
type ReceivedMail = { from: string; to: string[]; text: string };

export type MailServer = { url: string; mails: ReceivedMail[]; close(): Promise<void> };

/** Starts a real SMTP server on the loopback interface, without TLS, for the user `posthorn`. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _, answer) =>
      username === 'posthorn' && password === 'secret' ? answer(null, { user: username }) : answer(new Error('Wrong')),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  // `as`: a server on a port has such an address.
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://posthorn:secret@127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
