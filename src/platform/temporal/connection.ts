import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { STEP_FAILED } from '../../kernel/contract/run-workflow.ts';
import { WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import { dataConverterOf } from './codec.ts';

export type TemporalSettings = Config['temporal'] & { address: string };

/** One connection for the worker and for starting its Temporal workflows: an eager start needs both to be the same. */
export type TemporalConnection = {
  connection: NativeConnection;
  client: Client;
  /** The data converter of the client, for the workers too. */
  dataConverter: DataConverter;
  close(): Promise<void>;
};

/** Connects, or throws when the address does not answer within the SDK's own limit (about 10 s). */
export async function connectToTemporal(settings: TemporalSettings): Promise<TemporalConnection> {
  const connection = await NativeConnection.connect({
    address: settings.address,
    ...(settings.tls !== undefined && { tls: settings.tls }),
    ...(settings.apiKey !== undefined && { apiKey: settings.apiKey, tls: settings.tls ?? true }),
  });
  const dataConverter = dataConverterOf(settings.codecKeys);
  return {
    connection,
    client: new Client({ connection, namespace: settings.namespace, dataConverter }),
    dataConverter,
    close: () => connection.close(),
  };
}

let isInstalled = false;

/**
 * Sends the SDK's log lines to our log and takes its signal handlers away: the roles decide when a worker stops. Once per process,
 * before the first connection; the SDK keeps one runtime. At `metricsAddress` (host:port) the SDK shows its own metrics.
 */
export function installRuntime(log: Logger, metricsAddress?: string): void {
  if (isInstalled) return;
  isInstalled = true;
  const write = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
    log[level === 'warn' && isOnPurpose(message, meta) ? 'debug' : level]({ ...meta, part: 'temporal' }, message);
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: 'WARN', forward: {} },
      ...(metricsAddress !== undefined && {
        metrics: {
          prometheus: {
            bindAddress: metricsAddress,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        },
      }),
    },
    logger: {
      log: (level, message, meta) => write(toLevel(level))(message, meta),
      trace: write('trace'),
      debug: write('debug'),
      // At "info" the SDK reports every state of the worker, which is detail here.
      info: write('debug'),
      warn: write('warn'),
      error: write('error'),
    },
  });
}

// A delivery that ends as a dead letter fails its workflow, and so does a drain whose process has died.
const MAY_FAIL: readonly unknown[] = [WORKFLOW_TYPES.deliverMessage, WORKFLOW_TYPES.drainDeliveries];

/** Warnings of the SDK that are no fault of this service. The drains' worker has activities only. */
const isOnPurpose = (message: string, meta: { workflowType?: unknown; error?: { message?: unknown } } = {}): boolean =>
  message === 'No workflows registered, not polling for workflow tasks' ||
  (message === 'Workflow failed' && (MAY_FAIL.includes(meta.workflowType) || meta.error?.message === STEP_FAILED));

const toLevel = (level: string): 'trace' | 'debug' | 'warn' | 'error' => {
  const name = level.toLowerCase();
  return name === 'trace' || name === 'warn' || name === 'error' ? name : 'debug';
};
