import { z } from 'zod';
import { type Action, ACTIONS } from '../../../kernel/contract/run-outline.ts';
import { MAX_EVENT_TYPE_LENGTH } from '../../../kernel/words/event-types.ts';
import { connectorConfig } from './connector.ts';
import { common, template, templates } from './fields.ts';

/** Authentication of a request in the Authorization header. Its texts may contain secrets. */
const requestAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username: template, password: template }),
  z.strictObject({ type: z.literal('bearer'), token: template }),
]);

/** Returns why `auth` cannot be combined with these headers. */
const authProblem = ({ auth, headers }: { auth?: unknown; headers: object }): string | undefined =>
  auth !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
    ? 'must be left out if there is an Authorization header'
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
    .union(
      [status, z.array(status).min(1).max(20)],
      'must be a status from 100 to 599, or an array of up to 20 of them',
    )
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
    .union([z.string(), z.record(z.string(), z.unknown())], 'must be an object, or a template that returns one')
    .default({}),
  metadata: templates.default({}),
  idempotencyKey: z.string().min(1).max(255).exactOptional(),
});

const log = z.looseObject({ ...common, action: z.literal('log') });
/** An action without a kind does nothing, so its config is stored unchanged, whatever it contains. */
const nothing = z.record(z.string(), z.unknown());

const ofActions = { http, publish, connector: connectorConfig, log } as const satisfies Record<Action, z.ZodType>;

/** Parsed configs by action. */
export type ActionConfigs = { [Kind in Action]: z.output<(typeof ofActions)[Kind]> };

/** Fields that the config of any action can have. */
export const ACTION_FIELDS: readonly string[] = Object.values(ofActions).flatMap(({ shape }) => Object.keys(shape));

/**
 * Fields of each action that other kinds do not have. A config with one of `needed`, or with any two fields, is most
 * likely meant to be this action.
 */
const OWN_FIELDS: readonly { action: Action; needed: readonly string[]; fields: readonly string[] }[] = [
  { action: 'http', needed: ['url'], fields: ownFieldsOf(httpFields) },
  { action: 'publish', needed: ['channelId', 'eventType'], fields: ownFieldsOf(publish) },
  { action: 'connector', needed: ['connectorId', 'operation'], fields: ownFieldsOf(connectorConfig) },
];

function ownFieldsOf({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((name) => name !== 'action' && !Object.hasOwn(common, name));
}

/**
 * Returns the action that a config without an action is probably meant to be, and the fields that suggest it. Without
 * this check the step would do nothing and its run would complete. Returns undefined for any other config.
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

/**
 * Returns the schema of an action's config. A config without `config.action` is accepted unchanged; unknown actions
 * have been refused before.
 */
export function actionConfigOf(config: unknown): z.ZodType {
  const action: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, 'action') : undefined;
  return ACTIONS.includes(action as Action) ? ofActions[action as Action] : nothing;
}
