import type { SECRETS } from './reading.ts';
import type { variables } from './variables.ts';

/** Headings under which docs/reference/settings.md lists the settings, in this order. */
export const SETTING_TOPICS = [
  'Server',
  'Database',
  'Temporal',
  'Security',
  'Delivery',
  'Mail and sign-in',
  'Observability',
] as const;

export type SettingDescription = {
  topic: (typeof SETTING_TOPICS)[number];
  text: string;
  /** What happens if it is not set, unless the default of its schema says it. Markdown. */
  unset?: string;
};

type SecretFile = `${(typeof SECRETS)[number]}_FILE`;

/** Every setting except the `<NAME>_FILE` of a secret, in the order of the reference. The texts are Markdown. */
export const SETTING_DESCRIPTIONS: Readonly<
  Record<Exclude<keyof typeof variables.shape, SecretFile>, SettingDescription>
> = {
  PORT: {
    topic: 'Server',
    text: 'Port of the API; 0 picks a free one. If 3000 is in use and `PORT` is not set, `start` uses the next free port; a port that you set must be free.',
    unset: '`3000`',
  },
  LISTEN_HOST: {
    topic: 'Server',
    text: 'Address at which the API and the metrics port listen, for example `127.0.0.1` behind a proxy on the same machine.',
    unset: 'all addresses',
  },
  PUBLIC_BASE_URL: {
    topic: 'Server',
    text: 'URL at which clients reach the API. Access tokens and DPoP proofs contain it, and its host is the relying party of passkeys.',
    unset: '`http://localhost:3000`, with the port of `PORT`',
  },
  DASHBOARD: {
    topic: 'Server',
    text: '`off` stops the API from serving the pages at `/dashboard/`. Signing in through the API still works.',
    unset: '`on`',
  },
  DASHBOARD_URL: {
    topic: 'Server',
    text: 'URL of a dashboard that you host elsewhere: https, and on the same site as `PUBLIC_BASE_URL`. Only its pages may then act for signed-in users from another origin, and its host becomes the relying party of passkeys.',
  },
  TRUSTED_PROXY_HOPS: {
    topic: 'Server',
    text: 'Number of proxies in front that append to `X-Forwarded-For`, 0 to 10. With 0 the client address is that of the connection.',
  },
  PROCESSES: {
    topic: 'Server',
    text: 'Service processes of one `start`, `api` or `worker` command, 1 to 64. `auto` is half of the usable cores, at least 1.',
  },
  DATA_FOLDER: {
    topic: 'Server',
    text: 'Folder in which `start` keeps its embedded servers, keys and state.',
  },

  DATABASE_URL: {
    topic: 'Database',
    text: '`postgresql://user:password@host:5432/name`. Required by `api`, `worker` and `migrate`.',
    unset: '`start` runs its own PostgreSQL',
  },
  DIRECT_DATABASE_URL: {
    topic: 'Database',
    text: 'URL of PostgreSQL itself when `DATABASE_URL` is PgBouncer in transaction mode.',
  },
  DATABASE_POOL_DELIVERY: {
    topic: 'Database',
    text: 'Connections of one service process for publishing, claiming and recording, 8 to 1000.',
    unset: '20, less with more than three processes',
  },
  DATABASE_POOL_API: {
    topic: 'Database',
    text: 'Connections of one service process for all other API requests, 4 to 1000.',
    unset: '10, less with more than three processes',
  },
  REDIS_URL: {
    topic: 'Database',
    text: '`redis://…` or `rediss://…`. All API processes then share their rate-limit counters.',
    unset: 'each `start` or `api` command counts by itself',
  },

  TEMPORAL_ADDRESS: {
    topic: 'Temporal',
    text: '`host:port` of the Temporal frontend. Required by `worker`.',
    unset: '`start` runs its own server',
  },
  TEMPORAL_NAMESPACE: {
    topic: 'Temporal',
    text: 'Namespace. A worker creates it if it is missing and the server allows that.',
  },
  TEMPORAL_UI_URL: {
    topic: 'Temporal',
    text: 'URL of the Temporal UI in a browser, for example `http://localhost:8233`. The dashboard then links attempts and runs to their Temporal workflows.',
  },
  TEMPORAL_API_KEY: { topic: 'Temporal', text: 'API key for Temporal Cloud. Turns TLS on.' },
  TEMPORAL_TLS: {
    topic: 'Temporal',
    text: 'Uses TLS with the certificate authorities of the system. Each of the next four settings turns TLS on as well.',
  },
  TEMPORAL_TLS_CA_FILE: { topic: 'Temporal', text: "PEM file of the authority that signed the server's certificate." },
  TEMPORAL_TLS_CERT_FILE: {
    topic: 'Temporal',
    text: 'PEM file of the client certificate. Requires `TEMPORAL_TLS_KEY_FILE`.',
  },
  TEMPORAL_TLS_KEY_FILE: { topic: 'Temporal', text: "PEM file of the client certificate's private key." },
  TEMPORAL_TLS_SERVER_NAME: {
    topic: 'Temporal',
    text: "Name that the server's certificate must contain.",
    unset: 'the host of `TEMPORAL_ADDRESS`',
  },
  TEMPORAL_CODEC_KEYS: {
    topic: 'Temporal',
    text: 'Keys that encrypt what Temporal stores: `<name>:<base64 of 32 bytes>`, separated by commas. The first key encrypts, all of them decrypt. See [Encrypt what Temporal stores](../operate/temporal.md#encrypt-what-temporal-stores).',
    unset: 'not encrypted',
  },
  TEMPORAL_CLI: {
    topic: 'Temporal',
    text: 'Path of the `temporal` command, which runs the embedded server.',
    unset: 'found on the PATH or in the cache, else downloaded, else built by `go install`',
  },

  ENCRYPTION_KEYS: {
    topic: 'Security',
    text: 'Keys that encrypt secrets in PostgreSQL: `<name>:<base64 of 32 bytes>`, separated by commas. The first key encrypts, all of them decrypt. See [Keys and secrets](../operate/keys-and-secrets.md).',
    unset: '`start` creates one in `DATA_FOLDER/keys`',
  },
  WEBHOOK_ALLOW_CIDRS: {
    topic: 'Security',
    text: 'Address ranges that webhooks may reach although they are not public, for example `10.1.0.0/16,fd12:3456::/48`.',
    unset: 'none; `127.0.0.0/8,::1/128` for an embedded `start`',
  },
  ALLOW_HTTP_WEBHOOKS: {
    topic: 'Security',
    text: 'Allows webhooks over plain http.',
    unset: '`false`; `true` for an embedded `start`',
  },
  ALLOW_HTTP_SIGN_IN: {
    topic: 'Security',
    text: 'Allows users on other machines to sign in over plain http. On the same machine they always may.',
  },
  DPOP_NONCES: {
    topic: 'Security',
    text: "Requires each DPoP proof to contain a nonce from one of the service's earlier responses.",
  },

  DELIVERY_BURST_THRESHOLD: {
    topic: 'Delivery',
    text: 'When to switch to the direct path: once more first attempts than this are due for one subscription, or five times as many in total. `0` always uses the direct path (lowest latency); `off` never does. See [Workflow path and direct path](../operate/temporal.md#workflow-path-and-direct-path).',
    unset: '`100`, or when a Temporal workflow does not start within 50 ms',
  },
  DELIVERIES_IN_FLIGHT: {
    topic: 'Delivery',
    text: 'Requests to receivers in flight in one worker process, 10 to 100000.',
    unset: "one for each 640 KiB of the process's share of memory, at most a third of the open-file limit; 10 to 8000",
  },

  SMTP_URL: {
    topic: 'Mail and sign-in',
    text: '`smtp://user:password@host:587` or `smtps://…`. Invitations and password-reset links are then sent by mail. To allow a connection without TLS, append `?requireTLS=false`.',
    unset: 'links are only shown',
  },
  MAIL_FROM: {
    topic: 'Mail and sign-in',
    text: 'Sender of these mails, for example `Posthorn <posthorn@example.com>`. Required with `SMTP_URL`.',
  },
  OIDC_ISSUER: {
    topic: 'Mail and sign-in',
    text: 'Issuer URL of the OpenID provider through which users sign in. See [Manage access](../guides/manage-access.md).',
    unset: 'no single sign-on',
  },
  OIDC_CLIENT_ID: {
    topic: 'Mail and sign-in',
    text: 'Client id of this service at the provider. Required with `OIDC_ISSUER`.',
  },
  OIDC_CLIENT_SECRET: { topic: 'Mail and sign-in', text: 'Client secret. A public client has none.' },
  OIDC_NAME: { topic: 'Mail and sign-in', text: 'Label of the sign-in button.' },
  OIDC_SCOPES: {
    topic: 'Mail and sign-in',
    text: 'Scopes to request, separated by single spaces. `openid` is required.',
  },
  OIDC_GROUPS_CLAIM: { topic: 'Mail and sign-in', text: 'Claim that lists the groups of a user.' },
  OIDC_ROLES: {
    topic: 'Mail and sign-in',
    text: 'Roles that groups grant: `ops=admin,staff=viewer@org_…`. An entry without an organisation id applies to the first organisation.',
  },
  OIDC_ONLY: {
    topic: 'Mail and sign-in',
    text: 'Disables passwords and passkeys for everyone except owners of the first organisation.',
  },
  OIDC_TRUST_EMAIL: {
    topic: 'Mail and sign-in',
    text: 'Treats email addresses as verified even if the provider sends no `email_verified`. Only safe if users cannot choose their address at the provider.',
  },

  LOG_LEVEL: {
    topic: 'Observability',
    text: 'Lowest level that is written: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    unset: '`info`; `warn` for `start`',
  },
  METRICS_PORT: {
    topic: 'Observability',
    text: 'Port of `/metrics`, `/healthz` and `/readyz`, without authentication, 1 to 65535. Keep it inside your network.',
    unset: 'nothing is counted or served',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    topic: 'Observability',
    text: 'URL of an OpenTelemetry collector, for example `http://collector:4318`. Traces are exported there.',
    unset: 'no traces',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    topic: 'Observability',
    text: 'The same for traces only, with the full path: `http://collector:4318/v1/traces`.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    topic: 'Observability',
    text: 'Headers for the collector: `name=value`, separated by commas and percent-encoded.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { topic: 'Observability', text: 'Only `http/protobuf` is supported.' },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    topic: 'Observability',
    text: 'The same for traces only.',
  },
  OTEL_TRACES_EXPORTER: { topic: 'Observability', text: '`otlp`, or `none` to turn traces off.' },
  OTEL_TRACES_SAMPLER: {
    topic: 'Observability',
    text: '`always_on`, `always_off` or `traceidratio`, each also with the prefix `parentbased_`.',
    unset: 'traces that the caller samples, and up to ten others per second in each process',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    topic: 'Observability',
    text: 'Fraction of traces that `traceidratio` samples, 0 to 1.',
  },
  OTEL_SERVICE_NAME: { topic: 'Observability', text: '`service.name` of the spans.', unset: '`posthorn`' },
  OTEL_RESOURCE_ATTRIBUTES: {
    topic: 'Observability',
    text: 'Further attributes of the process: `name=value`, separated by commas.',
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    topic: 'Observability',
    text: 'Maximum number of spans waiting for export.',
    unset: '2048',
  },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: {
    topic: 'Observability',
    text: 'Maximum number of spans in one export.',
    unset: '512',
  },
  OTEL_BSP_SCHEDULE_DELAY: { topic: 'Observability', text: 'Milliseconds between exports.', unset: '5000' },
  OTEL_SDK_DISABLED: {
    topic: 'Observability',
    text: '`true` turns traces off, whatever else is set.',
  },
};
