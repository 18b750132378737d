import { createPool } from '../../platform/db/connection.ts';
import {
  type Config,
  ConfigError,
  type EnvironmentVariables,
  ignoredSettings,
  readConfig,
} from '../../platform/config/config.ts';
import { existingKeysOf } from '../roles/encryption-key-file.ts';
import { atRunning, readRunningState } from '../roles/serving/running-state.ts';
import {
  checkAutovacuum,
  checkBacklog,
  checkClock,
  checkConnections,
  checkDatabase,
  checkEncryptionKeys,
  checkMigrations,
  checkRowSecurity,
  checkWorkers,
  checkPooler,
} from './database.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import { checkCollector, checkDashboardUrl, checkMail, checkSingleSignOn } from './neighbours.ts';
import {
  checkDisk,
  checkMetricsPort,
  checkOpenFiles,
  checkPort,
  checkProxyHops,
  checkPublicBaseUrl,
  checkRedis,
} from './surroundings.ts';

const CONNECT_WITHIN_MS = 5_000;

/** Checks a deployment as described by its settings, or the `start` that runs on the data folder. Changes nothing. */
export async function examine(environment?: EnvironmentVariables): Promise<Finding[]> {
  const { finding, config } = checkSettings(environment);
  if (config === undefined) return [finding];
  const running = readRunningState(config.dataFolder);
  const databaseUrl = config.databaseUrl ?? running?.databaseUrl;
  const temporalAddress = config.temporal.address ?? running?.temporalAddress;
  // Loaded before any timeout starts: the SDK's native library blocks this process for a third of a second, or for many seconds on a
  // cold, busy machine, and replies of the database would be read too late.
  const temporalLook = temporalAddress === undefined ? undefined : await import('./temporal.ts');
  const [database, temporal, redis, publicBaseUrl, ports, neighbours] = await Promise.all([
    databaseUrl === undefined
      ? [notRunning('database', 'DATABASE_URL', config)]
      : examineDatabase({ ...config, databaseUrl }),
    temporalAddress === undefined || temporalLook === undefined
      ? [notRunning('temporal', 'TEMPORAL_ADDRESS', config)]
      : temporalLook.examineTemporal({ ...config.temporal, address: temporalAddress }),
    examineRedis(config),
    checkPublicBaseUrl(atRunning(config)),
    examinePorts(config),
    examineNeighbours(config),
  ]);
  const disk = config.databaseUrl === undefined ? [await checkDisk(config.dataFolder)] : [];
  return [
    finding,
    ...database,
    ...temporal,
    ...redis,
    publicBaseUrl,
    ...ports,
    ...neighbours,
    checkProxyHops(config),
    ...disk,
    checkOpenFiles(),
  ];
}

/** Every setting is valid, including the files of secrets, and no name is unknown. */
export function checkSettings(environment?: EnvironmentVariables): { finding: Finding; config?: Config } {
  try {
    const config = readConfig(environment);
    const ignored = ignoredSettings(environment);
    if (ignored.length > 0)
      return {
        config,
        finding: warn('settings', `ignored settings that this release does not have: ${ignored.join(', ')}`),
      };
    return { config, finding: ok('settings', 'every setting is valid') };
  } catch (failure) {
    if (failure instanceof ConfigError) return { finding: fail('settings', failure.message) };
    throw failure;
  }
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  const pool = createPool(config.databaseUrl ?? '', { max: 2, connectWithinMs: CONNECT_WITHIN_MS });
  const examined = { pool, config };
  try {
    const database = await checkDatabase(examined);
    if (database.verdict === 'fail') return [database, skipped('everything in the database', 'database')];
    const { pooledDatabaseUrl } = config;
    const pooler =
      pooledDatabaseUrl === undefined
        ? []
        : [await checkPooler(pool, { pooledDatabaseUrl, connectWithinMs: CONNECT_WITHIN_MS })];
    const migrations = await checkMigrations(examined);
    const ofServer = [await checkConnections(examined), await checkAutovacuum(examined), await checkClock(pool)];
    if (migrations.verdict === 'fail')
      return [database, ...pooler, migrations, skipped('everything in its tables', 'migrations'), ...ofServer];
    return [
      database,
      ...pooler,
      migrations,
      await checkRowSecurity(examined),
      await checkEncryptionKeys(pool, existingKeysOf(config)),
      ...ofServer,
      await checkWorkers(examined),
      await checkBacklog(examined),
    ];
  } finally {
    await pool.end();
  }
}

async function examinePorts(config: Config): Promise<Finding[]> {
  const { metricsPort } = config;
  return Promise.all([
    checkPort(config),
    ...(metricsPort === undefined ? [] : [checkMetricsPort({ ...config, metricsPort })]),
  ]);
}

/** Servers in the settings other than PostgreSQL, Temporal and Redis. */
const examineNeighbours = ({ dashboardUrl, mail, singleSignOn, traces }: Config): Promise<Finding[]> =>
  Promise.all([
    ...(dashboardUrl === undefined ? [] : [checkDashboardUrl(dashboardUrl)]),
    ...(mail === undefined ? [] : [checkMail(mail)]),
    ...(singleSignOn === undefined ? [] : [checkSingleSignOn(singleSignOn)]),
    ...(traces === undefined ? [] : [checkCollector(traces)]),
  ]);

async function examineRedis({ redisUrl }: Config): Promise<Finding[]> {
  return redisUrl === undefined ? [] : [await checkRedis(redisUrl)];
}

const notRunning = (check: string, setting: string, { dataFolder }: Config): Finding =>
  fail(
    check,
    `${setting} is not set, and no \`posthorn start\` is running on ${dataFolder}; set it, or run \`posthorn start\``,
  );

const skipped = (what: string, because: string): Finding => ({
  check: because,
  verdict: 'skip',
  says: `${what} cannot be checked until ${because} passes`,
});
