import { endpointOf, type Written } from '../api/requests.ts';
import { secretsOf } from './secret-members.ts';

/**
 * Returns the request as a shell command, with variables in place of the key and every secret. Returns undefined if no
 * API key may send it.
 */
export function curlLine(written: Written): string | undefined {
  const endpoint = endpointOf(written);
  if (endpoint === undefined || endpoint.isPersonal === true) return undefined;
  const { method, url, body, isKeyed } = written;
  return [
    `curl -sS --fail-with-body${method === 'POST' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(endpoint.isPublic === true ? [] : ['-H "Authorization: Bearer $POSTHORN_KEY"']),
    ...(isKeyed ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `--data-raw ${bodyText(body, endpoint.path.startsWith('/v1/secrets'))}`,
        ]),
    // curl sends a GET if there is no body.
    ...(method === 'POST' && body === undefined ? ['-X POST'] : []),
  ].join(' \\\n  ');
}

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns the body digit for digit, with a variable in place of each secret. */
function bodyText(body: string, isOfSecret: boolean): string {
  let at = 0;
  let text = '';
  for (const { from, to, variable } of secretsOf(body, isOfSecret)) {
    text += `${quoted(body.slice(at, from))}"$${variable}"`;
    at = to;
  }
  return text + quoted(body.slice(at));
}

type Given = Readonly<Record<string, unknown>>;
const option = (name: string, value: unknown): string =>
  typeof value === 'string' && value !== '' ? ` --${name} ${quoted(value)}` : '';

/** Commands of Posthorn's own command line, by method and path. For everything else use curl. */
const COMMANDS: Readonly<Record<string, (id: string, body: Given, target: CommandTarget) => string | undefined>> = {
  'POST /v1/api-keys': (_, body, target) => `keys create${at(target)}${credentialOptions(body)}`,
  'DELETE /v1/api-keys/:apiKeyId': (id) => `keys revoke ${id}`,
  'POST /v1/machine-credentials': (_, body, target) =>
    `machine-credentials create${at(target)}${credentialOptions(body)}`,
  'DELETE /v1/machine-credentials/:machineCredentialId': (id) => `machine-credentials revoke ${id}`,
  'POST /v1/apps': (_, { name, slug, organisationId }) =>
    `apps create${option('name', name)}${option('slug', slug)}${option('organisation', organisationId)}`,
  'PATCH /v1/apps/:appId': (id, { status }) =>
    status === 'suspended' ? `apps suspend ${id}` : status === 'active' ? `apps activate ${id}` : undefined,
  'POST /v1/organisations/:organisationId/invitations': (id, { email, role }) =>
    typeof email === 'string'
      ? `members invite ${quoted(email)}${option('role', role)} --organisation ${id}`
      : undefined,
};

/** Returns the environment in which a command runs, or undefined outside environments. */
type CommandTarget = { appId: string; environment: string } | undefined;

const at = (target: CommandTarget): string =>
  target === undefined ? '' : ` --env ${target.environment} --app ${target.appId}`;
const credentialOptions = ({ name, tier, scopes }: Given): string =>
  `${option('name', name)}${option('tier', tier)}${Array.isArray(scopes) ? option('scopes', scopes.join(',')) : ''}`;

/** Returns the request as a command of Posthorn's own command line, or undefined if it has no such command. */
export function commandLine(written: Written, target: CommandTarget): string | undefined {
  const endpoint = endpointOf(written);
  if (endpoint === undefined) return undefined;
  const segment = endpoint.path.split('/').findIndex((part) => part.startsWith(':'));
  const own = new URL(written.url).pathname.split('/');
  // The API may be in a folder of its host, so count ids from the end.
  const id = segment < 0 ? '' : (own.at(segment - endpoint.path.split('/').length) ?? '');
  // `as`: bodies of the client library are objects.
  const body = (written.body === undefined ? {} : JSON.parse(written.body)) as Given;
  const line = COMMANDS[`${endpoint.method} ${endpoint.path}`]?.(id, body, target);
  return line === undefined ? undefined : `posthorn ${line}`;
}
