/** Reads what the service has written into index.html (src/api/dashboard-files.ts). */
const told = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content.replace(/\/+$/, '') ?? '';

/** Path of these pages, without a trailing slash. Empty if they are at the root of their host. */
export const BASE = told('posthorn-base');

/** Address of the API: the configured one, otherwise the folder that serves these pages. */
export const API = told('posthorn-api') || location.origin + BASE.replace(/\/dashboard$/, '');

const TEMPORAL = told('posthorn-temporal');

/** Returns the address of a Temporal workflow in Temporal's UI, or undefined if that UI is not configured. */
export const temporalUrl = (id: string): string | undefined =>
  TEMPORAL === '' ? undefined : `${TEMPORAL}/workflows/${encodeURIComponent(id)}`;

/** Returns the address of a run's Temporal workflows in Temporal's UI; there is one workflow per round. */
export const temporalUrlOfRun = (runId: string): string | undefined =>
  TEMPORAL === ''
    ? undefined
    : `${TEMPORAL}/workflows?query=${encodeURIComponent(`WorkflowId STARTS_WITH "run/${runId}/"`)}`;
