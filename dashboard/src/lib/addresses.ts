/** Reads from index.html what the service has written into it (src/api/dashboard-files.ts). */
const told = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content.replace(/\/+$/, '') ?? '';

/** Path of these pages, without a slash at its end. Empty where they are at the root of their host. */
export const BASE = told('posthorn-base');

/** Address of the API: as told, else the folder that these pages are in. */
export const API = told('posthorn-api') || location.origin + BASE.replace(/\/dashboard$/, '');

const TEMPORAL = told('posthorn-temporal');

/** A Temporal workflow in Temporal's UI; undefined where nobody has told its address. */
export const temporalUrl = (id: string): string | undefined =>
  TEMPORAL === '' ? undefined : `${TEMPORAL}/workflows/${encodeURIComponent(id)}`;

/** The Temporal workflows of a run there, one for each round. */
export const temporalUrlOfRun = (runId: string): string | undefined =>
  TEMPORAL === ''
    ? undefined
    : `${TEMPORAL}/workflows?query=${encodeURIComponent(`WorkflowId STARTS_WITH "run/${runId}/"`)}`;
