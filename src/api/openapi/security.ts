import type { Access } from '../http/route/route.ts';
import { type Scope, SCOPES } from '../../kernel/words/rights.ts';

/** Ways to say who asks. `isSecure`: people come over https, where the cookie has another name. */
export const securitySchemes = ({ isSecure }: { isSecure: boolean }): Record<string, unknown> => ({
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_live_… or svc_test_…',
    description: 'An API key: `Authorization: Bearer svc_live_…`.',
  },
  accessToken: {
    type: 'oauth2',
    description:
      'An access token of a machine credential: `Authorization: DPoP …`, with a proof of RFC 9449 beside it.',
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
      'A proof of RFC 9449, which an access token needs: a JWT for this one request, signed with the key of the client.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: `${isSecure ? '__Host-' : ''}posthorn-session`,
    description:
      'The session of a person who is signed in (POST /v1/sign-in). `Posthorn-Organisation` says where the person acts; in an environment `Posthorn-App` and `Posthorn-Environment` do. A browser must say that a page of the service has sent what changes something.',
  },
});

/** Which of them a route takes. Scopes stand beside every one: sessions have those of the person's role. */
export function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  if (typeof access === 'string') return [{ session: [] }];
  const { scope, level } = access;
  if (level === 'organisation') return [{ session: [scope] }];
  return [{ apiKey: [scope] }, { accessToken: [scope], proof: [] }, { session: [scope] }];
}

/** The right that a scope gives. */
const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'channels:read': 'Reads channels and their schemas.',
  'channels:write': 'Makes, changes and deletes channels.',
  'messages:read': 'Reads messages and follows streams.',
  'messages:write': 'Publishes, cancels and erases messages.',
  'subscriptions:read': 'Reads subscriptions and their replays.',
  'subscriptions:write': 'Makes, changes, deletes and replays subscriptions, and reads their signing secrets.',
  'deliveries:read': 'Reads deliveries and their attempts.',
  'dlq:read': 'Reads dead letters and their replays.',
  'dlq:write': 'Replays and discards dead letters, and retries deliveries.',
  'credentials:write':
    'Reads, makes, changes and revokes API keys and machine credentials, and makes, changes and deletes secrets and connections of workflows.',
  'apps:read': 'Reads apps and the organisation.',
  'apps:write': 'Makes and changes apps, and renames the organisation.',
  'audit:read': 'Reads the audit log.',
  'workflows:read': 'Reads workflows, their runs and the catalogue of connectors.',
  'workflows:write': 'Makes, changes, activates, pauses and deletes workflows, and starts, cancels and retries runs.',
  'webhooks:read': 'Reads inbound webhooks and the log of what they refused.',
  'webhooks:write': 'Makes, changes and deletes inbound webhooks, and reads their secrets.',
};
