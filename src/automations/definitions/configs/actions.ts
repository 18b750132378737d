import { z } from 'zod';
import { type Action, ACTIONS } from '../../../kernel/contract/run-outline.ts';
import { MAX_EVENT_TYPE_LENGTH } from '../../../kernel/words/event-types.ts';
import { connectorConfig } from './connector.ts';
import { common, template, templates } from './fields.ts';

/** A request's own way to prove who sends it: the header Authorization. Its texts may be secrets. */
const requestAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username: template, password: template }),
  z.strictObject({ type: z.literal('bearer'), token: template }),
]);

/** Why `auth` cannot stand beside these headers. */
const authProblem = ({ auth, headers }: { auth?: unknown; headers: object }): string | undefined =>
  auth !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
    ? 'must be left out beside the header Authorization'
    : undefined;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const status = z.number().int().min(100).max(599);

const httpFields = z.strictObject({
  ...common,
  action: z.literal('http'),
  method: z.enum(METHODS).default('POST'),
  url: z.string().min(1).max(2_048),
  headers: templates.default({}),
  query: templates.default({}),
  auth: requestAuth.exactOptional(),
  body: template.optional(),
  expectStatus: z
    .union([status, z.array(status).min(1).max(20)], 'must be a status from 100 to 599, or a list of up to 20 of them')
    .transform((given) => [given].flat())
    .default([]),
});

const http = httpFields.superRefine((given, context) => {
  const message = authProblem(given);
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['auth'], message });
});

const publish = z.strictObject({
  ...common,
  action: z.literal('publish'),
  channelId: z.string(),
  eventType: z.string().min(1).max(MAX_EVENT_TYPE_LENGTH),
  payload: z
    .union([z.string(), z.record(z.string(), z.unknown())], 'must be an object, or a template that gives one')
    .default({}),
  metadata: templates.default({}),
  idempotencyKey: z.string().min(1).max(255).exactOptional(),
});

const log = z.looseObject({ ...common, action: z.literal('log') });
/** An action that says of no kind what it does, and so does nothing: its config is kept as sent, whatever it holds. */
const nothing = z.record(z.string(), z.unknown());

const ofActions = { http, publish, connector: connectorConfig, log } as const satisfies Record<Action, z.ZodType>;

/** Configs by action, as they are read. */
export type ActionConfigs = { [Kind in Action]: z.output<(typeof ofActions)[Kind]> };

/** Fields that an action's config may have, whatever its kind. */
export const ACTION_FIELDS: readonly string[] = Object.values(ofActions).flatMap(({ shape }) => Object.keys(shape));

/** Fields of each action that other kinds do not have. A config with one of `needed`, or with two of any of them, means the action. */
const OWN_FIELDS: readonly { action: Action; needed: readonly string[]; fields: readonly string[] }[] = [
  { action: 'http', needed: ['url'], fields: ownFieldsOf(httpFields) },
  { action: 'publish', needed: ['channelId', 'eventType'], fields: ownFieldsOf(publish) },
  { action: 'connector', needed: ['connectorId', 'operation'], fields: ownFieldsOf(connectorConfig) },
];

function ownFieldsOf({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((name) => name !== 'action' && !Object.hasOwn(common, name));
}

/**
 * The action that a config means which names none, with those of its fields that the config has: such a step would do nothing, and its
 * run would complete. Undefined for a config that is the author's own affair.
 */
export function forgottenAction(
  config: Readonly<Record<string, unknown>>,
): { action: Action; fields: readonly string[] } | undefined {
  if (config['action'] !== undefined) return undefined;
  const [nearest] = OWN_FIELDS.map(({ action, needed, fields }) => ({
    action,
    isMeant: needed.some((name) => Object.hasOwn(config, name)),
    fields: Object.keys(config).filter((name) => fields.includes(name)),
  }))
    .filter(({ isMeant, fields }) => isMeant || fields.length >= 2)
    .toSorted((one, other) => other.fields.length - one.fields.length);
  return nearest && { action: nearest.action, fields: nearest.fields };
}

/** The schema of an action's config. One without `config.action` is kept as it is; one of another kind than these is refused before. */
export function actionConfigOf(config: unknown): z.ZodType {
  const action: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, 'action') : undefined;
  return ACTIONS.includes(action as Action) ? ofActions[action as Action] : nothing;
}
