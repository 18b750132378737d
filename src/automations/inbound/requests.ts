import type { EnvironmentCaller } from '../../caller/caller.ts';
import type { DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import { windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import type { ListedRequest, ListInboundRequests } from './schema.ts';
import * as store from './requests-store.ts';

type RequestsOfWebhook = (
  caller: EnvironmentCaller,
  webhookId: string,
  query: ListInboundRequests,
) => Promise<Page<ListedRequest>>;

/** Lists what has come to an inbound webhook. `requireWebhook` throws NOT_FOUND for one that the environment does not have. */
export const createRequestsOfWebhook =
  (
    { tenants }: Pick<Dependencies, 'tenants'>,
    requireWebhook: (transaction: DatabaseTransaction, caller: EnvironmentCaller, id: string) => Promise<unknown>,
  ): RequestsOfWebhook =>
  async (caller, webhookId, { outcome, since, until, ...query }) => {
    const { environmentId } = caller;
    const filters = { webhookId, outcome, ...windowText({ since, until }) };
    const scope: ListScope = { list: 'inbound-requests', environmentId, filters };
    const page = pageRequest(scope, query);
    const rows = await tenants.list(caller, async (transaction) => {
      await requireWebhook(transaction, caller, webhookId);
      return store.findRequests(transaction, { environmentId, webhookId, outcome, since, until }, page);
    });
    return toPage(scope, page.limit, rows, (request) => request);
  };
