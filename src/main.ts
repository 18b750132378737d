import type { EnvironmentKind } from './kernel/words/environment-kinds.ts';
import type { Role } from './kernel/words/roles.ts';
import type { Tier } from './kernel/words/tiers.ts';
import { listenForStop, Stopped } from './process/roles/serving/stop-request.ts';
import type { Scope } from './kernel/words/scopes.ts';

// The first statement, and everything else is loaded behind it: loading takes a third of a second, in which a signal would be lost.
const stop = listenForStop();
(await import('./process/heap.ts')).keepHeapSmall();
const { Command, InvalidArgumentError, Option } = await import('commander');
const { readEnvironmentFile } = await import('./platform/config/config.ts');
const { ENVIRONMENT_KINDS } = await import('./kernel/words/environment-kinds.ts');
const { ROLES } = await import('./kernel/words/roles.ts');
const { TIERS } = await import('./kernel/words/tiers.ts');
const { SCOPES } = await import('./kernel/words/scopes.ts');
const { hasControlCharacter } = await import('./kernel/values/plain-text.ts');
const { VERSION } = await import('./kernel/words/version.ts');
const { visible } = await import('./process/roles/printing.ts');

type DropFilters = { dropFilters: boolean };
const dropFilters = () =>
  new Option('--drop-filters', 'pause subscriptions whose filters this release does not take, and drop these').default(
    false,
  );

// Roles are loaded when they are run: `keys` needs neither Temporal's native library nor Koa.
const program = new Command('posthorn')
  .description('Event messaging: durable, signed, retried webhooks')
  .configureOutput({ writeErr: complain })
  .version(VERSION);

program
  .command('start')
  .description('run everything, with an own PostgreSQL and Temporal where no address is set')
  .addOption(dropFilters())
  .action(async (options: DropFilters) =>
    exit(await (await import('./process/roles/start.ts')).runStart(stop, options)),
  );
program
  .command('api')
  .description('run the HTTP API (DATABASE_URL, ENCRYPTION_KEYS)')
  .action(async () => exit(await (await import('./process/roles/run-service.ts')).runService('api', stop)));
program
  .command('worker')
  .description('deliver (DATABASE_URL, ENCRYPTION_KEYS, TEMPORAL_ADDRESS)')
  .action(async () => exit(await (await import('./process/roles/run-service.ts')).runService('worker', stop)));
program
  .command('migrate')
  .description('bring the database of DATABASE_URL up to date')
  .addOption(dropFilters())
  .action(async (options: DropFilters) => (await import('./process/roles/migrate.ts')).runMigrate(stop, options));

program
  .command('doctor')
  .description('look at a deployment and say what is wrong with it; exit code 1 when something is')
  .option('--json', 'as JSON', false)
  .action(async (options: { json: boolean }) =>
    exit(await (await import('./process/doctor/run-doctor.ts')).runDoctor(options)),
  );

const keys = program.command('keys').description('API keys of the database of DATABASE_URL, or of the running `start`');
const environment = () => new Option('--env <environment>', 'which environment').choices(ENVIRONMENT_KINDS);

const app = () => new Option('--app <app>', 'which app, by id or slug; default the only one');

type CreateOptions = {
  app?: string;
  env: EnvironmentKind;
  tier: Tier;
  name: string;
  scopes?: Scope[];
  batchPerMinute?: number;
  json: boolean;
};

keys
  .command('create')
  .description('make an API key and print it, this once')
  .addOption(environment().makeOptionMandatory())
  .addOption(app())
  .addOption(new Option('--tier <tier>', 'its rate limits').choices(TIERS).default('pro'))
  .option('--name <name>', 'what it is for', parseName, 'Command line')
  .option('--scopes <scopes>', `comma-separated, default all: ${SCOPES.join(', ')}`, parseScopes)
  .option('--batch-per-minute <number>', 'batch requests a minute, default that of the tier', parseLimit)
  .option('--json', 'print everything about it', false)
  .action(async ({ app: ref, env, tier, name, scopes, batchPerMinute, json }: CreateOptions) => {
    const limits = batchPerMinute === undefined ? {} : { limits: { batchPerMinute } };
    const { createKey } = await import('./process/roles/keys.ts');
    const key = { app: ref, environment: env, tier, name, ...(scopes !== undefined && { scopes }), ...limits };
    await createKey(key, { json });
  });
keys
  .command('list')
  .description('list the API keys of an app')
  .addOption(environment())
  .addOption(app())
  .option('--json', 'as JSON', false)
  .action(async ({ app: ref, env, json }: { app?: string; env?: EnvironmentKind; json: boolean }) =>
    (await import('./process/roles/keys.ts')).listKeys({ app: ref, environment: env }, { json }),
  );
keys
  .command('revoke <id>')
  .description('revoke an API key, for good')
  .action(async (id: string) => (await import('./process/roles/keys.ts')).revokeKey(id));

const apps = program.command('apps').description('apps of the database of DATABASE_URL, or of the running `start`');
apps
  .command('create')
  .description('make an app with a live and a test environment, and print its id')
  .requiredOption('--name <name>', 'its name', parseName)
  .option('--organisation <id>', 'which organisation, default the only one')
  .option('--slug <slug>', 'short name for addresses and command lines, default made of the name', parseSlug)
  .option('--json', 'print everything about it', false)
  .action(async ({ json, ...body }: { name: string; slug?: string; organisation?: string; json: boolean }) =>
    (await import('./process/roles/apps.ts')).createApp(body, { json }),
  );
apps
  .command('list')
  .description('list the apps')
  .option('--json', 'as JSON', false)
  .action(async (options: { json: boolean }) => (await import('./process/roles/apps.ts')).listApps(options));
apps
  .command('suspend <app>')
  .description('refuse the credentials of an app, by id or slug, and hold its deliveries')
  .action(async (ref: string) => (await import('./process/roles/apps.ts')).suspendApp(ref));
apps
  .command('activate <app>')
  .description('take the credentials of a suspended app again, and go on with its deliveries')
  .action(async (ref: string) => (await import('./process/roles/apps.ts')).activateApp(ref));

const machineCredentials = program
  .command('machine-credentials')
  .description('clients of POST /oauth/token in the database of DATABASE_URL, or of the running `start`');
machineCredentials
  .command('create')
  .description('make a machine credential and print its id and secret, this once')
  .addOption(environment().makeOptionMandatory())
  .addOption(new Option('--tier <tier>', 'its rate limits').choices(TIERS).default('pro'))
  .option('--name <name>', 'what it is for', parseName, 'Command line')
  .option('--scopes <scopes>', `comma-separated, default all: ${SCOPES.join(', ')}`, parseScopes)
  .addOption(app())
  .option('--json', 'print everything about it', false)
  .action(async ({ app: ref, env, tier, name, scopes, json }: Omit<CreateOptions, 'batchPerMinute'>) => {
    const { createMachineCredential } = await import('./process/roles/machine-credentials.ts');
    const credential = { environment: env, tier, name, ...(scopes !== undefined && { scopes }) };
    await createMachineCredential({ ...credential, app: ref }, { json });
  });
machineCredentials
  .command('list')
  .description('list the machine credentials, of every app or of one')
  .addOption(environment())
  .option('--app <app>', 'the app, by id or slug, default all of them')
  .option('--json', 'as JSON', false)
  .action(async ({ app: ref, env, json }: { app?: string; env?: EnvironmentKind; json: boolean }) =>
    (await import('./process/roles/machine-credentials.ts')).listMachineCredentials(
      { app: ref, environment: env },
      { json },
    ),
  );
machineCredentials
  .command('revoke <id>')
  .description('revoke a machine credential with its tokens, for good')
  .action(async (id: string) => (await import('./process/roles/machine-credentials.ts')).revokeMachineCredential(id));

const encryptionKeys = program
  .command('encryption-keys')
  .description('keys that seal secrets in the database of DATABASE_URL, or of the running `start`');
encryptionKeys
  .command('list')
  .description('list the encryption keys and how many rows each has sealed')
  .option('--json', 'as JSON', false)
  .action(async (options: { json: boolean }) =>
    (await import('./process/roles/encryption-keys.ts')).listEncryptionKeys(options),
  );
encryptionKeys
  .command('reseal')
  .description('seal by the first encryption key what the others have sealed, while the service goes on')
  .action(async () => exit(await (await import('./process/roles/encryption-keys.ts')).resealByFirstKey()));
encryptionKeys
  .command('abandon <id>')
  .description('give up the rows of a lost encryption key, for good')
  .option('--yes', 'do it; without it the rows are only counted', false)
  .action(async (id: string, { yes }: { yes: boolean }) =>
    exit(await (await import('./process/roles/encryption-keys.ts')).abandonEncryptionKey(id, { isSure: yes })),
  );

const audit = program
  .command('audit')
  .description('audit log of the database of DATABASE_URL, or of the running `start`');
audit
  .command('verify')
  .description('check that no entry is missing or changed')
  .action(async () => exit(await (await import('./process/roles/audit.ts')).verifyAudit()));
audit
  .command('export')
  .description('print every entry as a line of JSON')
  .action(async () => (await import('./process/roles/audit.ts')).exportAudit());

const members = program
  .command('members')
  .description('members of an organisation, in the database of DATABASE_URL, or of the running `start`');
const organisation = () => new Option('--organisation <id>', 'which organisation; needed once there are several');
type OfOrganisation = { organisation?: string; json: boolean };
members
  .command('list')
  .description('list the members')
  .addOption(organisation())
  .option('--json', 'as JSON', false)
  .action(async (options: OfOrganisation) => (await import('./process/roles/members.ts')).listMembers(options));
members
  .command('invite <email>')
  .description('make an invitation and print its link, this once')
  .addOption(organisation())
  .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
  .action(async (email: string, options: OfOrganisation & { role: Role }) =>
    (await import('./process/roles/members.ts')).inviteMember(email, options),
  );
members
  .command('remove <email>')
  .description('remove a member')
  .addOption(organisation())
  .action(async (email: string, options: OfOrganisation) =>
    (await import('./process/roles/members.ts')).removeMember(email, options),
  );

const admin = program.command('admin').description('people of the database of DATABASE_URL, or of the running `start`');
admin
  .command('setup-link')
  .description('print a new link that makes the first administrator, while there is none')
  .action(async () => (await import('./process/roles/setup-link.ts')).printSetupLink());

admin
  .command('reset-password <email>')
  .description("print a link that resets a person's password")
  .option('--remove-factors', 'using the link takes all second factors from that person, too')
  .action(async (email: string, { removeFactors = false }: { removeFactors?: boolean }) =>
    (await import('./process/roles/members.ts')).printResetLink(email, { isWithoutFactors: removeFactors }),
  );

admin
  .command('forget-identity <email>')
  .description('forget who a person is at the identity provider: the next one with that address is linked anew')
  .action(async (email: string) => (await import('./process/roles/members.ts')).forgetIdentity(email));

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
    if (scope === undefined) throw new InvalidArgumentError(`${name} is no scope.`);
    return scope;
  });
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1_000_000_000)
    throw new InvalidArgumentError('A limit must be a whole number from 1 to 1,000,000,000.');
  return number;
}

/** `text` may contain what another program or a caller has said. */
function complain(text: string): void {
  process.stderr.write(visible(text, { keepLines: true }));
}

/** Everything is closed by then; a stray handle of a library must not keep the process. */
function exit(code: number): void {
  process.exit(code);
}

try {
  readEnvironmentFile();
  await program.parseAsync();
} catch (failure) {
  process.exitCode = failure instanceof Stopped ? failure.exitCode : 1;
  const { sentenceOf } = await import('./process/roles/printing.ts');
  complain(`posthorn: ${sentenceOf(failure)}\n`);
  process.exit();
}
