import { randomBytes } from 'node:crypto';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, notFound } from '../../kernel/errors.ts';
import { changedParts } from '../../kernel/words/audit-actions.ts';
import { encodeBase32, ID_PREFIXES, isId } from '../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import { INSPECT_PATH } from '../../platform/outbound/guard/own-addresses.ts';
import { createSenderProofs } from '../../platform/outbound/sign.ts';
import { createReceiveInspected, type ReceiveInspected } from './receive.ts';
import {
  type CreateInspector,
  type InspectedRequest,
  type InspectedRow,
  type Inspector,
  inspectorChange,
  type ListInspectors,
  type ListRequests,
  type UpdateInspector,
} from './schema.ts';
import * as store from './store.ts';

const ID_BYTES = 16;
/** With 200 requests of 256 KiB each, the 20 inspectors of an environment use up to 1 GiB. */
const AT_MOST = 20;
const DEFAULT_ANSWER = { status: 200, delayMs: 0, failurePercent: 0 };

export type Inspectors = {
  /** Throws CONFLICT if the environment already has 20. */
  create(caller: EnvironmentCaller, body: CreateInspector): Promise<Inspector>;
  list(caller: EnvironmentCaller, query: ListInspectors): Promise<Page<Inspector>>;
  get(caller: EnvironmentCaller, id: string): Promise<Inspector>;
  update(caller: EnvironmentCaller, id: string, body: UpdateInspector): Promise<Inspector>;
  /** Deletes the inspector and its requests. Its address returns NOT_FOUND from now on. */
  delete(caller: EnvironmentCaller, id: string): Promise<void>;
  /** Returns recorded requests, newest first, without headers and bodies. */
  requests(caller: EnvironmentCaller, id: string, query: ListRequests): Promise<Page<InspectedRow>>;
  /** Returns one recorded request with headers and body. */
  request(caller: EnvironmentCaller, requestId: string): Promise<InspectedRequest>;
  /** Deletes the recorded requests. */
  clear(caller: EnvironmentCaller, id: string): Promise<void>;
  /** Receives a request from anyone to the address of that inspector (receive.ts). */
  receive: ReceiveInspected;
  /** Returns the subscription of this service that sent a request, from its proof (outbound/sign.ts). */
  senderOf(proof: string): string | undefined;
};

export function createInspectors(
  {
    pool,
    tenants,
    newId,
    clock,
    keyRing,
    config,
    costly,
  }: Pick<Dependencies, 'pool' | 'tenants' | 'newId' | 'clock' | 'keyRing' | 'config' | 'costly'>,
  { audit }: { audit: { record: RecordAudit } },
): Inspectors {
  const urlOf = (id: string): string => `${config.publicBaseUrl}${INSPECT_PATH}${id}`;
  const shown = (inspector: store.StoredInspector): Inspector => ({ ...inspector, url: urlOf(inspector.id) });
  /** An invalid id never reaches the database, whatever characters it has. */
  const found = async (
    id: string,
    look: () => Promise<store.StoredInspector | undefined>,
  ): Promise<store.StoredInspector> => {
    const inspector = isId('inspector', id) ? await look() : undefined;
    if (inspector === undefined) throw notFound('inspector');
    return inspector;
  };
  const find = (db: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.findInspector(db, environmentId, id));
  const lock = (db: DatabaseTransaction, { environmentId }: EnvironmentCaller, id: string) =>
    found(id, () => store.lockInspector(db, environmentId, id));

  return {
    create: (caller, { name, answer }) =>
      tenants.within(caller, async (transaction) => {
        const { environmentId } = caller;
        if ((await store.countInspectors(transaction, environmentId)) >= AT_MOST)
          throw new ApiError('CONFLICT', `This environment already has ${AT_MOST} inspectors; delete one first`);
        const id = `${ID_PREFIXES.inspector}_${encodeBase32(randomBytes(ID_BYTES))}`;
        const draft = {
          id,
          position: newId('inspector'),
          environmentId,
          name,
          answer: { ...DEFAULT_ANSWER, ...answer },
        };
        const inspector = await store.insertInspector(transaction, draft, clock());
        const after = { name, answer: inspector.answer };
        await audit.record(transaction, caller, { action: 'inspector.created', target: { id }, after });
        return shown(inspector);
      }),

    async list(caller, { name, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = { list: 'inspectors', environmentId, filters: { name } };
      const page = pageRequest(scope, query);
      return tenants.list(caller, async (transaction) => {
        const named =
          name === undefined ? undefined : await store.findInspectorsNamed(transaction, environmentId, page, name);
        const rows = await store.findInspectors(transaction, environmentId, page, named?.positions);
        return toPage(scope, page.limit, rows, ({ inspector }) => shown(inspector), named?.lookedTo);
      });
    },

    get: (caller, id) => tenants.within(caller, async (transaction) => shown(await find(transaction, caller, id))),

    update: (caller, id, body) =>
      tenants.within(caller, async (transaction) => {
        const inspector = await lock(transaction, caller, id);
        const { answer, ...change } = inspectorChange.of(inspector, body);
        const names = Object.keys({ ...change, ...(answer && { answer }) });
        if (names.length === 0) return shown(inspector);
        const next = { ...inspector, ...change, answer: { ...inspector.answer, ...answer } };
        const updated = await store.updateInspector(transaction, next, clock());
        const parts = changedParts(inspector, updated, names);
        await audit.record(transaction, caller, { action: 'inspector.updated', target: { id }, ...parts });
        return shown(updated);
      }),

    delete: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        const { name } = await lock(transaction, caller, id);
        await store.deleteInspector(transaction, id);
        await audit.record(transaction, caller, { action: 'inspector.deleted', target: { id }, before: { name } });
      }),

    async requests(caller, id, { signatureStatus, ...query }) {
      const { environmentId } = caller;
      const scope: ListScope = {
        list: 'inspected-requests',
        environmentId,
        filters: { inspectorId: id, signatureStatus },
      };
      const page = { ...pageRequest(scope, query), now: clock(), signatureStatus };
      const rows = await tenants.list(caller, async (transaction) => {
        await find(transaction, caller, id);
        return store.findRequests(transaction, { environmentId, inspectorId: id }, page);
      });
      return toPage(scope, page.limit, rows, (request) => request);
    },

    async request(caller, requestId) {
      const request = isId('inspectedRequest', requestId)
        ? await tenants.within(caller, (transaction) =>
            store.findRequest(transaction, caller.environmentId, requestId, clock()),
          )
        : undefined;
      if (request === undefined) throw notFound('request');
      return request;
    },

    clear: (caller, id) =>
      tenants.within(caller, async (transaction) => {
        await lock(transaction, caller, id);
        const which = { environmentId: caller.environmentId, inspectorId: id };
        const requests = await store.deleteRequests(transaction, which);
        const after = { requests };
        await audit.record(transaction, caller, { action: 'inspector.requests_cleared', target: { id }, after });
      }),

    receive: createReceiveInspected({ pool, clock, newId, keyRing, costly }, { urlOf }),
    senderOf: createSenderProofs(keyRing).senderOf,
  };
}
