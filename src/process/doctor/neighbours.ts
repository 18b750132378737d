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

/** Error names of nodemailer and Node; the first match is used. */
const MAIL_TROUBLES: readonly (readonly [says: RegExp, advice: string])[] = [
  [/EAUTH|ENOAUTH/, 'it rejects the user name or the password; correct them, with %40 for @ and so on'],
  [/ECONNREFUSED/, 'nothing listens there; start the mail server, or correct host and port'],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'its host name cannot be resolved; correct it'],
  [/certificate|altname|self.signed/i, 'its certificate is not trusted here; set NODE_EXTRA_CA_CERTS'],
  [/STARTTLS/i, 'it does not offer TLS; enable STARTTLS there, or add ?requireTLS=false for a server on this machine'],
  [/wrong version number|ERR_SSL|EPROTO/, 'it does not use implicit TLS; begin the URL with smtp://'],
  [
    /Greeting never received|ECONNRESET|closed/i,
    'it sends no greeting; is it a mail server? For a server with implicit TLS, begin the URL with smtps://',
  ],
];

/** The mail server accepts the credentials. No mail is sent. */
export async function checkMail({ url }: { url: string }): Promise<Finding> {
  const transport = createTransport({ url, requireTLS: true, ...PATIENCE });
  const { host } = new URL(url);
  try {
    return await lookInto(
      'mail',
      async () => {
        await transport.verify();
        return ok('mail', `SMTP_URL: the mail server at ${host} accepts the credentials`);
      },
      (failure) => {
        const text = `${codesOf(failure)} ${String(failure)}`;
        const advice =
          MAIL_TROUBLES.find(([says]) => says.test(text))?.[1] ?? 'it does not respond; check the firewalls in between';
        return `SMTP_URL: cannot send mail through ${host}: ${advice}`;
      },
    );
  } finally {
    transport.close();
  }
}

/** The identity provider returns its configuration. */
export const checkSingleSignOn = (settings: NonNullable<Config['singleSignOn']>): Promise<Finding> =>
  lookInto('singleSignOn', async () => {
    const trouble = await lookAtProvider(settings);
    if (trouble === undefined) return ok('singleSignOn', `OIDC_ISSUER: ${settings.issuer} responds`);
    return fail(
      'singleSignOn',
      trouble === 'unanswered'
        ? `OIDC_ISSUER: ${settings.issuer} does not respond, so nobody can sign in through it; start it, correct the address, or check the firewalls in between`
        : `OIDC_ISSUER: ${settings.issuer} has no OpenID configuration for that issuer; set exactly the issuer address that the provider shows`,
    );
  });

/** The trace collector responds. A warning, since traces are optional. */
export const checkCollector = ({ endpoint }: { endpoint: string }): Promise<Finding> =>
  lookInto('collector', async () => {
    const status = await statusAt(endpoint, { method: 'POST', headers: { 'content-type': 'application/x-protobuf' } });
    if (status !== undefined) return ok('collector', `a trace collector responds at ${endpoint}`);
    return warn(
      'collector',
      `OTEL_EXPORTER_OTLP_ENDPOINT: nothing responds at ${endpoint}, so traces are lost; start the collector, or correct the address`,
    );
  });

/** Something responds at the address of the dashboard. The route from here may differ from the users', so this is a warning. */
export const checkDashboardUrl = (dashboardUrl: string): Promise<Finding> =>
  lookInto('dashboardUrl', async () => {
    const status = await statusAt(dashboardUrl, {});
    if (status !== undefined && status < 400) return ok('dashboardUrl', `a page is served at ${dashboardUrl}`);
    const found = status === undefined ? 'nothing responds' : `status ${status} is returned`;
    return warn(
      'dashboardUrl',
      `DASHBOARD_URL: ${found} at ${dashboardUrl} from here; serve the dashboard there, or correct the address`,
    );
  });

/** Status of the response; undefined if there is none. */
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
