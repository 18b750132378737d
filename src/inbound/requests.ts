import type { EnvironmentCaller } from '../api/caller.ts';
import type { DatabaseTransaction } from '../platform/db/client.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import type { RecordAudit } from '../identity/tenancy/audit/record.ts';
import { ApiError, notFound } from '../kernel/errors.ts';
import { isId } from '../kernel/values/ids.ts';
import { windowText } from '../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../kernel/values/page.ts';
import { type InboundRequest, readKeptHead } from './incoming.ts';
import { type Receiving, refusalDetailOf } from './receive.ts';
import * as store from './requests-store.ts';
import type { AcceptedRequest, ListedRequest, ListInboundRequests, RequestBody } from './schema.ts';

export type RequestsOfWebhook = {
  /** Returns recent requests, newest first, with their outcomes. */
  requests(caller: EnvironmentCaller, webhookId: string, query: ListInboundRequests): Promise<Page<ListedRequest>>;
  /** Returns the body of a refused request. Throws CONFLICT if it is not kept. */
  requestBody(caller: EnvironmentCaller, id: string): Promise<RequestBody>;
  /**
   * Publishes a message from a refused request. Repeating it returns the first message. Throws CONFLICT if its body is
   * not kept. If the request is refused again, stores the new reason and throws the error that the service would
   * receive now.
   */
  acceptRequest(caller: EnvironmentCaller, id: string, readJson: InboundRequest['readJson']): Promise<AcceptedRequest>;
};

type Collaborators = {
  audit: { record: RecordAudit };
  accept: Receiving['accept'];
  /** Throws NOT_FOUND if the environment does not have the webhook. */
  requireWebhook: (transaction: DatabaseTransaction, caller: EnvironmentCaller, id: string) => Promise<unknown>;
};

/** Lists the requests to an inbound webhook and accepts refused ones. */
export function createRequestsOfWebhook(
  { tenants }: Pick<Dependencies, 'tenants'>,
  { audit, accept, requireWebhook }: Collaborators,
): RequestsOfWebhook {
  const find = (caller: EnvironmentCaller, id: string): Promise<store.RefusedRow> =>
    tenants.within(caller, async (transaction) => {
      const row = isId('inboundRefusal', id)
        ? await store.findRefused(transaction, caller.environmentId, id)
        : undefined;
      if (row === undefined) throw notFound('refused request');
      return row;
    });

  return {
    async requests(caller, webhookId, { outcome, since, until, ...query }) {
      const { environmentId } = caller;
      const filters = { webhookId, outcome, ...windowText({ since, until }) };
      const scope: ListScope = { list: 'inbound-requests', environmentId, filters };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, async (transaction) => {
        await requireWebhook(transaction, caller, webhookId);
        return store.findRequests(transaction, { environmentId, webhookId, outcome, since, until }, page);
      });
      return toPage(scope, page.limit, rows, (request) => request);
    },

    async requestBody(caller, id) {
      const { body, head, bytes } = kept(await find(caller, id));
      const [, contentType] = readKeptHead(head).headers.find(([name]) => name === 'content-type') ?? [];
      return { requestId: id, ...(contentType !== undefined && { contentType }), bytes, ...shown(body) };
    },

    async acceptRequest(caller, id, readJson) {
      const row = await find(caller, id);
      const { webhookId } = row;
      if (row.messageId !== null) return { outcome: 'repeated', messageId: row.messageId };
      const { body, head } = kept(row);
      const accepted = await accept(webhookId, { id, ...readKeptHead(head), body, readJson });
      const { eventId } = accepted;
      if ('error' in accepted) {
        const { reason, error } = accepted;
        const refusal = { id, reason, detail: refusalDetailOf(error), eventId };
        await tenants.within(caller, (transaction) =>
          store.markRefusedAgain(transaction, caller.environmentId, refusal),
        );
        throw error;
      }
      const { messageId, isRepeated } = accepted;
      await tenants.within(caller, async (transaction) => {
        if (!(await store.markAccepted(transaction, caller.environmentId, { id, messageId, eventId }))) return;
        const after = { requestId: id, messageId };
        await audit.record(transaction, caller, {
          action: 'webhook.request_accepted',
          target: { id: webhookId },
          after,
        });
      });
      return { outcome: isRepeated ? 'repeated' : 'received', messageId };
    },
  };
}

function kept({ body, head, messageId, bytes }: store.RefusedRow): { body: Buffer; head: string; bytes: number } {
  if (messageId !== null)
    throw new ApiError('CONFLICT', `The request was already accepted; message ${messageId} has its content`);
  if (body === null || head === null) throw new ApiError('CONFLICT', 'The body of this request is not kept');
  return { body, head, bytes };
}

function shown(body: Buffer): Pick<RequestBody, 'body' | 'encoding'> {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), encoding: 'text' };
  } catch {
    return { body: body.toString('base64'), encoding: 'base64' };
  }
}
