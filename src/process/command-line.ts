import { Command, InvalidArgumentError, Option } from 'commander';
import { hasControlCharacter } from '../kernel/values/text.ts';
import {
  ENVIRONMENT_KINDS,
  type EnvironmentKind,
  type Role,
  ROLES,
  type Scope,
  SCOPES,
  type Tier,
  TIERS,
} from '../kernel/words/rights.ts';
import { VERSION } from '../kernel/words/version.ts';
import type { StopRequest } from './roles/serving/stop-request.ts';

type DropFilters = { dropFilters: boolean };
type CreateOptions = {
  app?: string;
  env: EnvironmentKind;
  tier: Tier;
  name: string;
  scopes?: Scope[];
  batchPerMinute?: number;
  json: boolean;
};
type OfOrganisation = { organisation?: string; json: boolean };

const dropFilters = () =>
  new Option(
    '--drop-filters',
    'drop stored filters that this release does not accept, and pause their subscriptions',
  ).default(false);
const environment = () => new Option('--env <environment>', 'environment of the app').choices(ENVIRONMENT_KINDS);
const app = () => new Option('--app <app>', 'id or slug of the app; required if there are several');
const organisation = () => new Option('--organisation <id>', 'id of the organisation; required if there are several');

/**
 * The commands of `posthorn` with their options; docs/reference/command-line.md lists them. Each command loads its code when it runs:
 * `keys` needs neither Temporal's native library nor Koa. `writeErr` prints commander's messages about wrong usage.
 */
export function createCommandLine(stop: StopRequest, writeErr: (text: string) => void): Command {
  const program = new Command('posthorn')
    .description('Event messaging: durable, signed, retried webhooks')
    .configureOutput({ writeErr })
    .version(VERSION);

  program
    .command('start')
    .description('run the API and the workers, with an embedded PostgreSQL and Temporal where no address is set')
    .addOption(dropFilters())
    .action(async (options: DropFilters) => exit(await (await import('./roles/start.ts')).runStart(stop, options)));
  program
    .command('api')
    .description('run the HTTP API (needs DATABASE_URL and ENCRYPTION_KEYS)')
    .action(async () => exit(await (await import('./roles/run-service.ts')).runService('api', stop)));
  program
    .command('worker')
    .description('run a worker, which delivers (needs DATABASE_URL, ENCRYPTION_KEYS and TEMPORAL_ADDRESS)')
    .action(async () => exit(await (await import('./roles/run-service.ts')).runService('worker', stop)));
  program
    .command('migrate')
    .description('apply the migrations of this release to the database of DATABASE_URL')
    .addOption(dropFilters())
    .action(async (options: DropFilters) => (await import('./roles/migrate.ts')).runMigrate(stop, options));

  program
    .command('doctor')
    .description('check a deployment and report what is wrong; exits with code 1 if anything is')
    .option('--json', 'print JSON', false)
    .action(async (options: { json: boolean }) =>
      exit(await (await import('./doctor/run-doctor.ts')).runDoctor(options)),
    );

  const keys = program.command('keys').description('manage API keys');

  keys
    .command('create')
    .description('create an API key and print it; it cannot be shown again')
    .addOption(environment().makeOptionMandatory())
    .addOption(app())
    .addOption(new Option('--tier <tier>', 'tier, which sets the rate limits').choices(TIERS).default('pro'))
    .option('--name <name>', 'name, to recognise it by', parseName, 'Command line')
    .option('--scopes <scopes>', `scopes, separated by commas (default: all): ${SCOPES.join(', ')}`, parseScopes)
    .option('--batch-per-minute <number>', 'batch requests per minute (default: that of the tier)', parseLimit)
    .option('--json', 'print all fields as JSON', false)
    .action(async ({ app: ref, env, tier, name, scopes, batchPerMinute, json }: CreateOptions) => {
      const limits = batchPerMinute === undefined ? {} : { limits: { batchPerMinute } };
      const { createKey } = await import('./roles/keys.ts');
      const key = { app: ref, environment: env, tier, name, ...(scopes !== undefined && { scopes }), ...limits };
      await createKey(key, { json });
    });
  keys
    .command('list')
    .description('list the API keys of an app')
    .addOption(environment())
    .addOption(app())
    .option('--json', 'print JSON', false)
    .action(async ({ app: ref, env, json }: { app?: string; env?: EnvironmentKind; json: boolean }) =>
      (await import('./roles/keys.ts')).listKeys({ app: ref, environment: env }, { json }),
    );
  keys
    .command('revoke <id>')
    .description('revoke an API key permanently')
    .action(async (id: string) => (await import('./roles/keys.ts')).revokeKey(id));

  const apps = program.command('apps').description('manage apps, each with a live and a test environment');
  apps
    .command('create')
    .description('create an app and print its id')
    .requiredOption('--name <name>', 'name of the app', parseName)
    .option('--organisation <id>', 'id of the organisation; required if there are several')
    .option('--slug <slug>', 'short name for URLs and command lines (default: made from the name)', parseSlug)
    .option('--json', 'print all fields as JSON', false)
    .action(async ({ json, ...body }: { name: string; slug?: string; organisation?: string; json: boolean }) =>
      (await import('./roles/apps.ts')).createApp(body, { json }),
    );
  apps
    .command('list')
    .description('list all apps')
    .option('--json', 'print JSON', false)
    .action(async (options: { json: boolean }) => (await import('./roles/apps.ts')).listApps(options));
  apps
    .command('suspend <app>')
    .description('suspend an app: refuse its credentials and hold its deliveries')
    .action(async (ref: string) => (await import('./roles/apps.ts')).suspendApp(ref));
  apps
    .command('activate <app>')
    .description('reactivate a suspended app and resume its deliveries')
    .action(async (ref: string) => (await import('./roles/apps.ts')).activateApp(ref));

  const machineCredentials = program
    .command('machine-credentials')
    .description('manage machine credentials, the clients of POST /oauth/token');
  machineCredentials
    .command('create')
    .description('create a machine credential and print its id and secret; the secret cannot be shown again')
    .addOption(environment().makeOptionMandatory())
    .addOption(new Option('--tier <tier>', 'tier, which sets the rate limits').choices(TIERS).default('pro'))
    .option('--name <name>', 'name, to recognise it by', parseName, 'Command line')
    .option('--scopes <scopes>', `scopes, separated by commas (default: all): ${SCOPES.join(', ')}`, parseScopes)
    .addOption(app())
    .option('--json', 'print all fields as JSON', false)
    .action(async ({ app: ref, env, tier, name, scopes, json }: Omit<CreateOptions, 'batchPerMinute'>) => {
      const { createMachineCredential } = await import('./roles/machine-credentials.ts');
      const credential = { environment: env, tier, name, ...(scopes !== undefined && { scopes }) };
      await createMachineCredential({ ...credential, app: ref }, { json });
    });
  machineCredentials
    .command('list')
    .description('list the machine credentials of one app or of all')
    .addOption(environment())
    .option('--app <app>', 'id or slug of the app (default: all apps)')
    .option('--json', 'print JSON', false)
    .action(async ({ app: ref, env, json }: { app?: string; env?: EnvironmentKind; json: boolean }) =>
      (await import('./roles/machine-credentials.ts')).listMachineCredentials({ app: ref, environment: env }, { json }),
    );
  machineCredentials
    .command('revoke <id>')
    .description('revoke a machine credential and its tokens permanently')
    .action(async (id: string) => (await import('./roles/machine-credentials.ts')).revokeMachineCredential(id));

  const encryptionKeys = program
    .command('encryption-keys')
    .description('manage the keys that encrypt secrets in the database');
  encryptionKeys
    .command('list')
    .description('list the encryption keys with the number of rows that each has encrypted')
    .option('--json', 'print JSON', false)
    .action(async (options: { json: boolean }) =>
      (await import('./roles/encryption-keys.ts')).listEncryptionKeys(options),
    );
  encryptionKeys
    .command('reencrypt')
    .description('re-encrypt with the first encryption key what the others have encrypted, while the service runs')
    .action(async () => exit(await (await import('./roles/encryption-keys.ts')).resealByFirstKey()));
  encryptionKeys
    .command('discard <id>')
    .description('delete what a lost encryption key has encrypted, permanently')
    .option('--yes', 'delete; without this option the rows are only counted', false)
    .action(async (id: string, { yes }: { yes: boolean }) =>
      exit(await (await import('./roles/encryption-keys.ts')).abandonEncryptionKey(id, { isSure: yes })),
    );

  const audit = program.command('audit').description('check and export the audit log');
  audit
    .command('verify')
    .description('check that no entry is missing or changed')
    .action(async () => exit(await (await import('./roles/audit.ts')).verifyAudit()));
  audit
    .command('export')
    .description('print every entry as one line of JSON')
    .action(async () => (await import('./roles/audit.ts')).exportAudit());

  const members = program.command('members').description('manage members of an organisation');
  members
    .command('list')
    .description('list the members')
    .addOption(organisation())
    .option('--json', 'print JSON', false)
    .action(async (options: OfOrganisation) => (await import('./roles/members.ts')).listMembers(options));
  members
    .command('invite <email>')
    .description('create an invitation and print its link; the link cannot be shown again')
    .addOption(organisation())
    .addOption(new Option('--role <role>', 'role of the new member').choices(ROLES).makeOptionMandatory())
    .action(async (email: string, options: OfOrganisation & { role: Role }) =>
      (await import('./roles/members.ts')).inviteMember(email, options),
    );
  members
    .command('remove <email>')
    .description('remove a member')
    .addOption(organisation())
    .action(async (email: string, options: OfOrganisation) =>
      (await import('./roles/members.ts')).removeMember(email, options),
    );

  const admin = program.command('admin').description('recover access for users');
  admin
    .command('setup-link')
    .description('print a new link with which the first administrator is created; works while there is none')
    .action(async () => (await import('./roles/setup-link.ts')).printSetupLink());

  admin
    .command('reset-password <email>')
    .description("print a link that resets a user's password")
    .option('--remove-factors', 'the link also removes all second factors of that user')
    .action(async (email: string, { removeFactors = false }: { removeFactors?: boolean }) =>
      (await import('./roles/members.ts')).printResetLink(email, { isWithoutFactors: removeFactors }),
    );

  admin
    .command('unlink-identity <email>')
    .description('unlink a user from the identity provider; the next account there with that email address is linked')
    .action(async (email: string) => (await import('./roles/members.ts')).forgetIdentity(email));

  return program;
}

function parseName(text: string): string {
  if (text.length < 1 || text.length > 200) throw new InvalidArgumentError('A name must have 1 to 200 characters.');
  if (hasControlCharacter(text)) throw new InvalidArgumentError('A name must not contain control characters.');
  return text;
}

function parseSlug(text: string): string {
  if (text.length > 63 || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text))
    throw new InvalidArgumentError('A slug has up to 63 of a-z and 0-9, with single hyphens between them.');
  return text;
}

function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  return names.map((name) => {
    const scope = SCOPES.find((each) => each === name);
    if (scope === undefined) throw new InvalidArgumentError(`${name} is not a scope.`);
    return scope;
  });
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1_000_000_000)
    throw new InvalidArgumentError('A limit must be a whole number from 1 to 1,000,000,000.');
  return number;
}

/** Everything is closed by then; a stray handle of a library must not keep the process alive. */
function exit(code: number): void {
  process.exit(code);
}
