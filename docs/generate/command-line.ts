import type { Command, Option } from 'commander';
import { createCommandLine } from '../../src/process/command-line.ts';
import { code, page, table } from './markdown.ts';

const INTRO = `
# Command line

In a checkout run \`npx posthorn <command>\`, in a container \`node dist/src/main.js <command>\`. \`--help\` after any command prints its options.

Every command reads the [settings](settings.md). All except \`start\`, \`api\` and \`worker\` act on the database of \`DATABASE_URL\`; without it, on that of the \`start\` that runs with the same \`DATA_FOLDER\`, which is \`.data\` in this folder unless you set it. \`machine-credentials create\`, \`encryption-keys reencrypt\` and \`encryption-keys discard\` also need \`ENCRYPTION_KEYS\`, unless they act on such a \`start\`.

| Exit code | Meaning |
|---|---|
| 0 | done; for a service: stopped as requested |
| 1 | failed, with one sentence on standard error. \`doctor\` found something wrong, \`audit verify\` a broken chain, \`encryption-keys reencrypt\` a row that no key decrypts; \`encryption-keys discard\` was run without \`--yes\` |
| 130, 143 | stopped by Ctrl-C or SIGTERM before it was done |
`;

/** One example of each command. `…` stands for the rest of an id. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  start: 'npx posthorn start',
  api: 'PORT=3000 npx posthorn api',
  worker: 'METRICS_PORT=9464 npx posthorn worker',
  migrate: 'npx posthorn migrate',
  doctor: 'npx posthorn doctor',
  'keys create': "npx posthorn keys create --env live --name 'Order service' --scopes messages:write,channels:read",
  'keys list': 'npx posthorn keys list --env live',
  'keys revoke': 'npx posthorn keys revoke key_…',
  'apps create': "npx posthorn apps create --name 'Second shop'",
  'apps list': 'npx posthorn apps list',
  'apps suspend': 'npx posthorn apps suspend second-shop',
  'apps activate': 'npx posthorn apps activate second-shop',
  'machine-credentials create': "npx posthorn machine-credentials create --env live --name 'Order service'",
  'machine-credentials list': 'npx posthorn machine-credentials list',
  'machine-credentials revoke': 'npx posthorn machine-credentials revoke oac_…',
  'encryption-keys list': 'npx posthorn encryption-keys list',
  'encryption-keys reencrypt': 'npx posthorn encryption-keys reencrypt',
  'encryption-keys discard': 'npx posthorn encryption-keys discard k2024 --yes',
  'audit verify': 'npx posthorn audit verify',
  'audit export': 'npx posthorn audit export > audit.jsonl',
  'members list': 'npx posthorn members list',
  'members invite': 'npx posthorn members invite --role developer ada@example.com',
  'members remove': 'npx posthorn members remove ada@example.com',
  'admin setup-link': 'npx posthorn admin setup-link',
  'admin reset-password': 'npx posthorn admin reset-password --remove-factors ada@example.com',
  'admin unlink-identity': 'npx posthorn admin unlink-identity ada@example.com',
};

const noStop = { signal: new AbortController().signal, takeOver: () => undefined, onRepeat: () => undefined };

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function meaningOf({ description, defaultValue, argChoices, mandatory }: Option): string {
  const extras = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.map(code).join(', ')}`]),
    ...(typeof defaultValue === 'string' ? [`default ${code(defaultValue)}`] : []),
    ...(mandatory ? ['required'] : []),
  ];
  return `${description}${extras.length === 0 ? '' : ` (${extras.join('; ')})`}`;
}

/** The options of some commands, each once for all commands that have it with the same meaning. */
function optionsOf(commands: readonly Command[]): string[][] {
  const found = new Map<string, { flags: string; meaning: string; names: string[] }>();
  for (const command of commands)
    for (const option of command.options) {
      const [flags, meaning] = [code(option.flags), meaningOf(option)];
      const row = found.get(flags + meaning) ?? { flags, meaning, names: [] };
      found.set(flags + meaning, { ...row, names: [...row.names, command.name()] });
    }
  return [...found.values()].map(({ flags, meaning, names }) => [flags, names.join(', '), meaning]);
}

/** A heading, what the commands do, their options and an example of each. `prefix` is the name of their group. */
function section(title: string, text: string, commands: readonly Command[], prefix = ''): string[] {
  const purposes = commands.map((command) => {
    const parameters = command.registeredArguments.map((each) => ` <${each.name()}>`).join('');
    return [code(`${prefix}${command.name()}${parameters}`), command.description()];
  });
  const examples = commands.map((command) => {
    const example = EXAMPLES[`${prefix}${command.name()}`];
    if (example === undefined) throw new Error(`docs/generate/command-line.ts has no example of ${command.name()}`);
    return example;
  });
  const options = optionsOf(commands);
  return [
    `## ${title}`,
    text,
    table(['Command', 'What it does'], purposes),
    ...(options.length === 0 ? [] : [table(['Option', 'Of', 'Meaning'], options)]),
    `\`\`\`bash\n${examples.join('\n')}\n\`\`\``,
  ];
}

export const commandLine = (): Command => createCommandLine(noStop, () => undefined);

export function commandLinePage(): string {
  const { commands } = commandLine();
  const isGroup = (command: Command): boolean => command.commands.length > 0;
  return page(
    'src/process/command-line.ts',
    INTRO,
    ...section(
      'Services and checks',
      '`start` is everything on one machine. `api` and `worker` keep nothing on disk: run as many as you like.',
      commands.filter((command) => !isGroup(command)),
    ),
    ...commands
      .filter(isGroup)
      .flatMap((group) => section(group.name(), sentence(group.description()), group.commands, `${group.name()} `)),
  );
}
