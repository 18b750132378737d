import { describe, expect, test } from '@jest/globals';
import { childEnvironment, SETTINGS } from './config.ts';
import { misspeltSetting, unknownSettings } from './setting-names.ts';

const meantBy = (name: string, source: 'own file' | 'environment' = 'environment'): string | undefined =>
  misspeltSetting({ [name]: 'x' }, SETTINGS, source)?.meant;

// Old mechanism: every one of these was ignored without a word, and the service ran with the default.
test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASE_URL_FIEL', 'DATABASE_URL_FILE'],
  ['TEMPORAL_ADRESS', 'TEMPORAL_ADDRESS'],
  ['TEMPORAL_NAMESPCAE', 'TEMPORAL_NAMESPACE'],
  ['TEMPORAL_TLS_CERTFILE', 'TEMPORAL_TLS_CERT_FILE'],
  ['REDIS_ULR', 'REDIS_URL'],
  ['ENCRIPTION_KEYS', 'ENCRYPTION_KEYS'],
  ['TRUSTED_PROXY_HOP', 'TRUSTED_PROXY_HOPS'],
  ['WEBHOOK_ALLOW_CIDR', 'WEBHOOK_ALLOW_CIDRS'],
  ['WEBHOOKS_ALLOW_CIDRS', 'WEBHOOK_ALLOW_CIDRS'],
  ['ALLOW_HTTP_WEBHOOK', 'ALLOW_HTTP_WEBHOOKS'],
  ['LOG_LEVLE', 'LOG_LEVEL'],
  ['PUBLIC_BASEURL', 'PUBLIC_BASE_URL'],
])('%s means %s, in the environment and in .env', (name, meant) => {
  expect([meantBy(name), meantBy(name, 'own file')]).toEqual([meant, meant]);
});

test.each(['PROT', 'PORTT', 'LOGLEVEL', 'DATABASE_URI', 'REDIS_URI', 'ENCRYPTION_KEY'])(
  '%s is a mistake in .env, which is ours, and may be another program’s in the environment',
  (name) => {
    expect(meantBy(name, 'own file')).toBeDefined();
    expect(meantBy(name)).toBeUndefined();
  },
);

test('a setting that is also set under its own name was not misspelt, and an empty one is not set', () => {
  expect(misspeltSetting({ ENCRYPTION_KEYZ: 'x', ENCRYPTION_KEYS: 'a:b' }, SETTINGS, 'own file')).toBeUndefined();
  expect(misspeltSetting({ ENCRYPTION_KEYZ: '', LOG_LEVEL: '' }, SETTINGS, 'own file')).toBeUndefined();
});

describe('a start is not prevented by', () => {
  /** Each line is a name that one system or program puts into the environment of a process. */
  const environments: Record<string, string> = {
    Kubernetes: `KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_PROTO
      KUBERNETES_PORT_443_TCP_PORT KUBERNETES_PORT_443_TCP_ADDR HOSTNAME POD_NAME POD_IP POD_NAMESPACE NODE_NAME`,
    'Kubernetes with services of our names': `REDIS_PORT REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_PORT_6379_TCP REDIS_PORT_6379_TCP_ADDR POSTHORN_PORT POSTHORN_SERVICE_HOST
      POSTHORN_SERVICE_PORT POSTHORN_SERVICE_PORT_HTTP POSTHORN_PORT_3000_TCP_PROTO TEMPORAL_PORT TEMPORAL_SERVICE_HOST TEMPORAL_UI_PORT TEMPORAL_UI_SERVICE_PORT DATABASE_PORT DATABASE_SERVICE_HOST`,
    "Temporal's tools": `TEMPORAL_CLI_ADDRESS TEMPORAL_CLI_NAMESPACE TEMPORAL_CLI_TLS_CA TEMPORAL_CLI_TLS_CERT TEMPORAL_CLI_TLS_KEY TEMPORAL_CLI_AUTH TEMPORAL_ENV TEMPORAL_CONFIG_FILE TEMPORAL_PROFILE
      TEMPORAL_CODEC_ENDPOINT TEMPORAL_CODEC_AUTH TEMPORAL_TLS_CA TEMPORAL_TLS_CA_DATA TEMPORAL_TLS_CERT TEMPORAL_TLS_CERT_DATA TEMPORAL_TLS_KEY TEMPORAL_TLS_KEY_DATA TEMPORAL_TLS_CLIENT_CERT_PATH TEMPORAL_TLS_CLIENT_KEY_PATH
      TEMPORAL_TLS_SERVER_CA_CERT_PATH TEMPORAL_TLS_DISABLE_HOST_VERIFICATION TEMPORAL_GRPC_META_X TEMPORAL_CLOUD_API_KEY TEMPORAL_CORS_ORIGINS TEMPORAL_UI_PORT TEMPORAL_CSRF_COOKIE_INSECURE TEMPORAL_BROADCAST_ADDRESS`,
    systemd: `LISTEN_FDS LISTEN_PID LISTEN_FDNAMES NOTIFY_SOCKET WATCHDOG_PID WATCHDOG_USEC INVOCATION_ID JOURNAL_STREAM MAINPID MANAGERPID SYSTEMD_EXEC_PID MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE
      RUNTIME_DIRECTORY STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY CONFIGURATION_DIRECTORY CREDENTIALS_DIRECTORY LANG LOGNAME SHELL USER HOME PATH`,
    npm: `npm_config_user_agent npm_lifecycle_event npm_package_name npm_node_execpath npm_execpath npm_command npm_config_cache NODE COLOR EDITOR INIT_CWD NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS`,
    'GitHub Actions': `CI GITHUB_ACTION GITHUB_ACTIONS GITHUB_ACTOR GITHUB_API_URL GITHUB_BASE_REF GITHUB_ENV GITHUB_EVENT_NAME GITHUB_EVENT_PATH GITHUB_GRAPHQL_URL GITHUB_HEAD_REF GITHUB_JOB GITHUB_OUTPUT GITHUB_PATH GITHUB_REF
      GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_SERVER_URL GITHUB_SHA GITHUB_STEP_SUMMARY GITHUB_TOKEN GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP RUNNER_TOOL_CACHE ACTIONS_RUNTIME_URL ACTIONS_CACHE_URL`,
    'shells, terminals and remote logins': `PWD OLDPWD SHLVL TERM COLORTERM DISPLAY SSH_AUTH_SOCK SSH_CLIENT SSH_CONNECTION SSH_TTY XDG_RUNTIME_DIR XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS HOST HOSTNAME PORTS POST PART SPORT TZ LC_ALL LS_COLORS MAIL`,
    'proxies, clouds and other programs': `HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY AWS_REGION AWS_PROFILE AWS_ACCESS_KEY_ID GOOGLE_CLOUD_PROJECT DYNO HEROKU_APP_NAME RENDER_EXTERNAL_URL FLY_APP_NAME
      RAILWAY_PUBLIC_DOMAIN PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB DATABASE_HOST DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_SSL DATABASE_URI REDIS_HOST REDIS_PASSWORD
      REDIS_DB REDIS_USER REDIS_TLS REDIS_SSL REDIS_TLS_URL LOGLEVEL RUST_LOG DEBUG BASE_URL PUBLIC_URL DATA_DIR DATA_PATH ENCRYPTION_KEY API_KEY LOG_FORMAT LOG_FILE`,
  };
  const valueOf = (name: string): string => (name.endsWith('_PORT') ? 'tcp://10.0.0.1:6379' : 'x');

  test.each(Object.entries(environments))('names in the environment of %s', (_, names) => {
    const variables = Object.fromEntries(names.split(/\s+/).map((name) => [name, valueOf(name)]));
    expect(misspeltSetting(variables, SETTINGS, 'environment')).toBeUndefined();
  });

  test('the environment of this very process', () => {
    expect(misspeltSetting(childEnvironment(), SETTINGS, 'environment')).toBeUndefined();
  });
});

test('names with our prefixes are listed, except those of services and the demo', () => {
  const variables = {
    POSTHORN_COLOUR: 'red',
    POSTHORN_PORT: 'tcp://10.0.0.1:3000',
    POSTHORN_SERVICE_HOST: '10.0.0.1',
    POSTHORN_URL: 'http://localhost:3000',
    POSTHORN_TEST_TEMPLATE: 'x',
    TEMPORAL_ENV: 'prod',
    ENCRYPTION_KEY: 'x',
    LOG_LEVEL: 'info',
    EMPTY: '',
    PATH: '/bin',
  };
  expect(unknownSettings(variables, SETTINGS)).toEqual(['POSTHORN_COLOUR', 'TEMPORAL_ENV', 'ENCRYPTION_KEY']);
});
