import { stringifyExact, ExactJson } from '../kernel/exact-json.ts';
import type { PublishForRun } from '../automations/engine/publish-action.ts';
import { checkJson } from '../http/json-guard.ts';
import { validate } from '../http/validate.ts';
import type { Publishing } from '../publishing/service.ts';
import { publishMessageBody } from '../publishing/schema.ts';

/** The way of runs to publishing: a message of theirs meets all that a request's does, from the limits of JSON on. */
export const createPublishForRun =
  (publishing: Pick<Publishing, 'publishForRun'>): PublishForRun =>
  async ({ environmentId, channelId, id, eventType, payload, metadata, chainDepth }) => {
    const bodyText = stringifyExact({ id, eventType, payload: new ExactJson(payload), metadata });
    const given: unknown = JSON.parse(bodyText);
    checkJson(given);
    const body = validate(publishMessageBody, given);
    const message = await publishing.publishForRun({ environmentId, chainDepth }, channelId, {
      body,
      bodyText,
      header: () => undefined,
    });
    return { messageId: message.id };
  };
