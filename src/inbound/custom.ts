import { invalidField } from '../kernel/errors.ts';
import { CATALOGUE } from './providers/catalogue.ts';
import { body, standard } from './providers/general.ts';
import type { ProviderName } from './providers/names.ts';
import { at, header, type Provider, type ProviderSample, type SampleValues } from './providers/provider.ts';
import type { WebhookSettings } from './schema.ts';
import type { SignatureSettings } from './schemes/signature-settings.ts';
import { behind, hmac } from './schemes/hmac.ts';
import type { Incoming, SchemeName, WayOfSigning } from './schemes/scheme.ts';
import { token } from './schemes/token.ts';

/** Who sends to a webhook: the scheme, and the service where it is a known one. */
export type Sender = { scheme: SchemeName; provider: ProviderName | undefined };

/** Schemes that belong to one service, which has their name. */
const isService = (name: string): name is ProviderName => Object.hasOwn(CATALOGUE, name);

/**
 * The sender that a caller has named, by a scheme, a service or both. Throws INVALID_REQUEST where they do not go together, and for a
 * scheme that several services use in ways of their own.
 */
export function senderOf({ scheme, provider }: { scheme?: SchemeName; provider?: ProviderName }): Sender {
  if (provider !== undefined) {
    const known = CATALOGUE[provider].scheme;
    if (scheme !== undefined && scheme !== known)
      throw invalidField('scheme', `is ${known} for the provider ${provider}`);
    return { scheme: known, provider };
  }
  const named = scheme ?? 'body';
  if (isService(named)) return { scheme: named, provider: named };
  const users = Object.values(CATALOGUE).filter((each) => each.scheme === named);
  if (named === 'ed25519' || named === 'ecdsa')
    throw invalidField('provider', `is required with ${named}: one of ${users.map(({ name }) => name).join(', ')}`);
  return { scheme: named, provider: undefined };
}

/** Rules for a sender. `settings` are those of the webhook, which only the schemes without a service of their own look at. */
export function rulesOf({ scheme, provider }: Sender, { signature }: WebhookSettings): Provider {
  if (provider !== undefined) return CATALOGUE[provider];
  if (scheme === 'body') return body;
  if (scheme === 'standard') return standard;
  if (signature === undefined) throw invalidField('signature', `is required with the scheme ${scheme}`);
  const own = {
    name: scheme,
    title: 'Own rules',
    scheme,
    makesSecret: true,
    eventType: at('/type'),
    sample: ownSample,
  } as const;
  return { ...own, ...(scheme === 'token' ? tokenOf(signature) : hmacOf(signature)) };
}

/** INVALID_REQUEST for settings that the sender does not have. */
export function requireSettings({ scheme, provider }: Sender, { signature }: WebhookSettings): void {
  const isOwn = provider === undefined && (scheme === 'hmac' || scheme === 'token');
  if (isOwn && signature === undefined) throw invalidField('signature', `is required with the scheme ${scheme}`);
  if (!isOwn && signature !== undefined)
    throw invalidField('signature', 'is for the schemes hmac and token without a provider');
  if (scheme !== 'token' || signature === undefined) return;
  const other = Object.keys(signature).find((name) => name !== 'header');
  if (other !== undefined)
    throw invalidField(`signature.${other}`, 'is for the scheme hmac; a token has a header alone');
}

/** An event of a sender that nobody here knows. */
const ownSample = ({ id, now }: SampleValues): ProviderSample => ({
  body: { type: 'sample.created', id, createdAt: now.toISOString(), data: { name: 'Ada', total: 12.5 } },
});

const tokenOf = ({ header: name }: SignatureSettings): WayOfSigning => token(name.toLowerCase());

function hmacOf({ header: name, prefix = '', template, timestampHeader, ...rule }: SignatureSettings): WayOfSigning {
  const text = template ?? (timestampHeader === undefined ? '{body}' : '{timestamp}.{body}');
  const idHeader = rule.idHeader?.toLowerCase();
  return hmac({
    header: name.toLowerCase(),
    algorithm: rule.algorithm ?? 'sha256',
    encoding: rule.encoding ?? 'hex',
    form: behind(prefix),
    ...(timestampHeader !== undefined && { timestampHeader: timestampHeader.toLowerCase() }),
    ...(rule.timestampUnit !== undefined && { timestampUnit: rule.timestampUnit }),
    ...(rule.toleranceSeconds !== undefined && { toleranceSeconds: rule.toleranceSeconds }),
    signed: (incoming, timestamp) => filled(text, incoming, { timestamp, idHeader }),
  });
}

const PART = /(\{(?:timestamp|body|url|id)\})/;

/** A template with its parts filled in. */
function filled(
  template: string,
  incoming: Incoming,
  { timestamp, idHeader }: { timestamp: string; idHeader: string | undefined },
): (string | Buffer)[] {
  const parts: Readonly<Record<string, string | Buffer>> = {
    '{timestamp}': timestamp,
    '{body}': incoming.bytes,
    '{url}': incoming.url,
    '{id}': (idHeader === undefined ? undefined : header(idHeader)(incoming)) ?? '',
  };
  return template.split(PART).map((part) => parts[part] ?? part);
}
