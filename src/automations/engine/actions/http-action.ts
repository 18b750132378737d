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

/** A request as it is recorded. Secrets are not in it: `secrets` names their places, which hold `[secret NAME]`. */
type Prepared = {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Parameters with a secret; the others stand in `url`. */
  query?: Record<string, string[]>;
  auth?: RequestAuth;
  body?: unknown;
  secrets?: readonly SecretPlace[];
};

/** Statuses below 500 that another attempt may change. */
const WORTH_ANOTHER_TRY: ReadonlySet<number> = new Set([408, 425, 429]);

const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * The action http: one request by the guarded sender, which follows no redirect. An answer with a status that is not expected is the error
 * `HTTP_<status>`. Secrets are put in by `perform`, which alone sees them, and taken out of what the receiver says.
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
      if (step.type !== 'action' || step.action !== 'http') throw new Error(`${step.id} is no request`);
      const masking = createMasking();
      const resolve = (template: unknown): unknown => expressions.resolve(template, context, masking.secretOf);
      const textAt = (field: string, template: unknown): string =>
        masking.take(field, asText(field, resolve(template)));
      // A definition may be older than these rules: no header is recorded that is never sent, and no secret follows a value of a message.
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
      if (step.type !== 'action' || step.action !== 'http') throw new Error(`${step.id} is no request`);
      // `as`: that is what `prepare` made.
      const { secrets: places = [], ...request } = prepared as Prepared;
      const secrets = await secretsAt(openSecrets, run.environmentId, places);
      const given = { places: placesByField(places), secrets };
      const { url, headers, authorization } = withSecrets(request, (field, text) => unmasked(field, text, given));
      for (const [name, value] of Object.entries(headers)) requireSendable(`headers.${name}`, value);
      // A name and a password are sent in base64, which any header can have.
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

/** A value that no header can have would fail at each attempt as a fault of the network. */
function requireSendable(field: string, value: string): void {
  const problem = headerValueProblem(value);
  if (problem !== undefined) throw new StepFailed('EXPRESSION', `${field}: ${problem}`);
}

type WithText = (field: string, text: string) => string;

/** Each text of a request's own authentication, by `textAt`. */
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

/** A recorded request as it is sent, with its secrets. */
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

/** The credentials of Authorization are in base64 together, so that no secret of them is found by itself. */
function codedTogether(
  authorization: string | undefined,
  places: readonly SecretPlace[],
): (readonly [name: string, secret: string])[] {
  const name = places.find(({ field }) => field.startsWith('auth.'))?.name;
  const coded = authorization?.split(' ')[1];
  return name === undefined || coded === undefined ? [] : [[name, coded]];
}

/** The result of a request: its body, or the beginning of one that is too long. */
type Output = { status: number; headers: unknown; latencyMs: number } & ({ body: unknown } | CutAnswer);

/** The output of a step from its answer. Throws StepFailed for one that is not expected, or did not come. */
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
    throw new StepFailed('NETWORK', `answered ${status}; the connection ended within the answer`, { canRetry: true });
  const { latencyMs } = sent;
  const headers = mask.value(sent.headers);
  // The receiver has done what it was asked for: a failure would have it done again.
  if (sent.isCut) return { status, headers, latencyMs, ...cutOf(shownBeginning(sent, mask), lengthOf(sent)) };
  return { status, headers, body: mask.value(bodyOf(sent)), latencyMs };
}

/** The beginning of a long body, without secrets: JSON may write any character of one by its number. */
function shownBeginning({ body, headers }: RequestResult, mask: Mask): string {
  return mask.beginning(isJson(headers) ? body.replaceAll(ESCAPED, plainly) : body);
}

const ESCAPED = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\["\\/bfnrt]/g;

/** A character of JSON as JSON.stringify writes it, which of the short escapes changes `\\/` alone. */
function plainly(escaped: string): string {
  if (escaped.length === 2) return escaped === '\\/' ? '/' : escaped;
  return JSON.stringify(JSON.parse(`"${escaped}"`)).slice(1, -1);
}

/** Bytes of a body that was not read to its end, where its receiver has said. */
function lengthOf({ headers }: RequestResult): number | null {
  const length = headers['content-length'] ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}

const bodyText = (body: unknown): string => (typeof body === 'string' ? body : jsonText(body));

/** Texts are sent as they are, everything else as JSON, unless the author's headers say otherwise. */
const contentType = ({ body }: Prepared): Record<string, string> =>
  body === undefined
    ? {}
    : { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json' };

const queryField = (name: string, index: number): string => `query.${name}[${index}]`;

/** The address with its parameters, but for those with a secret. */
function addressOf(
  text: string,
  parameters: Readonly<Record<string, unknown>>,
  { resolve, take }: { resolve: (template: unknown) => unknown; take: WithText },
): { url: string; query: Record<string, string[]> } {
  if (!URL.canParse(text)) throw new StepFailed('EXPRESSION', 'url: is no URL');
  const url = new URL(text);
  const query: Record<string, string[]> = {};
  const open: (readonly [name: string, value: string])[] = [];
  for (const [name, template] of Object.entries(parameters)) {
    // A parameter without a value is left out; a list gives one parameter for each item.
    const values = [resolve(template)].flat().filter((value) => value !== null && value !== undefined);
    const texts = values.map((value) => asText(`query.${name}`, value));
    const masked = texts.map((value, index) => take(queryField(name, index), value));
    if (masked.some((value, index) => value !== texts[index])) query[name] = masked;
    else open.push(...texts.map((value) => [name, value] as const));
  }
  appendAll(url, open);
  return { url: url.href, query };
}

/** Adds parameters to an address. All at once: each `searchParams.append` writes the whole address anew. */
function appendAll(url: URL, parameters: readonly (readonly [name: string, value: string])[]): void {
  if (parameters.length === 0) return;
  const all = new URLSearchParams(url.search);
  for (const [name, value] of parameters) all.append(name, value);
  url.search = all.toString();
}

function asText(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  throw new StepFailed('EXPRESSION', `${field}: must give a text`);
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

const isJson = (headers: RequestResult['headers']): boolean => JSON_TYPE.test(headers['content-type'] ?? '');

/** JSON as its value, anything else as text; an empty body is null. */
function bodyOf({ body, headers }: RequestResult): unknown {
  if (body === '') return null;
  const read = isJson(headers) ? readJsonText(body) : undefined;
  return read === undefined ? body : read.value;
}

function statusFailure(sent: RequestResult, mask: Mask): StepFailed {
  const { status, retryAfterMs } = sent;
  const canRetry = status >= 500 || WORTH_ANOTHER_TRY.has(status);
  const said = sent.body === '' ? '' : `: ${shownBody(sent, mask).slice(0, 200)}`;
  const what = status >= 300 && status <= 399 ? `answered ${status}; redirects are not followed` : `answered ${status}`;
  return new StepFailed(`HTTP_${status}`, `${what}${said}`, { canRetry, retryAfterMs });
}

/** A body as an error shows it, without secrets: JSON may write any character of one by its number. */
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
