import { storePublications } from '../../delivery/record/statements/publish.ts';
import { ExactJson, stringifyExact } from '../../kernel/values/exact-json.ts';
import type { PublishForRun } from '../../automations/engine/actions/publish-action.ts';
import { checkJson } from '../../api/http/reading/json-guard.ts';
import { parseInput } from '../../api/http/reading/validate.ts';
import { noHandOver } from '../../messaging/publishing/hand-over.ts';
import { publishMessageBody } from '../../messaging/publishing/schema.ts';
import { createPublishing, type Publishing } from '../../messaging/publishing/service.ts';
import { createSchemas } from '../../messaging/schemas/schemas.ts';
import type { ProcessDependencies } from './create-dependencies.ts';

/** The way of runs to publishing: a message of theirs meets all that a request's does, from the limits of JSON on. */
export const createPublishForRun =
  (publishing: Pick<Publishing, 'publish'>): PublishForRun =>
  async ({ environmentId, channelId, id, eventType, payload, metadata, chainDepth }) => {
    const bodyText = stringifyExact({ id, eventType, payload: new ExactJson(payload), metadata });
    const given: unknown = JSON.parse(bodyText);
    checkJson(given);
    const body = parseInput(publishMessageBody, given);
    const message = await publishing.publish({ environmentId }, channelId, {
      body,
      bodyText,
      header: () => undefined,
      chainDepth,
    });
    return { messageId: message.id };
  };

/** Publishing of a worker without an API: deliveries of its messages wait for a claim, streams find them by themselves. */
export function createWorkerPublishing(deps: ProcessDependencies): Publishing {
  const { filters, publishingConfigs: configs } = deps;
  const streams = { wake: () => {} };
  return createPublishing(deps, {
    schemas: createSchemas(deps),
    filters,
    configs,
    streams,
    storePublications,
    handOver: noHandOver,
  });
}
