import type { Dependencies } from '../../platform/dependencies.ts';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import { type CreateSecret, type ListSecrets, secretChange, type UpdateSecret, type WorkflowSecret } from './schema.ts';
import { sealWorkflowSecret } from './open-secrets.ts';
import * as store from './store.ts';

/** Manages secrets that workflow steps send. Values are never returned. */
export type Secrets = {
  /** Throws CONFLICT if the environment already has a secret with this name. */
  create(caller: EnvironmentCaller, body: CreateSecret): Promise<WorkflowSecret>;
  list(caller: EnvironmentCaller, query: ListSecrets): Promise<Page<WorkflowSecret>>;
  get(caller: EnvironmentCaller, id: string): Promise<WorkflowSecret>;
  /** Attempts use the new value from now on, including those of runs in progress. */
  update(caller: EnvironmentCaller, id: string, body: UpdateSecret): Promise<WorkflowSecret>;
  /** Permanent. A step that still uses it fails with SECRET_MISSING. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
};

export function createSecrets(
  { tenants, newId, clock, keyRing }: Pick<Dependencies, 'tenants' | 'newId' | 'clock' | 'keyRing'>,
  { audit }: { audit: { record: RecordAudit } },
): Secrets {
  /** An invalid id never reaches the database, whatever characters it has. */
  const found = async (id: string, look: () => Promise<WorkflowSecret | undefined>): Promise<WorkflowSecret> => {
    const secret = isId('secret', id) ? await look() : undefined;
    if (secret === undefined) throw notFound('secret');
    return secret;
  };
  const lock = (transaction: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.lockSecret(transaction, environmentId, id));

  return {
    create: (caller, { name, value }) =>
      tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        const id = newId('secret');
        const draft = { id, environmentId, name, ciphertext: sealWorkflowSecret(keyRing, id, value) };
        const secret = await store.insertSecret(transaction, draft, clock());
        if (secret === undefined)
          throw new ApiError('CONFLICT', `This environment already has a secret ${name}; set its value with PATCH`);
        await audit.record(transaction, caller, { action: 'secret.created', target: { id }, after: { name } });
        return secret;
      }),

    async list(caller, { name, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = { list: 'secrets', environmentId, filters: { name } };
      const page = pageRequest(scope, query);
      return tenants.list(caller, async (transaction) => {
        const named =
          name === undefined ? undefined : await store.findSecretsNamed(transaction, environmentId, page, name);
        const rows = await store.findSecrets(transaction, environmentId, page, named?.positions);
        return toPage(scope, page.limit, rows, (secret) => secret, named?.lookedTo);
      });
    },

    get: (caller, id) =>
      tenants.within(caller, (transaction) => found(id, () => store.findSecret(transaction, caller.environmentId, id))),

    update: (caller, id, body) =>
      tenants.within(caller, async (transaction) => {
        const secret = await lock(transaction, caller, id);
        const { value } = secretChange.of(secret, body);
        if (value === undefined) return secret;
        const sealed = { ciphertext: sealWorkflowSecret(keyRing, id, value), now: clock() };
        const updated = await store.setCiphertext(transaction, caller.environmentId, id, sealed);
        await audit.record(transaction, caller, {
          action: 'secret.updated',
          target: { id },
          after: { name: secret.name },
        });
        return updated;
      }),

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { name } = await lock(transaction, caller, id);
        await store.deleteSecret(transaction, caller.environmentId, id);
        await audit.record(transaction, caller, { action: 'secret.deleted', target: { id }, before: { name } });
      }),
  };
}
