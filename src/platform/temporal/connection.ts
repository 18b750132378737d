import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { STEP_FAILED } from '../../kernel/contract/run-workflow.ts';
import { WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import { dataConverterOf } from './codec.ts';

export type TemporalSettings = Config['temporal'] & { address: string };

/** One connection for the worker and for starting its Temporal workflows, because an eager start requires both to be the same. */
export type TemporalConnection = {
  connection: NativeConnection;
  client: Client;
  /** The data converter of the client, also for the workers. */
  dataConverter: DataConverter;
  close(): Promise<void>;
};

/** Connects, or throws if the address does not respond within the SDK's own limit (about 10 s). */
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
 * Sends the SDK's log lines to our log and removes its signal handlers, because the commands decide when a worker stops. Once per
 * process, before the first connection; the SDK keeps one runtime. At `metricsAddress` (host:port) the SDK serves its own metrics.
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
      // At "info" the SDK logs every state of the worker, which is too detailed here.
      info: write('debug'),
      warn: write('warn'),
      error: write('error'),
    },
  });
}

// A delivery that becomes a dead letter fails its workflow, and so does direct sending whose process has died.
const MAY_FAIL: readonly unknown[] = [WORKFLOW_TYPES.deliverMessage, WORKFLOW_TYPES.drainDeliveries];

/** Warnings of the SDK that are not a problem. The worker for direct sending has only activities. */
const isOnPurpose = (message: string, meta: { workflowType?: unknown; error?: { message?: unknown } } = {}): boolean =>
  message === 'No workflows registered, not polling for workflow tasks' ||
  (message === 'Workflow failed' && (MAY_FAIL.includes(meta.workflowType) || meta.error?.message === STEP_FAILED));

const toLevel = (level: string): 'trace' | 'debug' | 'warn' | 'error' => {
  const name = level.toLowerCase();
  return name === 'trace' || name === 'warn' || name === 'error' ? name : 'debug';
};
