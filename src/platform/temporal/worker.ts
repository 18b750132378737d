import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { FAILURE_CONVERTER_PATH } from './codec.ts';

/**
 * Whether failures of Temporal workflows are readable in Temporal, or in a payload that a codec encrypts. Each bundle has one of the
 * two.
 */
export type Failures = 'open' | 'encoded';

const builtFile = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/** Where `npm run build` puts the bundles: next to the compiled sources. */
export const BUNDLE_PATHS: Readonly<Record<Failures, string>> = {
  open: builtFile('workflow-bundle.js'),
  encoded: builtFile('workflow-bundle-encoded.js'),
};

/** The entry of the Temporal workflows, source or compiled like this file itself. */
const ENTRY = fileURLToPath(
  new URL(`../../../workflows/index${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/** Bundles workflows/ (about 1 s). Fails if a Node built-in is used anywhere in it, because workflow code must be deterministic. */
export const bundleWorkflows = (failures: Failures = 'open'): Promise<{ code: string }> =>
  bundleWorkflowCode({
    workflowsPath: ENTRY,
    logger: new DefaultLogger('WARN'),
    ...(failures === 'encoded' && { failureConverterPath: FAILURE_CONVERTER_PATH }),
  });

/**
 * The prebuilt bundle if there is one, otherwise a new one: a build starts without webpack, and sources always run in their current
 * state.
 */
export const workflowBundle = async (failures: Failures): Promise<{ codePath: string } | { code: string }> =>
  import.meta.url.endsWith('.js') && existsSync(BUNDLE_PATHS[failures])
    ? { codePath: BUNDLE_PATHS[failures] }
    : bundleWorkflows(failures);

type CreateArguments = Parameters<(typeof Worker)['createWorkflowCreator']>;

/**
 * A worker whose calls into workflow code have no time limit. Node enforces such a limit with a thread that it starts and joins for
 * each call: 0.13 ms of CPU and 0.5 ms of waiting, about ten times per delivery. The limit is for code that may not end; our workflows
 * only call activities.
 */
export class UntimedWorker extends Worker {
  protected static override createWorkflowCreator(...[bundle, options, logger]: CreateArguments) {
    // `as`: the SDK always has a limit, and node:vm accepts none.
    const untimed = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
    return super.createWorkflowCreator(bundle, untimed, logger);
  }
}
