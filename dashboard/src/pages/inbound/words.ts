import type { InboundRequest, Webhook } from '../../api/client.ts';
import { PROVIDERS } from '../../lib/providers.ts';
import type { Tone } from '../../ui/status.tsx';

export const SCHEME_NAMES = ['standard', 'hmac', 'token', 'body'] as const;
export type SchemeChoice = (typeof SCHEME_NAMES)[number];

/** Senders that are not known services, by their authentication method. */
export const SCHEME_WORDS: Readonly<Record<SchemeChoice, { name: string; hint: string }>> = {
  standard: {
    name: 'Standard Webhooks',
    hint: 'Headers webhook-id, webhook-timestamp and webhook-signature',
  },
  hmac: { name: 'Custom HMAC', hint: 'You say which header holds the signature, and what is signed' },
  token: {
    name: 'Shared token',
    hint: 'The secret itself in a header. Use it only if the sender offers nothing else.',
  },
  body: { name: 'Signed body', hint: 'Your own program signs a body with id, timestamp, payload and signature' },
};

/** The sending service, or how your own sender authenticates. */
export function providerName({ provider, scheme }: Pick<Webhook, 'provider' | 'scheme'>): string {
  if (provider !== undefined) return PROVIDERS[provider];
  return SCHEME_NAMES.some((each) => each === scheme) ? SCHEME_WORDS[scheme as SchemeChoice].name : scheme;
}

export const WEBHOOK_STATES: Readonly<Record<Webhook['status'], { tone: Tone; word: string }>> = {
  active: { tone: 'delivered', word: 'Active' },
  disabled: { tone: 'held', word: 'Disabled' },
};

export const OUTCOME_CODES = ['received', 'repeated', 'refused'] as const;
export const OUTCOME_WORDS: Readonly<Record<InboundRequest['outcome'], { tone: Tone; word: string }>> = {
  received: { tone: 'delivered', word: 'Accepted' },
  repeated: { tone: 'pending', word: 'Duplicate' },
  refused: { tone: 'failed', word: 'Rejected' },
};

/** A rejected request that was accepted later has a message. */
export const isAcceptedLater = ({ outcome, messageId }: InboundRequest): boolean =>
  outcome === 'refused' && messageId !== undefined;

export const outcomeOf = (request: InboundRequest): { tone: Tone; word: string } =>
  OUTCOME_WORDS[isAcceptedLater(request) ? 'received' : request.outcome];

/** Why a request was rejected. */
export const REASONS: Readonly<Record<NonNullable<InboundRequest['reason']>, string>> = {
  secret_missing: 'No secret set',
  signature_missing: 'Missing signature',
  signature_malformed: 'Malformed signature',
  signature_wrong: 'Invalid signature',
  timestamp_stale: 'Timestamp out of range',
  body_invalid: "Body can't be parsed",
  mapping_failed: 'Mapping failed',
  payload_refused: 'Payload rejected by schema',
  webhook_disabled: 'Webhook disabled',
  app_suspended: 'App suspended',
  channel_archived: 'Channel archived',
  channel_deleted: 'Channel deleted',
  crashed: 'Internal error',
};

/** Turns the service's own words into a sentence, without the part that the reason already says. */
export function detailText(detail: string | undefined): string | undefined {
  const text = detail?.replace(/^signature: /, '');
  return text && `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
