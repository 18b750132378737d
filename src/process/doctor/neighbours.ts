import { createTransport } from 'nodemailer';
import type { Config } from '../../platform/config/config.ts';
import { lookAtProvider } from '../../identity/people/single-sign-on/provider.ts';
import { fail, type Finding, lookInto, ok, warn } from './finding.ts';

const ANSWER_WITHIN_MS = 5_000;
const PATIENCE = {
  connectionTimeout: ANSWER_WITHIN_MS,
  greetingTimeout: ANSWER_WITHIN_MS,
  socketTimeout: ANSWER_WITHIN_MS,
};

/** Names that nodemailer and Node give to each trouble; the first that fits is taken. */
const MAIL_TROUBLES: readonly (readonly [says: RegExp, advice: string])[] = [
  [/EAUTH|ENOAUTH/, 'it refuses the user name or the password; correct them, with %40 for @ and so on'],
  [/ECONNREFUSED/, 'nothing listens there; start the mail server, or correct host and port'],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'its host is not known here; correct it'],
  [/certificate|altname|self.signed/i, 'it shows a certificate that is not trusted here; set NODE_EXTRA_CA_CERTS'],
  [/STARTTLS/i, 'it offers no TLS; let it offer STARTTLS, or add ?requireTLS=false for one on this machine'],
  [/wrong version number|ERR_SSL|EPROTO/, 'it speaks no TLS at once; begin the URL with smtp://'],
  [
    /Greeting never received|ECONNRESET|closed/i,
    'it does not greet; is it a mail server? One with TLS at once has a URL that begins with smtps://',
  ],
];

/** The mail server lets this user in. No mail is sent. */
export async function checkMail({ url }: { url: string }): Promise<Finding> {
  const transport = createTransport({ url, requireTLS: true, ...PATIENCE });
  const { host } = new URL(url);
  try {
    return await lookInto(
      'mail',
      async () => {
        await transport.verify();
        return ok('mail', `SMTP_URL: the mail server at ${host} lets the service in`);
      },
      (failure) => {
        const text = `${codesOf(failure)} ${String(failure)}`;
        const advice =
          MAIL_TROUBLES.find(([says]) => says.test(text))?.[1] ?? 'it does not answer; look at firewalls on the way';
        return `SMTP_URL: no mail can be sent by ${host}: ${advice}`;
      },
    );
  } finally {
    transport.close();
  }
}

/** The identity provider answers with its own configuration. */
export const checkSingleSignOn = (settings: NonNullable<Config['singleSignOn']>): Promise<Finding> =>
  lookInto('singleSignOn', async () => {
    const trouble = await lookAtProvider(settings);
    if (trouble === undefined) return ok('singleSignOn', `OIDC_ISSUER: ${settings.issuer} answers`);
    return fail(
      'singleSignOn',
      trouble === 'unanswered'
        ? `OIDC_ISSUER: ${settings.issuer} does not answer, so nobody signs in by it; start it, correct the address, or look at firewalls on the way`
        : `OIDC_ISSUER: ${settings.issuer} has no OpenID configuration of that issuer; set exactly the address that the provider calls its issuer`,
    );
  });

/** The collector of traces answers: a warning, since traces are optional. */
export const checkCollector = ({ endpoint }: { endpoint: string }): Promise<Finding> =>
  lookInto('collector', async () => {
    const status = await statusAt(endpoint, { method: 'POST', headers: { 'content-type': 'application/x-protobuf' } });
    if (status !== undefined) return ok('collector', `a collector of traces answers at ${endpoint}`);
    return warn(
      'collector',
      `OTEL_EXPORTER_OTLP_ENDPOINT: nothing answers at ${endpoint}, so traces are lost; start the collector, or correct the address`,
    );
  });

/** Something answers where people find the dashboard. From here the way may differ from theirs, so this is a warning. */
export const checkDashboardUrl = (dashboardUrl: string): Promise<Finding> =>
  lookInto('dashboardUrl', async () => {
    const status = await statusAt(dashboardUrl, {});
    if (status !== undefined && status < 400) return ok('dashboardUrl', `a page answers at ${dashboardUrl}`);
    const found = status === undefined ? 'nothing answers' : `${status} is the answer`;
    return warn(
      'dashboardUrl',
      `DASHBOARD_URL: ${found} at ${dashboardUrl} from here; serve the dashboard there, or correct the address`,
    );
  });

/** Status of the answer; undefined where none comes. */
async function statusAt(url: string, request: RequestInit): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return undefined;
  }
}

const codesOf = (failure: unknown): string =>
  failure instanceof Error && 'code' in failure ? String(failure.code) : '';
