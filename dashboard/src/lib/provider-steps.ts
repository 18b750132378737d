import type { ProviderName } from './providers.ts';

type Steps = {
  /** Where users of the provider enter an address, in the terms of its own pages. */
  place: string;
  /** The provider's name for the secret. */
  secret: string;
  /** The provider generates the secret and shows it. Otherwise its user chooses one. */
  isShown: boolean;
};

const shown = (place: string, secret = 'Signing secret'): Steps => ({ place, secret, isShown: true });
const chosen = (place: string, secret = 'Secret'): Steps => ({ place, secret, isShown: false });

/** Setup steps for each provider. Providers change their pages, so these are names to look for, not exact paths. */
export const PROVIDER_STEPS: Readonly<Record<ProviderName, Steps>> = {
  bitbucket: chosen('Repository settings → Webhooks → Add webhook'),
  buildkite: shown('Organization Settings → Notification Services → Webhook', 'Token'),
  calendly: shown('API → POST /webhook_subscriptions', 'signing_key'),
  circleci: chosen('Project Settings → Webhooks → Add Webhook', 'Secret token'),
  clerk: shown('Configure → Webhooks → Add Endpoint'),
  'coinbase-commerce': shown('Settings → Notifications → Webhook subscriptions', 'Shared secret'),
  discord: shown('Developer Portal → Application → Webhooks', 'Public Key'),
  github: chosen('Settings → Webhooks → Add webhook (application/json)'),
  'gitlab-signed': shown('Settings → Webhooks → Add new webhook', 'Signing token'),
  gitlab: chosen('Settings → Webhooks → Add new webhook', 'Secret token'),
  hubspot: shown('Developer account → App → Webhooks', 'Client secret'),
  intercom: shown('Developer Hub → App → Webhooks', 'Client secret'),
  jira: chosen('System → WebHooks → Create a WebHook'),
  launchdarkly: chosen('Integrations → Webhooks → Sign this webhook'),
  'lemon-squeezy': chosen('Settings → Webhooks', 'Signing secret'),
  linear: shown('Settings → API → Webhooks → New webhook'),
  mailgun: shown('Send → Webhooks', 'HTTP webhook signing key'),
  openai: shown('Settings → Project → Webhooks → Create'),
  paddle: shown('Developer Tools → Notifications → New destination', 'Secret key'),
  pagerduty: shown('Integrations → Generic Webhooks (v3) → New Webhook'),
  razorpay: chosen('Account & Settings → Webhooks → Add New Webhook'),
  resend: shown('Webhooks → Add Webhook'),
  sendgrid: shown('Settings → Mail Settings → Event Webhook → Signed Event Webhook', 'Verification Key'),
  sentry: shown('Settings → Custom Integrations → Internal Integration', 'Client Secret'),
  shopify: shown('Settings → Notifications → Webhooks → Create webhook', 'Your webhooks will be signed with'),
  slack: shown('api.slack.com/apps → App → Event Subscriptions → Request URL'),
  sns: shown('Amazon SNS → Topics → Create subscription (HTTPS)', 'ARN'),
  square: shown('Developer Console → Webhooks → Subscriptions', 'Signature key'),
  stripe: shown('Workbench → Webhooks → Add destination'),
  svix: shown('Endpoints → Add Endpoint'),
  telegram: chosen('Bot API → setWebhook', 'secret_token'),
  twilio: shown('Console → Phone Numbers → Webhook', 'Auth Token'),
  typeform: chosen('Form → Connect → Webhooks'),
  vercel: shown('Team Settings → Webhooks → Create Webhook', 'Secret'),
  webflow: shown('Site settings → Apps & integrations → Webhooks', 'Secret key'),
  woocommerce: chosen('WooCommerce → Settings → Advanced → Webhooks'),
  workos: shown('Webhooks → Create Webhook', 'Secret'),
  zendesk: shown('Admin Center → Apps and integrations → Webhooks'),
  zoom: shown('App Marketplace → App → Feature → Event Subscriptions', 'Secret Token'),
};
