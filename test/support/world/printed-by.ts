import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs a program by Node alone, in a folder without packages, and gives what it prints within a minute. */
export async function printedBy(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-program-'));
  const file = join(folder, 'program.mjs');
  await writeFile(file, program);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 60_000 });
  await rm(folder, { recursive: true });
  return stdout;
}
