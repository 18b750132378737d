import type { EnvironmentKind } from './identity/caller.ts';
import type { Role } from './identity/roles.ts';
import type { Tier } from './identity/tiers.ts';
import { listenForStop, Stopped } from './process/roles/stop-request.ts';
import type { Scope } from './kernel/scopes.ts';

// The first statement, and everything else is loaded behind it: loading takes a third of a second, in which a signal would be lost.
const stop = listenForStop();
(await import('./process/heap.ts')).keepHeapSmall();
const { Command, InvalidArgumentError, Option } = await import('commander');
const { readEnvironmentFile } = await import('./config.ts');
const { ENVIRONMENT_KINDS } = await import('./identity/caller.ts');
const { ROLES } = await import('./identity/roles.ts');
const { TIERS } = await import('./identity/tiers.ts');
const { SCOPES } = await import('./kernel/scopes.ts');
const { hasControlCharacter } = await import('./kernel/plain-text.ts');
const { VERSION } = await import('./kernel/version.ts');
const { visible } = await import('./process/roles/visible.ts');

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

const keys = program.command('keys').description('API keys of the database of DATABASE_URL, or of the running `start`');
const environment = () => new Option('--env <environment>', 'which environment').choices(ENVIRONMENT_KINDS);

type CreateOptions = {
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
  .addOption(new Option('--tier <tier>', 'its rate limits').choices(TIERS).default('enterprise'))
  .option('--name <name>', 'what it is for', parseName, 'Command line')
  .option('--scopes <scopes>', `comma-separated, default all: ${SCOPES.join(', ')}`, parseScopes)
  .option('--batch-per-minute <number>', 'batch requests a minute, default that of the tier', parseLimit)
  .option('--json', 'print everything about it', false)
  .action(async ({ env, tier, name, scopes, batchPerMinute, json }: CreateOptions) => {
    const limits = batchPerMinute === undefined ? {} : { limits: { batchPerMinute } };
    const { createKey } = await import('./process/roles/keys.ts');
    await createKey({ environment: env, tier, name, ...(scopes !== undefined && { scopes }), ...limits }, { json });
  });
keys
  .command('list')
  .description('list the API keys')
  .addOption(environment())
  .option('--json', 'as JSON', false)
  .action(async ({ env, json }: { env?: EnvironmentKind; json: boolean }) =>
    (await import('./process/roles/keys.ts')).listKeys(env, { json }),
  );
keys
  .command('revoke <id>')
  .description('revoke an API key, for good')
  .action(async (id: string) => (await import('./process/roles/keys.ts')).revokeKey(id));

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
  .command('abandon <id>')
  .description('give up the rows of a lost encryption key, for good')
  .option('--yes', 'do it; without it the rows are only counted', false)
  .action(async (id: string, { yes }: { yes: boolean }) =>
    exit(await (await import('./process/roles/encryption-keys.ts')).abandonEncryptionKey(id, { isSure: yes })),
  );

const members = program
  .command('members')
  .description('members of an organisation, in the database of DATABASE_URL, or of the running `start`');
const organisation = () => new Option('--organisation <id>', 'which organisation; default: the first one');
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
  .action(async (email: string) => (await import('./process/roles/members.ts')).printResetLink(email));

function parseName(text: string): string {
  if (text.length < 1 || text.length > 200) throw new InvalidArgumentError('A name must have 1 to 200 characters.');
  if (hasControlCharacter(text)) throw new InvalidArgumentError('A name must not contain control characters.');
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
  const { sentenceOf } = await import('./process/roles/sentence-of.ts');
  complain(`posthorn: ${sentenceOf(failure)}\n`);
  process.exit();
}
