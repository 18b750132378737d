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

/** Ways of a service to know who asks, as far as there are connectors with them. */
export const AUTH_TYPES = ['none', 'api_key', 'basic', 'oauth2'] as const;

/** A string that a caller never sees again: in schemas of parameters and of credentials. */
export const SECRET = { writeOnly: true } as const;

/** The fields of an object, by name. */
export type Fields = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/**
 * Credentials of a connection, and where requests have them: in texts of `headers`, `query` and `basic`, `{name}` is one of them.
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
 * An access token of an OAuth 2.0 provider, for a client that the operator has registered there. `credentials` has `clientId` and
 * `clientSecret`; the texts here are written as those of a request's `url`. Requests have the token as `Authorization: Bearer`, and in
 * their templates as `$connection.accessToken`.
 */
export type OAuth = {
  type: 'oauth2';
  credentials: Fields;
  /** The provider as it names itself in its answers (RFC 9207). Default: the origin of `authorizationUrl`. */
  issuer?: string;
  authorizationUrl: string;
  tokenUrl: string;
  scope: string;
  /** Further parameters of the address where a person consents. */
  parameters?: Readonly<Record<string, string>>;
  /** Where the token endpoint takes the client's secret. */
  secretIn: 'header' | 'body';
};

/**
 * A request as its service documents it. In `url`, `{name}` is a parameter and `{connection.name}` a credential, as a part of a path;
 * `{+name}` is one that is put in as it is. In `query`, `json` and `form`, a text `$name` is the parameter itself, with its kind, and
 * `$connection.name` a credential. Behind ` ?? ` stands the one that is taken where the first is absent; `$idempotencyKey` is the step's.
 * A member whose parameter is absent is left out.
 */
export type RequestTemplate = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  query?: Readonly<Record<string, string>> | string;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  form?: Readonly<Record<string, unknown>>;
  /** The header in which the service takes an idempotency key. */
  idempotencyHeader?: string;
};

export type Operation = {
  id: string;
  name: string;
  description: string;
  input: Fields;
  request: RequestTemplate;
};

/** A service that workflows can ask. */
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
  /** A request that changes nothing and that good credentials alone get past. Absent where the service has none. */
  test?: RequestTemplate;
  /** Why an answer with a good status is a refusal all the same. */
  refusal?: (body: unknown) => string | undefined;
  operations: readonly Operation[];
};

/** The first reason why a value does not fit a schema, with the field as its author writes it. Undefined where it fits. */
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

/** The same for an object, some of whose members are not judged yet. */
export function misfitWithout(
  { shape }: Fields,
  values: Readonly<Record<string, unknown>>,
  { isOpen, at }: { isOpen: (name: string) => boolean; at: readonly PropertyKey[] },
): { field: string; reason: string } | undefined {
  const isJudged = ([name]: [string, unknown]): boolean => !(name in shape && isOpen(name));
  const fields = Object.fromEntries(Object.entries(shape).filter(isJudged));
  return misfitOf(z.strictObject(fields), Object.fromEntries(Object.entries(values).filter(isJudged)), at);
}
