import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { baseOf, type Instruction, readDockerfile, readIgnoreFile, type Stage } from './dockerfile.ts';

export type Replayed = {
  /** The published image that the last stage stands on. */
  base: string;
  /** Folder that stands for / in the last stage. */
  root: string;
  /** WORKDIR of the last stage. */
  workFolder: string;
  environment: Record<string, string>;
  /** ENTRYPOINT of the last stage. */
  entrypoint: string[];
  /** Each layer that the last stage adds: what made it, and its size as tar.gz, bytes. */
  layers: { from: string; bytes: number }[];
};

/** A stage under way. */
type State = { root: string; workFolder: string; environment: Record<string, string>; entrypoint: string[] };

/** Commands of RUN that need the base image's package manager: they are told, and not run. */
const isOfBase = (command: string): boolean => command.startsWith('apt-get ');

/**
 * Does what `docker build` would do with the checkout, without a container: each stage is a folder under `folder`, COPY copies (from
 * the checkout only what .dockerignore lets in) and RUN runs with this process's Node. Throws for an instruction that it does not know.
 */
export function replayDockerfile(checkout: string, folder: string, print: (line: string) => void): Replayed {
  const context = join(folder, 'context');
  makeContext(checkout, context);
  const stages = readDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'));
  const done = new Map<string, State>();
  let layers: Replayed['layers'] = [];
  let last: State | undefined;
  for (const [index, stage] of stages.entries()) {
    print(`stage ${stage.name ?? index}`);
    layers = [];
    last = begin(stage, done, join(folder, `stage-${index}`));
    for (const instruction of stage.instructions) {
      print(`  ${instruction.word} ${instruction.rest}`);
      const isLast = index === stages.length - 1;
      const copied = run(instruction, last, { context, done, print });
      if (copied !== undefined && isLast) layers.push({ from: instruction.rest, bytes: packedSize(last.root, copied) });
    }
    if (stage.name !== undefined) done.set(stage.name, last);
  }
  if (last === undefined) throw new Error('The Dockerfile has no FROM');
  return { ...last, base: baseOf(stages), layers };
}

function makeContext(checkout: string, context: string): void {
  const { included, excluded } = readIgnoreFile(readFileSync(join(checkout, '.dockerignore'), 'utf8'));
  for (const entry of included) cpSync(join(checkout, entry), join(context, entry), { recursive: true });
  for (const entry of excluded) rmSync(join(context, entry), { recursive: true, force: true });
}

function begin(stage: Stage, done: ReadonlyMap<string, State>, root: string): State {
  mkdirSync(root, { recursive: true });
  const base = done.get(stage.base);
  if (base !== undefined) cpSync(base.root, root, { recursive: true });
  return { workFolder: '/', environment: {}, entrypoint: [], ...base, root };
}

type Around = { context: string; done: ReadonlyMap<string, State>; print: (line: string) => void };

/** Runs one instruction; of a COPY it returns what it has made, relative to the root. */
function run({ word, rest }: Instruction, state: State, { context, done, print }: Around): string[] | undefined {
  const inside = (path: string): string => join(state.root, path.startsWith('/') ? path : join(state.workFolder, path));
  switch (word) {
    case 'WORKDIR':
      state.workFolder = rest;
      mkdirSync(inside('.'), { recursive: true });
      return undefined;
    case 'ENV':
      for (const assignment of rest.split(/\s+/)) {
        const [name = '', value = ''] = assignment.split('=');
        state.environment[name] = value;
      }
      return undefined;
    case 'COPY': {
      const words = rest.split(/\s+/);
      const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
      const target = words.pop() ?? '';
      const source = from === undefined ? context : done.get(from)?.root;
      if (source === undefined) throw new Error(`COPY names the stage ${from}, which is none`);
      const copied = words.map((path) => copy(join(source, path), inside(target), target.endsWith('/')));
      return copied.map((path) => path.slice(state.root.length + 1));
    }
    case 'RUN':
      if (isOfBase(rest)) print('    left to the base image');
      else
        execFileSync('sh', ['-c', rest], {
          cwd: inside('.'),
          env: { ...buildEnvironment(), ...state.environment },
          stdio: ['ignore', 'inherit', 'inherit'],
        });
      return undefined;
    case 'ENTRYPOINT':
      // `as`: JSON of the Dockerfile, which is an array of words.
      state.entrypoint = JSON.parse(rest) as string[];
      return undefined;
    case 'CMD':
    case 'EXPOSE':
    case 'USER':
      return undefined;
    default:
      throw new Error(`replay.ts does not know ${word}: teach it`);
  }
}

/** Copies a folder's content or a file, as COPY does, and returns where that is now. */
function copy(source: string, target: string, isFolder: boolean): string {
  if (!existsSync(source)) throw new Error(`COPY: there is no ${source}`);
  const place = statSync(source).isFile() && isFolder ? join(target, basename(source)) : target;
  cpSync(source, place, { recursive: true });
  return place;
}

/** The Node that runs this comes first, as it is the only one in the image. */
const buildEnvironment = (): NodeJS.ProcessEnv =>
  childEnvironment({ PATH: `${dirname(process.execPath)}:${childEnvironment()['PATH'] ?? ''}` });

/** Bytes of these files and folders as tar.gz. */
export function packedSize(root: string, paths: readonly string[]): number {
  const script = 'cd "$0" && tar -cf - "$@" | gzip -6 | wc -c';
  return Number(execFileSync('sh', ['-c', script, root, ...paths], { encoding: 'utf8' }));
}
