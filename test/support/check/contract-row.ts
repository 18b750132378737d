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
  /** A refused request to an inbound webhook, whose body is kept. */
  requestId: string;
  inspectorId: string;
  inspectedRequestId: string;
  secretId: string;
  connectionId: string;
  /** A name of the catalogue, which is the same for all tenants. */
  connectorId: string;
  organisationId: string;
} & Readonly<Record<`${IdKind}Id`, string>>;

/**
 * The contract of one endpoint, written by hand from the specification §4. The tests compare the route table with it, so that neither
 * a scope nor a status changes unseen.
 */
export type ContractRow = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  scope: Scope;
  /** Above environments, which no API key is; or a thing of the app that both of its environments have. */
  level?: 'organisation' | 'any';
  status: 200 | 201 | 202 | 204;
  /** Schema of its answer; absent with 204. `listOf` is a page of that resource. */
  answers?: z.ZodType;
  listOf?: z.ZodType;
  /** Answers with server-sent events; test/streams/stream.test.ts reads them. */
  isStream?: true;
  /** Answers with lines of JSON; test/identity/audit.test.ts reads them. */
  isLines?: true;
  /** A good body, where one is taken. */
  body?: (ids: ResourceIds) => Record<string, unknown>;
  /** Further good bodies, with the ids that the first one does not name. */
  otherBodies?: (ids: ResourceIds) => Record<string, unknown>[];
  isBodyOptional?: true;
};
