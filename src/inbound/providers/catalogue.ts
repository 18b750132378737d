import { bitbucket } from './bitbucket.ts';
import { buildkite } from './buildkite.ts';
import { calendly } from './calendly.ts';
import { circleci } from './circleci.ts';
import { clerk } from './clerk.ts';
import { coinbaseCommerce } from './coinbase-commerce.ts';
import { discord } from './discord.ts';
import { github } from './github.ts';
import { gitlabSigned } from './gitlab-signed.ts';
import { gitlab } from './gitlab.ts';
import { hubspot } from './hubspot.ts';
import { intercom } from './intercom.ts';
import { jira } from './jira.ts';
import { launchdarkly } from './launchdarkly.ts';
import { lemonSqueezy } from './lemon-squeezy.ts';
import { linear } from './linear.ts';
import { mailgun } from './mailgun.ts';
import { openai } from './openai.ts';
import { paddle } from './paddle.ts';
import { pagerduty } from './pagerduty.ts';
import { razorpay } from './razorpay.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { sentry } from './sentry.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { sns } from './sns.ts';
import { square } from './square.ts';
import { stripe } from './stripe.ts';
import { svix } from './svix.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { typeform } from './typeform.ts';
import { vercel } from './vercel.ts';
import { webflow } from './webflow.ts';
import { woocommerce } from './woocommerce.ts';
import { workos } from './workos.ts';
import { zendesk } from './zendesk.ts';
import { zoom } from './zoom.ts';
import type { ProviderName } from './names.ts';
import type { Provider } from './provider.ts';

/** Every service by its name. */
export const CATALOGUE: Readonly<Record<ProviderName, Provider>> = {
  bitbucket,
  buildkite,
  calendly,
  circleci,
  clerk,
  'coinbase-commerce': coinbaseCommerce,
  discord,
  github,
  'gitlab-signed': gitlabSigned,
  gitlab,
  hubspot,
  intercom,
  jira,
  launchdarkly,
  'lemon-squeezy': lemonSqueezy,
  linear,
  mailgun,
  openai,
  paddle,
  pagerduty,
  razorpay,
  resend,
  sendgrid,
  sentry,
  shopify,
  slack,
  sns,
  square,
  stripe,
  svix,
  telegram,
  twilio,
  typeform,
  vercel,
  webflow,
  woocommerce,
  workos,
  zendesk,
  zoom,
};
