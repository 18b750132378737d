import type { z } from 'zod';
import type { IdKind } from '../../../src/kernel/values/ids.ts';
import type { Scope } from '../../../src/kernel/words/rights.ts';

/** One id of each kind that a path may name, all of one environment. */
export type ResourceIds = {
  channelId: string;
  messageId: string;
  scheduledMessageId: string;
  subscriptionId: string;
  deliveryId: string;
  deadLetterId: string;
  bulkReplayId: string;
  bulkRetryId: string;
  messageReplayId: string;
  workflowId: string;
  runId: string;
  approvalId: string;
  apiKeyId: string;
  appId: string;
  auditEntryId: string;
  machineCredentialId: string;
  webhookId: string;
  /** A refused request to an inbound webhook, whose body is stored. */
  requestId: string;
  inspectorId: string;
  inspectedRequestId: string;
  secretId: string;
  connectionId: string;
  /** A connector of the catalogue, which is the same for all tenants. */
  connectorId: string;
  organisationId: string;
} & Readonly<Record<`${IdKind}Id`, string>>;

/**
 * The contract of one endpoint, written by hand from specification §4. The tests compare the route table with it, so that no scope or
 * status changes unnoticed.
 */
export type ContractRow = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  scope: Scope;
  /** Above environments, where API keys have no access; or a resource of the app that both of its environments share. */
  level?: 'organisation' | 'any';
  status: 200 | 201 | 202 | 204;
  /** Schema of the response; absent with 204. `listOf` is a page of that resource. */
  answers?: z.ZodType;
  listOf?: z.ZodType;
  /** Responds with server-sent events; tested in test/streams/stream.test.ts. */
  isStream?: true;
  /** Responds with lines of JSON; tested in test/identity/audit.test.ts. */
  isLines?: true;
  /** A valid body, if the endpoint accepts one. */
  body?: (ids: ResourceIds) => Record<string, unknown>;
  /** Further valid bodies, with the ids that the first one does not contain. */
  otherBodies?: (ids: ResourceIds) => Record<string, unknown>[];
  isBodyOptional?: true;
};
