import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import type { RequestError, RequestResult, RequestSender } from '../../../platform/outbound/send-request.ts';
import type { HttpAction } from '../../definitions/configs/planned.ts';
import { writtenOriginProblem } from '../../definitions/problems/request-problems.ts';
import { headerNameProblem, headerValueProblem } from '../../../platform/outbound/headers.ts';
import { filledAddress } from '../../expressions/addresses.ts';
import { type CutAnswer, type StepExpressions, toText } from '../../expressions/expressions.ts';
import type { ActionKind } from '../attempt-step.ts';
import { cutOf } from '../fitted-output.ts';
import { jsonText, readJsonText } from '../json-text.ts';
import {
  createMask,
  createMasking,
  type Mask,
  type OpenSecrets,
  placesByField,
  type SecretPlace,
  secretsAt,
  unmasked,
} from './masked.ts';
import { authorizationOf, type RequestAuth } from '../../connectors/request.ts';
import { StepFailed } from '../step-failure.ts';

/** A request as it is recorded. Secrets are replaced with `[secret NAME]`, and `secrets` lists their places. */
type Prepared = {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Parameters with a secret; the others are in `url`. */
  query?: Record<string, string[]>;
  auth?: RequestAuth;
  body?: unknown;
  secrets?: readonly SecretPlace[];
};

/** Statuses below 500 that are worth a retry. */
const WORTH_A_RETRY: ReadonlySet<number> = new Set([408, 425, 429]);

const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * The action http: sends one request through the guarded sender, without following redirects. An unexpected response
 * status is the error `HTTP_<status>`. Only `perform` has the secrets; it removes them from the response.
 */
export function createHttpAction({
  sender,
  expressions,
  openSecrets,
}: {
  sender: Pick<RequestSender, 'send'>;
  expressions: Pick<StepExpressions, 'resolve' | 'evaluate'>;
  openSecrets: OpenSecrets;
}): ActionKind {
  return {
    prepare({ step, context }): Prepared {
      if (step.type !== 'action' || step.action !== 'http') throw new Error(`${step.id} is not an http action`);
      const masking = createMasking();
      const resolve = (template: unknown): unknown => expressions.resolve(template, context, masking.secretOf);
      const textAt = (field: string, template: unknown): string =>
        masking.take(field, asText(field, resolve(template)));
      // Checked again because the definition may be older than these rules: headers that cannot be sent are not
      // recorded, and no secret is sent to an address from a message.
      const refusal = writtenOriginProblem(step);
      if (refusal !== undefined) throw new StepFailed('EXPRESSION', `url: ${refusal}`);
      const headers = Object.entries(step.headers)
        .filter(([name]) => headerNameProblem(name) === undefined)
        .map(([name, template]) => [name.toLowerCase(), textAt(`headers.${name.toLowerCase()}`, template)] as const);
      for (const [name, value] of headers) requireSendable(`headers.${name}`, value);
      const valueOf = (expression: string): string => toText(expressions.evaluate(expression, context));
      const address = filledAddress(String(step.url), valueOf);
      const { url, query } = addressOf(address, step.query, { resolve, take: masking.take });
      const auth = step.auth && authOf(step.auth, textAt);
      if (auth?.type === 'bearer') requireSendable('auth.token', auth.token);
      const body = step.body === undefined ? undefined : resolve(step.body);
      return {
        method: step.method,
        url,
        headers: Object.fromEntries(headers),
        ...(Object.keys(query).length > 0 && { query }),
        ...(auth !== undefined && { auth }),
        ...(body !== undefined && { body }),
        ...(masking.places.length > 0 && { secrets: masking.places }),
      };
    },

    async perform(prepared, { step, run }, key, outside) {
      if (step.type !== 'action' || step.action !== 'http') throw new Error(`${step.id} is not an http action`);
      // `as`: created by `prepare`.
      const { secrets: places = [], ...request } = prepared as Prepared;
      const secrets = await secretsAt(openSecrets, run.environmentId, places);
      const given = { places: placesByField(places), secrets };
      const { url, headers, authorization } = withSecrets(request, (field, text) => unmasked(field, text, given));
      for (const [name, value] of Object.entries(headers)) requireSendable(`headers.${name}`, value);
      // User name and password are sent in base64, which is always possible.
      if (authorization !== undefined) requireSendable('auth.token', authorization);
      const mask = createMask([...secrets, ...codedTogether(authorization, places)]);
      const outgoing = {
        method: request.method,
        url,
        headers: {
          [IDEMPOTENCY_KEY]: key,
          ...contentType(request),
          ...headers,
          ...(authorization !== undefined && { authorization }),
        },
        ...(request.body !== undefined && { body: Buffer.from(bodyText(request.body)) }),
        sender: run.workflowId,
        timeoutMs: step.timeoutMs,
        maxBytes: WORKFLOW_BOUNDS.outputBytes,
      };
      const sent = await outside(() => sender.send(outgoing));
      return outputOf(sent, step.expectStatus, mask);
    },
  };
}

/** Throws for a value that no header can have; it would otherwise fail every attempt as a network error. */
function requireSendable(field: string, value: string): void {
  const problem = headerValueProblem(value);
  if (problem !== undefined) throw new StepFailed('EXPRESSION', `${field}: ${problem}`);
}

type WithText = (field: string, text: string) => string;

/** Resolves each text of a request's authentication with `textAt`. */
const authOf = (
  auth: NonNullable<HttpAction['auth']>,
  textAt: (field: string, template: unknown) => string,
): RequestAuth =>
  auth.type === 'bearer'
    ? { type: 'bearer', token: textAt('auth.token', auth.token) }
    : {
        type: 'basic',
        username: textAt('auth.username', auth.username),
        password: textAt('auth.password', auth.password),
      };

/** Fills the secrets into a recorded request. */
function withSecrets(
  { url: text, headers, query = {}, auth }: Omit<Prepared, 'secrets'>,
  filled: WithText,
): { url: string; headers: Record<string, string>; authorization: string | undefined } {
  const url = new URL(text);
  appendAll(
    url,
    Object.entries(query).flatMap(([name, values]) =>
      values.map((value, index) => [name, filled(queryField(name, index), value)] as const),
    ),
  );
  return {
    url: url.href,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, filled(`headers.${name}`, value)]),
    ),
    authorization: auth && authorizationOf(authOf(auth, (field, value) => filled(field, String(value)))),
  };
}

/**
 * The credentials of the Authorization header are encoded together in base64, so that their secrets would not be found
 * individually.
 */
function codedTogether(
  authorization: string | undefined,
  places: readonly SecretPlace[],
): (readonly [name: string, secret: string])[] {
  const name = places.find(({ field }) => field.startsWith('auth.'))?.name;
  const coded = authorization?.split(' ')[1];
  return name === undefined || coded === undefined ? [] : [[name, coded]];
}

/** The result of a request: its body, or the beginning of a body that is too long. */
type Output = { status: number; headers: unknown; latencyMs: number } & ({ body: unknown } | CutAnswer);

/** Returns the output of a step from its response. Throws StepFailed if there is none or its status is not expected. */
export function outputOf(
  sent: RequestResult | { error: RequestError },
  expectStatus: readonly number[],
  mask: Mask,
): Output {
  if ('error' in sent) throw failureOf(sent.error);
  const { status } = sent;
  const isExpected = expectStatus.length === 0 ? status >= 200 && status <= 299 : expectStatus.includes(status);
  if (!isExpected) throw statusFailure(sent, mask);
  if (sent.isBroken)
    throw new StepFailed('NETWORK', `the connection ended during the response with status ${status}`, {
      canRetry: true,
    });
  const { latencyMs } = sent;
  const headers = mask.value(sent.headers);
  // The receiver has processed the request, and failing the step would repeat it.
  if (sent.isCut) return { status, headers, latencyMs, ...cutOf(shownBeginning(sent, mask), lengthOf(sent)) };
  return { status, headers, body: mask.value(bodyOf(sent)), latencyMs };
}

/**
 * Returns the beginning of a long body without secrets. JSON can write any of their characters as an escape sequence,
 * so these are normalised.
 */
function shownBeginning({ body, headers }: RequestResult, mask: Mask): string {
  return mask.beginning(isJson(headers) ? body.replaceAll(ESCAPED, plainly) : body);
}

const ESCAPED = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\["\\/bfnrt]/g;

/** Returns an escaped JSON character as JSON.stringify writes it; of the short escapes only `\\/` changes. */
function plainly(escaped: string): string {
  if (escaped.length === 2) return escaped === '\\/' ? '/' : escaped;
  return JSON.stringify(JSON.parse(`"${escaped}"`)).slice(1, -1);
}

/** Returns the length of a body that was not read completely, if the receiver has sent it. */
function lengthOf({ headers }: RequestResult): number | null {
  const length = headers['content-length'] ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}

const bodyText = (body: unknown): string => (typeof body === 'string' ? body : jsonText(body));

/** Strings are sent as plain text, everything else as JSON, unless the author sets the header. */
const contentType = ({ body }: Prepared): Record<string, string> =>
  body === undefined
    ? {}
    : { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json' };

const queryField = (name: string, index: number): string => `query.${name}[${index}]`;

/** Returns the address with its parameters, except those with a secret. */
function addressOf(
  text: string,
  parameters: Readonly<Record<string, unknown>>,
  { resolve, take }: { resolve: (template: unknown) => unknown; take: WithText },
): { url: string; query: Record<string, string[]> } {
  if (!URL.canParse(text)) throw new StepFailed('EXPRESSION', 'url: must be a valid URL');
  const url = new URL(text);
  const query: Record<string, string[]> = {};
  const open: (readonly [name: string, value: string])[] = [];
  for (const [name, template] of Object.entries(parameters)) {
    // A parameter without a value is omitted; an array becomes one parameter per item.
    const values = [resolve(template)].flat().filter((value) => value !== null && value !== undefined);
    const texts = values.map((value) => asText(`query.${name}`, value));
    const masked = texts.map((value, index) => take(queryField(name, index), value));
    if (masked.some((value, index) => value !== texts[index])) query[name] = masked;
    else open.push(...texts.map((value) => [name, value] as const));
  }
  appendAll(url, open);
  return { url: url.href, query };
}

/** Adds all parameters at once, because each `searchParams.append` would write the whole address again. */
function appendAll(url: URL, parameters: readonly (readonly [name: string, value: string])[]): void {
  if (parameters.length === 0) return;
  const all = new URLSearchParams(url.search);
  for (const [name, value] of parameters) all.append(name, value);
  url.search = all.toString();
}

function asText(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  throw new StepFailed('EXPRESSION', `${field}: must be a string`);
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

const isJson = (headers: RequestResult['headers']): boolean => JSON_TYPE.test(headers['content-type'] ?? '');

/** Parses JSON, returns anything else as text; an empty body is null. */
function bodyOf({ body, headers }: RequestResult): unknown {
  if (body === '') return null;
  const read = isJson(headers) ? readJsonText(body) : undefined;
  return read === undefined ? body : read.value;
}

function statusFailure(sent: RequestResult, mask: Mask): StepFailed {
  const { status, retryAfterMs } = sent;
  const canRetry = status >= 500 || WORTH_A_RETRY.has(status);
  const said = sent.body === '' ? '' : `: ${shownBody(sent, mask).slice(0, 200)}`;
  const what = status >= 300 && status <= 399 ? `answered ${status}; redirects are not followed` : `answered ${status}`;
  return new StepFailed(`HTTP_${status}`, `${what}${said}`, { canRetry, retryAfterMs });
}

/** Returns a body as an error shows it, without secrets. JSON can write any of their characters as an escape sequence. */
function shownBody(sent: RequestResult, mask: Mask): string {
  const body = bodyOf(sent);
  const masked = mask.value(body);
  if (masked === body) return sent.body;
  return typeof masked === 'string' ? masked : jsonText(masked);
}

function failureOf({ class: kind, message }: RequestError): StepFailed {
  if (kind === 'invalid_url') return new StepFailed('EXPRESSION', `url: ${message}`);
  if (kind === 'blocked_address') return new StepFailed('BLOCKED_ADDRESS', message);
  return new StepFailed(kind === 'timeout' ? 'TIMEOUT' : 'NETWORK', message, { canRetry: true });
}
