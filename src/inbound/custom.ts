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

/** The sender of a webhook's requests: its scheme, and its provider if it is a known service. */
export type Sender = { scheme: SchemeName; provider: ProviderName | undefined };

/** Whether a scheme belongs to a single service and has its name. */
const isService = (name: string): name is ProviderName => Object.hasOwn(CATALOGUE, name);

/**
 * Returns the sender for a scheme, a provider or both. Throws INVALID_REQUEST if they do not match, or if the scheme
 * needs a provider because each service uses it differently.
 */
export function senderOf({ scheme, provider }: { scheme?: SchemeName; provider?: ProviderName }): Sender {
  if (provider !== undefined) {
    const known = CATALOGUE[provider].scheme;
    if (scheme !== undefined && scheme !== known)
      throw invalidField('scheme', `must be ${known} for the provider ${provider}`);
    return { scheme: known, provider };
  }
  const named = scheme ?? 'body';
  if (isService(named)) return { scheme: named, provider: named };
  const users = Object.values(CATALOGUE).filter((each) => each.scheme === named);
  if (named === 'ed25519' || named === 'ecdsa')
    throw invalidField('provider', `is required with ${named}: one of ${users.map(({ name }) => name).join(', ')}`);
  return { scheme: named, provider: undefined };
}

/** Returns the rules for a sender. `settings` are those of the webhook; only schemes without a provider use them. */
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

/** Throws INVALID_REQUEST for settings that do not apply to the sender. */
export function requireSettings({ scheme, provider }: Sender, { signature }: WebhookSettings): void {
  const isOwn = provider === undefined && (scheme === 'hmac' || scheme === 'token');
  if (isOwn && signature === undefined) throw invalidField('signature', `is required with the scheme ${scheme}`);
  if (!isOwn && signature !== undefined)
    throw invalidField('signature', 'is only allowed with the schemes hmac and token without a provider');
  if (scheme !== 'token' || signature === undefined) return;
  const other = Object.keys(signature).find((name) => name !== 'header');
  if (other !== undefined)
    throw invalidField(`signature.${other}`, 'is only allowed with the scheme hmac; a token only has a header');
}

/** A sample event for senders that are not in the catalogue. */
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

/** Returns the parts of a template with its placeholders filled in. */
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
