import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { LogLevel } from './config/config.ts';
import { VERSION } from '../kernel/words/version.ts';
import { createOutages, type Outages, type OutageTimings, suspectedBy } from './outages.ts';

// Fields that must never be logged, at the top level and one and two levels down: as a logged object's own field, in `headers`, and in
// `request.headers`.
const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'dpop',
  'cookie',
  '["set-cookie"]',
  '["webhook-signature"]',
  'secret',
  'secrets',
  'client_secret',
  'clientSecret',
  'key',
  'apiKey',
  'password',
  'databaseUrl',
  'redisUrl',
  'mail',
  'ciphertext',
  'payload',
  'encryptionKeys',
];
const redactedPaths = SECRET_FIELDS.flatMap((field) => {
  const below = field.startsWith('[') ? field : `.${field}`;
  return [field, `*${below}`, `*.*${below}`];
});

/** Command of a process, and its number if it is one of several. */
export type LogOrigin = { role?: string; number?: number };

/** The log of a process, and the outages of the servers that it depends on. */
export type ServiceLog = Logger & { readonly outages: Outages };

// Lines below this level are always written as they are.
const INFO = 30;

/**
 * Creates the service's log: JSON lines on standard output, with secrets redacted and errors with their causes. Each line says where it
 * comes from: `pid`, `role`, `host`, `version`, and `process` if it is one of several. Lines about a watched server that is down become
 * `debug`, because the lines of `outages` replace them. `destination` and `timings` are for tests. A secret within a longer text is not
 * found, so never log URLs with their query, bodies or whole requests.
 */
export function createLog(
  level: LogLevel,
  {
    role,
    number,
    destination,
    timings,
  }: LogOrigin & { destination?: DestinationStream; timings?: Partial<OutageTimings> } = {},
): ServiceLog {
  const options: LoggerOptions = {
    level,
    base: {
      pid: process.pid,
      ...(number !== undefined && { process: number }),
      ...(role !== undefined && { role }),
      host: hostname(),
      version: VERSION,
    },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }), log: withReadableErrors },
    // `formatters` have already made them readable.
    serializers: { err: (readable: unknown) => readable },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    hooks: {
      logMethod(given, write, lineLevel) {
        if (lineLevel >= INFO && !isTelling && isOfOutage(outages, given)) this.debug(...given);
        else write.apply(this, given);
      },
    },
  };
  const log = destination === undefined ? pino(options) : pino(options, destination);
  let isTelling = false;
  const tell = (fields: Record<string, unknown>, sentence: string): void => {
    isTelling = true;
    // A warning, even for the end: a log without `info` must not show outages that never end.
    log.warn(fields, sentence);
    isTelling = false;
  };
  const outages = createOutages(tell, () => performance.now(), timings);
  return Object.assign(log, { outages });
}

/** Whether a line is about a server that is down. */
function isOfOutage(outages: Outages, [line, message]: readonly unknown[]): boolean {
  const fields = fieldsOf(line);
  if (fields === undefined) return false;
  const suspicion = suspectedBy(fields, typeof message === 'string' ? message : '');
  return suspicion !== undefined && outages.meet(suspicion, fields['err'] ?? fields['error'] ?? message);
}

function fieldsOf(line: unknown): Readonly<Record<string, unknown>> | undefined {
  if (isErrorLike(line)) return { err: line };
  // `as`: pino accepts objects of any kind and reads their fields.
  return typeof line === 'object' && line !== null ? (line as Record<string, unknown>) : undefined;
}

/** Checks the shape, because an error of a workflow is not an Error of this realm. */
const isErrorLike = (value: unknown): value is { message: string; cause?: unknown } =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'message') === 'string';

/**
 * Adds message, stack and causes to errors under any name: JSON would turn them into `{}`, and the Temporal SDK names its own `error`.
 * A cause that is not an error is shown as it is.
 */
function withReadableErrors(line: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(line).some(isErrorLike)) return line;
  const readable = Object.entries(line).map(([name, value]) => [
    name,
    isErrorLike(value) ? readableError(value) : value,
  ]);
  return Object.fromEntries(readable) as Record<string, unknown>;
}

function readableError(error: { message: string; cause?: unknown }): unknown {
  const { cause } = error;
  const shown: object = pino.stdSerializers.err(error as Error);
  if (cause === undefined || isErrorLike(cause)) return shown;
  return { ...shown, cause: inspect(cause, { depth: 1, breakLength: Infinity }) };
}
