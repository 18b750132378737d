import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Where `npm run build` leaves the bundle: beside the compiled sources. */
export const BUNDLE_PATH = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));

/** The entry of the Temporal workflows, source or compiled like this file itself. */
const ENTRY = fileURLToPath(
  new URL(`../../workflows/index${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/** Bundles workflows/ (about 1 s). A Node built-in anywhere in its graph fails this: workflow code is deterministic. */
export const bundleWorkflows = (): Promise<{ code: string }> =>
  bundleWorkflowCode({ workflowsPath: ENTRY, logger: new DefaultLogger('WARN') });

/**
 * The prebuilt bundle where there is one, otherwise a fresh one: a build starts without webpack, and sources always run as they are.
 */
export const workflowBundle = async (): Promise<{ codePath: string } | { code: string }> =>
  import.meta.url.endsWith('.js') && existsSync(BUNDLE_PATH) ? { codePath: BUNDLE_PATH } : bundleWorkflows();
