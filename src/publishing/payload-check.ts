import { type Budget, newBudget, type Schemas } from '../schemas/schemas.ts';
import { ApiError, type ErrorDetails, invalidField } from '../kernel/api-error.ts';
import { fieldPath } from '../kernel/field-path.ts';
import type { PublishingConfig } from './configs/config-store.ts';
import type { PublishMessage } from '../messages/schema.ts';

/** A payload before it is stored: parsed, as its text, and where its publisher wrote it (`['messages', 2, 'payload']`). */
export type PayloadToPublish = {
  eventType: string;
  payload: unknown;
  text: string;
  at: readonly (string | number)[];
};

type Check = (
  channelId: string,
  config: PublishingConfig,
  payloads: readonly PayloadToPublish[],
) => Promise<ErrorDetails[]>;

/** Checks payloads against the schemas of their channel (docs/decisions.md "Schemas"). */
export function createPayloadCheck(schemas: Pick<Schemas, 'check'>) {
  /** Where one payload does not fit: at most one problem for each of the two schemas that may hold. */
  const problemsOf = async (
    channelId: string,
    { schema, schemas: byType }: PublishingConfig,
    { eventType, payload, text, at }: PayloadToPublish,
    budget: Budget,
  ): Promise<ErrorDetails[]> => {
    const problems: ErrorDetails[] = [];
    for (const each of [schema, byType.get(eventType)]) {
      if (each === undefined) continue;
      const found = schemas.check(each, { key: channelId, payload, text }, budget);
      const misfit = found instanceof Promise ? await found : found;
      if (misfit !== undefined) problems.push({ field: fieldPath([...at, ...misfit.place]), reason: misfit.reason });
    }
    return problems;
  };

  /** All problems of each payload, in their order, whatever the channel's mode. */
  const problemsOfEach = async (
    channelId: string,
    config: PublishingConfig,
    payloads: readonly PayloadToPublish[],
  ): Promise<ErrorDetails[][]> => {
    const budget = newBudget();
    const problems: ErrorDetails[][] = [];
    for (const payload of payloads) problems.push(await problemsOf(channelId, config, payload, budget));
    return problems;
  };

  /** A channel that warns takes what cannot be checked as well: its schema must not be what stops it. */
  const warningsOf: Check = async (channelId, config, payloads) => {
    try {
      return (await problemsOfEach(channelId, config, payloads)).flat();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return [{ field: fieldPath(payloads[0]?.at.slice(0, 1) ?? []), reason: `was not checked: ${error.message}` }];
    }
  };

  return {
    problemsOfEach,

    /** INVALID_REQUEST for the first payload that does not fit; what a channel that only warns has to say otherwise. */
    check: (async (channelId, config, payloads) => {
      if (config.mode === 'warn') return warningsOf(channelId, config, payloads);
      const budget = newBudget();
      for (const payload of payloads) {
        const [problem] = await problemsOf(channelId, config, payload, budget);
        if (problem !== undefined) throw invalidField(problem.field, problem.reason);
      }
      return [];
    }) satisfies Check,
  };
}

/** The payloads of a batch with their places in it. */
export const toCheck = (
  { messages }: { messages: readonly Pick<PublishMessage, 'eventType' | 'payload'>[] },
  texts: readonly string[],
): PayloadToPublish[] =>
  messages.map(({ eventType, payload }, index) => ({
    eventType,
    payload,
    text: texts[index] ?? '{}',
    at: ['messages', index, 'payload'],
  }));
