import { createApiKeys } from '../../../src/identity/credentials/api-keys/service.ts';
import { createAudit } from '../../../src/identity/tenancy/audit/service.ts';
import { createMachineCredentials } from '../../../src/identity/credentials/machine-credentials/service.ts';

/** API keys as another process sees them, with an audit log of the same dependencies. */
export const apiKeysOf = (deps: Parameters<typeof createApiKeys>[0]) =>
  createApiKeys(deps, { audit: createAudit(deps) });

/** Machine credentials as another process sees them. */
export const machineCredentialsOf = (deps: Parameters<typeof createMachineCredentials>[0]) =>
  createMachineCredentials(deps, { audit: createAudit(deps) });
