import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isRunning } from '../../../../local/process-identity.ts';
import type { Config } from '../../../platform/config/config.ts';

const runningState = z.object({
  process: z.object({ pid: z.number(), bornAt: z.string() }),
  apiUrl: z.string(),
  databaseUrl: z.string(),
  temporalAddress: z.string(),
  temporalUiUrl: z.string().optional(),
  /** Process ids of the embedded servers at start. */
  pids: z.object({ postgres: z.number().optional(), temporal: z.number().optional() }),
});

/** Address of a running `start`. The file contains the database password, so its mode is 600. */
export type RunningState = z.output<typeof runningState>;

const pathIn = (dataFolder: string): string => join(dataFolder, 'running.json');

/** Writes the file atomically, so that readers never see half of it. */
export function writeRunningState(dataFolder: string, state: RunningState): void {
  const path = pathIn(dataFolder);
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function removeRunningState(dataFolder: string): void {
  rmSync(pathIn(dataFolder), { force: true });
}

/** Returns the `start` that is running on this data folder, or undefined; ignores the file of a killed one. */
export function readRunningState(dataFolder: string): RunningState | undefined {
  try {
    const state = runningState.parse(JSON.parse(readFileSync(pathIn(dataFolder), 'utf8')));
    return isRunning(state.process) ? state : undefined;
  } catch {
    return undefined;
  }
}

/** A `start` whose port is not set may have another address than the settings say. */
export function atRunning(config: Config): Config {
  const running = config.databaseUrl === undefined ? readRunningState(config.dataFolder)?.apiUrl : undefined;
  const isDefault = config.publicBaseUrl === `http://localhost:${config.port}`;
  return running !== undefined && isDefault ? { ...config, publicBaseUrl: running } : config;
}
