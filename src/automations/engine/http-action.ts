import { WORKFLOW_BOUNDS } from '../../contract/run-outline.ts';
import type { RequestSender, SentRequest } from '../../outbound/send-request.ts';
import type { StepExpressions } from '../expressions/expressions.ts';
import type { ActionKind } from './attempt-step.ts';
import { jsonText, readJson } from './json-text.ts';
import { StepFailed } from './step-failure.ts';

/** A request as it is recorded. Secrets are not in it: their places hold `[secret NAME]`. */
type Prepared = { method: string; url: string; headers: Record<string, string>; body?: unknown };

/** Statuses below 500 that another attempt may change. */
const WORTH_ANOTHER_TRY: ReadonlySet<number> = new Set([408, 425, 429]);

const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * The action http: one request by the guarded sender, which follows no redirect. An answer with a status that is not expected is the error
 * `HTTP_<status>`. Secrets are to be put in by `perform`, which alone sees them, once there are secrets.
 */
export function createHttpAction({
  sender,
  expressions,
}: {
  sender: Pick<RequestSender, 'send'>;
  expressions: Pick<StepExpressions, 'resolve'>;
}): ActionKind {
  return {
    prepare({ step, context }): Prepared {
      if (step.type !== 'action' || step.action !== 'http') throw new Error(`${step.id} is no request`);
      const resolve = (template: unknown): unknown => expressions.resolve(template, context);
      const url = urlWith(asText('url', resolve(step.url)), step.query, resolve);
      const headers = Object.entries(step.headers).map(
        ([name, template]) => [name.toLowerCase(), asText(`headers.${name}`, resolve(template))] as const,
      );
      const body = step.body === undefined ? undefined : resolve(step.body);
      return { method: step.method, url, headers: Object.fromEntries(headers), ...(body !== undefined && { body }) };
    },

    async perform(prepared, { step }, key) {
      if (step.type !== 'action' || step.action !== 'http') throw new Error(`${step.id} is no request`);
      // `as`: that is what `prepare` made.
      const request = prepared as Prepared;
      const sent = await sender.send({
        method: request.method,
        url: request.url,
        headers: { [IDEMPOTENCY_KEY]: key, ...contentType(request), ...request.headers },
        ...(request.body !== undefined && { body: Buffer.from(bodyText(request.body)) }),
        timeoutMs: step.timeoutMs,
        maxBytes: WORKFLOW_BOUNDS.outputBytes,
      });
      if ('error' in sent) throw failureOf(sent.error);
      const { status } = sent;
      const isExpected =
        step.expectStatus.length === 0 ? status >= 200 && status <= 299 : step.expectStatus.includes(status);
      if (!isExpected) throw statusFailure(sent);
      if (sent.isCut)
        throw new StepFailed('PAYLOAD_TOO_LARGE', `the answer is longer than ${WORKFLOW_BOUNDS.outputBytes} bytes`);
      return { status, headers: sent.headers, body: bodyOf(sent), latencyMs: sent.latencyMs };
    },
  };
}

const bodyText = (body: unknown): string => (typeof body === 'string' ? body : jsonText(body));

/** Texts are sent as they are, everything else as JSON, unless the author's headers say otherwise. */
const contentType = ({ body }: Prepared): Record<string, string> =>
  body === undefined
    ? {}
    : { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json' };

function urlWith(
  text: string,
  query: Readonly<Record<string, unknown>>,
  resolve: (template: unknown) => unknown,
): string {
  if (!URL.canParse(text)) throw new StepFailed('EXPRESSION', 'url: is no URL');
  const url = new URL(text);
  for (const [name, template] of Object.entries(query)) {
    const value = resolve(template);
    // A parameter without a value is left out; a list gives one parameter for each item.
    for (const each of [value].flat())
      if (each !== null && each !== undefined) url.searchParams.append(name, asText(`query.${name}`, each));
  }
  return url.href;
}

function asText(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  throw new StepFailed('EXPRESSION', `${field}: must give a text`);
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** JSON as its value, anything else as text; an empty body is null. */
function bodyOf({ body, headers }: SentRequest): unknown {
  if (body === '') return null;
  const read = JSON_TYPE.test(headers['content-type'] ?? '') ? readJson(body) : undefined;
  return read === undefined ? body : read.value;
}

function statusFailure({ status, body, retryAfterMs }: SentRequest): StepFailed {
  const canRetry = status >= 500 || WORTH_ANOTHER_TRY.has(status);
  const said = body === '' ? '' : `: ${body.slice(0, 200)}`;
  const what = status >= 300 && status <= 399 ? `answered ${status}; redirects are not followed` : `answered ${status}`;
  return new StepFailed(`HTTP_${status}`, `${what}${said}`, { canRetry, retryAfterMs });
}

function failureOf({ class: kind, message }: { class: string; message: string }): StepFailed {
  if (kind === 'blocked_address') return new StepFailed('BLOCKED_ADDRESS', message);
  return new StepFailed(kind === 'timeout' ? 'TIMEOUT' : 'NETWORK', message, { canRetry: true });
}
