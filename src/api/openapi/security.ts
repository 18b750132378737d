import type { Access } from '../http/route/route.ts';
import { type Scope, SCOPES } from '../../kernel/words/rights.ts';

/** Authentication schemes. `isSecure`: users connect over https, where the cookie has another name. */
export const securitySchemes = ({ isSecure }: { isSecure: boolean }): Record<string, unknown> => ({
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_live_… or svc_test_…',
    description: 'An API key: `Authorization: Bearer svc_live_…`.',
  },
  accessToken: {
    type: 'oauth2',
    description: 'An access token of a machine credential: `Authorization: DPoP …`, together with a proof (RFC 9449).',
    flows: {
      clientCredentials: {
        tokenUrl: '/oauth/token',
        scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_TEXTS[scope]])),
      },
    },
  },
  proof: {
    type: 'apiKey',
    in: 'header',
    name: 'DPoP',
    description:
      'The proof (RFC 9449) that an access token requires: a JWT for this one request, signed with the key of the client.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: `${isSecure ? '__Host-' : ''}posthorn-session`,
    description:
      'The session of a signed-in user (POST /v1/sign-in). The header `Posthorn-Organisation` says where the user acts; within an environment, use `Posthorn-App` and `Posthorn-Environment` (`live` or `test`) instead. Browsers may send changes only from pages of the service.',
  },
});

/** The schemes that a route accepts. Every one has the scope, because sessions have the scopes of the user's role. */
export function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  if (typeof access === 'string') return [{ session: [] }];
  const { scope, level } = access;
  if (level === 'organisation') return [{ session: [scope] }];
  return [{ apiKey: [scope] }, { accessToken: [scope], proof: [] }, { session: [scope] }];
}

/** What a scope allows. */
const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'channels:read': 'Reads channels and their schemas.',
  'channels:write': 'Creates, changes and deletes channels.',
  'messages:read': 'Reads messages and follows streams.',
  'messages:write': 'Publishes, cancels and erases messages.',
  'subscriptions:read': 'Reads subscriptions and their replays.',
  'subscriptions:write': 'Creates, changes, deletes and replays subscriptions, and reads their signing secrets.',
  'deliveries:read': 'Reads deliveries and their attempts.',
  'dlq:read': 'Reads dead letters and their replays.',
  'dlq:write': 'Replays and discards dead letters, and retries deliveries.',
  'credentials:write':
    'Reads, creates, changes and revokes API keys and machine credentials, and creates, changes and deletes secrets and connections of workflows.',
  'apps:read': 'Reads apps and the organisation.',
  'apps:write': 'Creates and changes apps, and renames the organisation.',
  'audit:read': 'Reads the audit log.',
  'workflows:read': 'Reads workflows, their runs and the catalogue of connectors.',
  'workflows:write': 'Creates, changes, activates, pauses and deletes workflows, and starts, cancels and retries runs.',
  'webhooks:read': 'Reads inbound webhooks and their log of rejected requests.',
  'webhooks:write': 'Creates, changes and deletes inbound webhooks, and reads their secrets.',
};
