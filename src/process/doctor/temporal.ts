import { SEARCH_ATTRIBUTES, TASK_QUEUE } from '../../kernel/contract/temporal-names.ts';
import {
  connectToTemporal,
  type TemporalConnection,
  type TemporalSettings,
} from '../../platform/temporal/connection.ts';
import { GRPC_STATUS, grpcStatusOf } from '../../platform/temporal/grpc-status.ts';
import { temporalTrouble } from '../../platform/temporal/trouble.ts';
import { fail, type Finding, lookInto, ok, warn } from './finding.ts';

const ANSWER_WITHIN_MS = 10_000;
// Closed workflows keep the histories that an operator reads; one day is Temporal's minimum.
const LEAST_RETENTION_DAYS = 1;
// A poll lasts a minute, so a running worker has polled within this time.
const POLLED_WITHIN_MS = 120_000;
/** The API's number for workflow tasks. */
const WORKFLOW_TASKS = 1;
const DAY_SECONDS = 86_400;

type Examined = Pick<TemporalConnection, 'client'> & { settings: TemporalSettings };

/** Checks Temporal and everything in it that the service needs. The later checks need the first one to pass. */
export async function examineTemporal(settings: TemporalSettings): Promise<Finding[]> {
  const explain = (failure: unknown): string => temporalTrouble(failure, settings).advice;
  let connection: TemporalConnection | undefined;
  const reached = await lookInto(
    'temporal',
    async () => {
      connection = await connectToTemporal(settings);
      const { client } = connection;
      const { serverVersion } = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
        client.workflowService.getSystemInfo({}),
      );
      return ok('temporal', `Temporal ${serverVersion} responds at ${settings.address}`);
    },
    explain,
  );
  if (connection === undefined) return [reached];
  try {
    const examined = { client: connection.client, settings };
    const namespace = await checkNamespace(examined);
    if (reached.verdict !== 'ok' || namespace.verdict === 'fail') return [reached, namespace];
    return [reached, namespace, await checkSearchAttributes(examined), await checkTaskQueue(examined, TASK_QUEUE)];
  } finally {
    await connection.close();
  }
}

/** The namespace exists and keeps histories long enough. */
export const checkNamespace = ({ client, settings }: Examined): Promise<Finding> =>
  lookInto(
    'namespace',
    async () => {
      const { namespace, address } = settings;
      const described = await within(client, () => client.workflowService.describeNamespace({ namespace })).catch(
        (failure: unknown) => {
          if (grpcStatusOf(failure) === GRPC_STATUS.notFound) return undefined;
          throw failure;
        },
      );
      if (described === undefined)
        return fail(
          'namespace',
          `TEMPORAL_NAMESPACE: ${address} has no namespace ${namespace}; the first worker creates it if the server allows it, otherwise ask the owner of the server to create it`,
        );
      const days = Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY_SECONDS;
      if (days < LEAST_RETENTION_DAYS)
        return warn(
          'namespace',
          `the namespace ${namespace} keeps histories for ${daysOf(days)}; set its retention to 3 days`,
        );
      return ok('namespace', `the namespace ${namespace} keeps histories for ${daysOf(days)}`);
    },
    (failure) => temporalTrouble(failure, settings).advice,
  );

/** Deliveries can be searched for in Temporal's UI. */
export const checkSearchAttributes = ({ client, settings: { namespace } }: Examined): Promise<Finding> =>
  lookInto('searchAttributes', async () => {
    const { customAttributes } = await within(client, () =>
      client.connection.operatorService.listSearchAttributes({ namespace }),
    );
    const missing = SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] === undefined);
    if (missing.length === 0) return ok('searchAttributes', `all ${SEARCH_ATTRIBUTES.length} search attributes exist`);
    return warn(
      'searchAttributes',
      `the namespace ${namespace} lacks ${missing.join(', ')}, so deliveries work but cannot be searched for; a worker creates them when it starts, otherwise create them with the type Keyword`,
    );
  });

/** A worker polls this task queue. */
export const checkTaskQueue = ({ client, settings: { namespace } }: Examined, name: string): Promise<Finding> =>
  lookInto('taskQueue', async () => {
    const { pollers } = await within(client, () =>
      client.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType: WORKFLOW_TASKS }),
    );
    const since = (Date.now() - POLLED_WITHIN_MS) / 1000;
    const living = (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) > since);
    if (living.length === 0)
      return fail(
        'taskQueue',
        `no worker polls the task queue ${name} in the namespace ${namespace}; start \`posthorn worker\``,
      );
    const identities = living.map(({ identity }) => identity ?? '').join(', ');
    return ok('taskQueue', `the task queue ${name} is polled by ${identities}`);
  });

const within = <T>(client: Examined['client'], work: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + ANSWER_WITHIN_MS, work);

const daysOf = (days: number): string => (days === 1 ? '1 day' : `${days} days`);
