import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { FAILURE_CONVERTER_PATH } from './codec.ts';

/** The failures of Temporal workflows: readable in Temporal, or in a payload that a codec encrypts. A bundle has one of both. */
export type Failures = 'open' | 'encoded';

const builtFile = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/** Where `npm run build` leaves the bundles: beside the compiled sources. */
export const BUNDLE_PATHS: Readonly<Record<Failures, string>> = {
  open: builtFile('workflow-bundle.js'),
  encoded: builtFile('workflow-bundle-encoded.js'),
};

/** The entry of the Temporal workflows, source or compiled like this file itself. */
const ENTRY = fileURLToPath(
  new URL(`../../../workflows/index${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/** Bundles workflows/ (about 1 s). A Node built-in anywhere in its graph fails this: workflow code is deterministic. */
export const bundleWorkflows = (failures: Failures = 'open'): Promise<{ code: string }> =>
  bundleWorkflowCode({
    workflowsPath: ENTRY,
    logger: new DefaultLogger('WARN'),
    ...(failures === 'encoded' && { failureConverterPath: FAILURE_CONVERTER_PATH }),
  });

/**
 * The prebuilt bundle where there is one, otherwise a fresh one: a build starts without webpack, and sources always run as they are.
 */
export const workflowBundle = async (failures: Failures): Promise<{ codePath: string } | { code: string }> =>
  import.meta.url.endsWith('.js') && existsSync(BUNDLE_PATHS[failures])
    ? { codePath: BUNDLE_PATHS[failures] }
    : bundleWorkflows(failures);

type CreateArguments = Parameters<(typeof Worker)['createWorkflowCreator']>;

/**
 * Worker whose calls into workflow code have no time limit. Node keeps such a limit with a thread that it starts and joins for each
 * call: 0.13 ms of a processor and 0.5 ms of waiting, about ten times for a delivery. The limit is for code that may
 * not end; our workflows only call activities.
 */
export class UntimedWorker extends Worker {
  protected static override createWorkflowCreator(...[bundle, options, logger]: CreateArguments) {
    // `as`: the SDK always has a limit, and node:vm takes none.
    const untimed = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
    return super.createWorkflowCreator(bundle, untimed, logger);
  }
}
