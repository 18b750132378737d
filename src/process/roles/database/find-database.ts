import { type Config, ConfigError } from '../../../platform/config/config.ts';
import { readRunningState } from '../serving/running-state.ts';

/** The database of DATABASE_URL, otherwise that of the `start` that runs on this data folder. */
export function findDatabase({ databaseUrl, dataFolder }: Config): string {
  const url = databaseUrl ?? readRunningState(dataFolder)?.databaseUrl;
  if (url === undefined)
    throw new ConfigError(
      `DATABASE_URL is not set, and no \`posthorn start\` runs on ${dataFolder} here (DATA_FOLDER)`,
    );
  return url;
}
