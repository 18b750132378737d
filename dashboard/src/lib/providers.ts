import type { CreateWebhook, Webhook } from '../../../client/src/index.ts';

export type ProviderName = NonNullable<CreateWebhook['provider']>;

/** Services whose requests need no further settings, by the name that people know. */
export const PROVIDERS: Readonly<Record<ProviderName, string>> = {
  bitbucket: 'Bitbucket',
  buildkite: 'Buildkite',
  calendly: 'Calendly',
  circleci: 'CircleCI',
  clerk: 'Clerk',
  'coinbase-commerce': 'Coinbase Commerce',
  discord: 'Discord',
  github: 'GitHub',
  'gitlab-signed': 'GitLab (signing token)',
  gitlab: 'GitLab',
  hubspot: 'HubSpot',
  intercom: 'Intercom',
  jira: 'Jira',
  launchdarkly: 'LaunchDarkly',
  'lemon-squeezy': 'Lemon Squeezy',
  linear: 'Linear',
  mailgun: 'Mailgun',
  openai: 'OpenAI',
  paddle: 'Paddle',
  pagerduty: 'PagerDuty',
  razorpay: 'Razorpay',
  resend: 'Resend',
  sendgrid: 'SendGrid',
  sentry: 'Sentry',
  shopify: 'Shopify',
  slack: 'Slack',
  sns: 'Amazon SNS',
  square: 'Square',
  stripe: 'Stripe',
  svix: 'Svix',
  telegram: 'Telegram',
  twilio: 'Twilio',
  typeform: 'Typeform',
  vercel: 'Vercel',
  webflow: 'Webflow',
  woocommerce: 'WooCommerce',
  workos: 'WorkOS',
  zendesk: 'Zendesk',
  zoom: 'Zoom',
};

/** The service that sends, or how a sender of one's own proves itself. */
export const senderOf = ({ provider, scheme }: Webhook): string =>
  provider === undefined ? scheme : PROVIDERS[provider];
