import { spawn } from 'node:child_process';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { ROOT } from './code-blocks.ts';

export type ShellResult = { exitCode: number | null; output: string; errors: string };

// A page's commands take seconds, the longest on one starved core more than a minute. A command that waits for ever fails here and not
// with the test's own limit.
const PATIENCE_MS = 240_000;

// `npm run -s keys`, `admin` and `npx posthorn` are run from source, since a test must not depend on an earlier build. Answers that are
// errors end the script, and every request is written down as `<method> <path>`.
const PREPARATION = `
set -euo pipefail
npm() {
  case "$1 $2 $3 $4" in
    'run -s keys --' | 'run -s admin --') "$NODE" src/main.ts "$3" "\${@:5}" ;;
    *) echo "npm $* is not run by this test" >&2; return 1 ;;
  esac
}
npx() {
  if [ "$1" != posthorn ]; then echo "npx $* is not run by this test" >&2; return 1; fi
  "$NODE" src/main.ts "\${@:2}"
}
curl() {
  local method=GET target= previous= part
  for part in "$@"; do
    case $previous in -X) method=$part ;; -d) if [ "$method" = GET ]; then method=POST; fi ;; esac
    case $part in http://*) target=$part ;; esac
    previous=$part
  done
  echo "$method $target" >>"$REQUESTS"
  command curl --fail-with-body "$@"
}
`;

/**
 * Runs the script of a page with bash in the root of the repository. `replaced` are the addresses that are others in a test;
 * `requestsPath` is the file that gets a line for each request.
 */
export function runScript(
  script: string,
  options: { replaced: Record<string, string>; databaseUrl: string; requestsPath: string },
): Promise<ShellResult> {
  const text = replaceAll(script, options.replaced);
  const child = spawn('bash', ['-c', PREPARATION + text], {
    cwd: ROOT,
    env: childEnvironment({
      DATABASE_URL: options.databaseUrl,
      REQUESTS: options.requestsPath,
      NODE: process.execPath,
    }),
    timeout: PATIENCE_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output, errors }));
  });
}

/** Throws when one of them is not in the text: the page no longer says what the test thinks it says. */
export function replaceAll(text: string, replaced: Record<string, string>): string {
  return Object.entries(replaced).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`The page no longer has ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}
