import {
  bitbucket,
  buildkite,
  circleci,
  github,
  gitlabSigned,
  jira,
  launchdarkly,
  linear,
  pagerduty,
  sentry,
  vercel,
  gitlab,
} from './development.ts';
import { calendly, hubspot, intercom, typeform, webflow, zendesk } from './business.ts';
import { clerk, openai, workos, sns, svix } from './general.ts';
import { coinbaseCommerce, lemonSqueezy, paddle, razorpay, shopify, square, stripe, woocommerce } from './commerce.ts';
import { discord, mailgun, resend, sendgrid, slack, telegram, twilio, zoom } from './messaging.ts';
import type { ProviderName } from './names.ts';
import type { Provider } from './provider.ts';

/** All known services by name. */
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
