import { z } from 'zod';
import { reasonOf } from '../../../api/http/reading/validate.ts';
import { fieldPath } from '../../../kernel/values/text.ts';

export const CATEGORIES = [
  'messaging',
  'email',
  'development',
  'project_management',
  'data',
  'sales',
  'commerce',
  'support',
  'incidents',
  'ai',
  'general',
] as const;
type Category = (typeof CATEGORIES)[number];

/** Authentication methods that connectors use. */
export const AUTH_TYPES = ['none', 'api_key', 'basic', 'oauth2'] as const;

/** Schema metadata of a string that is never returned, in parameters and credentials. */
export const SECRET = { writeOnly: true } as const;

/** The fields of an object, by name. */
export type Fields = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/**
 * Credentials of a connection, and how requests use them: in texts of `headers`, `username` and `password`, `{name}` is
 * a credential.
 */
export type Auth =
  | { type: 'none' }
  | {
      type: 'api_key';
      credentials: Fields;
      headers?: Readonly<Record<string, string>>;
    }
  | { type: 'basic'; credentials: Fields; username: string; password: string }
  | OAuth;

/**
 * OAuth 2.0 access tokens for a client that the operator has registered at the provider. `credentials` has `clientId`
 * and `clientSecret`; the texts here have the syntax of a request's `url`. Requests send the token as `Authorization:
 * Bearer`, and templates can use it as `$connection.accessToken`.
 */
export type OAuth = {
  type: 'oauth2';
  credentials: Fields;
  /** The provider's issuer in its responses (RFC 9207). Default: the origin of `authorizationUrl`. */
  issuer?: string;
  authorizationUrl: string;
  tokenUrl: string;
  scope: string;
  /** Additional parameters of the address where a person gives consent. */
  parameters?: Readonly<Record<string, string>>;
  /** How the client secret is sent to the token endpoint. */
  secretIn: 'header' | 'body';
};

/**
 * A request as its service documents it. In `url`, `{name}` is a parameter and `{connection.name}` a credential,
 * encoded as one path segment; `{+name}` is inserted unchanged. In `query`, `json` and `form`, `$name` is the parameter
 * itself, with its type, and `$connection.name` a credential. The value after ` ?? ` is used if the first one is
 * absent; `$idempotencyKey` is the step's. Members whose parameter is absent are omitted.
 */
export type RequestTemplate = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  query?: Readonly<Record<string, string>> | string;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  form?: Readonly<Record<string, unknown>>;
  /** Header in which the service accepts an idempotency key. */
  idempotencyHeader?: string;
};

export type Operation = {
  id: string;
  name: string;
  description: string;
  input: Fields;
  request: RequestTemplate;
};

/** A service that workflows can call. */
export type Connector = {
  id: string;
  name: string;
  description: string;
  category: Category;
  /** Colour of its icon: six hexadecimal digits. */
  colour: string;
  auth: Auth;
  /** Headers of all requests. */
  headers?: Readonly<Record<string, string>>;
  /** A request that changes nothing and only succeeds with valid credentials. Absent if the service has none. */
  test?: RequestTemplate;
  /** Returns why a response with a success status is nevertheless a refusal. */
  refusal?: (body: unknown) => string | undefined;
  operations: readonly Operation[];
};

/**
 * Returns the first reason why a value does not match a schema, with the field as its author writes it; undefined if it
 * matches.
 */
export function misfitOf(
  schema: z.ZodType,
  value: unknown,
  at: readonly PropertyKey[],
): { field: string; reason: string } | undefined {
  const issue = schema.safeParse(value, { error: reasonOf('field') }).error?.issues[0];
  if (issue === undefined) return undefined;
  const key = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return { field: fieldPath([...at, ...issue.path, ...key]), reason: issue.message };
}

/** Like `misfitOf`, for an object with members that cannot be validated yet. */
export function misfitWithout(
  { shape }: Fields,
  values: Readonly<Record<string, unknown>>,
  { isOpen, at }: { isOpen: (name: string) => boolean; at: readonly PropertyKey[] },
): { field: string; reason: string } | undefined {
  const isJudged = ([name]: [string, unknown]): boolean => !(name in shape && isOpen(name));
  const fields = Object.fromEntries(Object.entries(shape).filter(isJudged));
  return misfitOf(z.strictObject(fields), Object.fromEntries(Object.entries(values).filter(isJudged)), at);
}
