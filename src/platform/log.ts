import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { LogLevel } from './config/config.ts';
import { VERSION } from '../kernel/words/version.ts';
import { createOutages, type Outages, type OutageTimings, suspectedBy } from './outages.ts';

// Fields that must never reach a log, at the top and one and two levels down: as a logged object's own
// field, in `headers`, and in `request.headers`.
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

/** Role of a process, and its number where it is one of several. */
export type LogOrigin = { role?: string; number?: number };

/** The log of a process, with the outages of the servers that it works on. */
export type ServiceLog = Logger & { readonly outages: Outages };

// Lines below this level are written in any case.
const INFO = 30;

/**
 * The service's log: JSON lines on standard output, secrets redacted, errors with their causes. Each line says where it is from: `pid`,
 * `role`, `host`, `version`, and `process` where it is one of several. Lines that complain of a server that is watched and away become
 * `debug`: the lines of `outages` stand for them. `destination` and `timings` are for tests.
 * A secret inside a longer text is not found: never log URLs with their query, bodies or whole requests.
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
    // `formatters` have made them readable already.
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
    // As a warning, the end too: a log without `info` must not show outages that never end.
    log.warn(fields, sentence);
    isTelling = false;
  };
  const outages = createOutages(tell, () => performance.now(), timings);
  return Object.assign(log, { outages });
}

/** Whether a line complains of a server that is away. */
function isOfOutage(outages: Outages, [line, message]: readonly unknown[]): boolean {
  const fields = fieldsOf(line);
  if (fields === undefined) return false;
  const suspicion = suspectedBy(fields, typeof message === 'string' ? message : '');
  return suspicion !== undefined && outages.meet(suspicion, fields['err'] ?? fields['error'] ?? message);
}

function fieldsOf(line: unknown): Readonly<Record<string, unknown>> | undefined {
  if (isErrorLike(line)) return { err: line };
  // `as`: pino takes objects of any kind, and reads their fields.
  return typeof line === 'object' && line !== null ? (line as Record<string, unknown>) : undefined;
}

/** By its form: an error of a workflow is no Error of this realm. */
const isErrorLike = (value: unknown): value is { message: string; cause?: unknown } =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'message') === 'string';

/**
 * Errors under any name with message, stack and causes: JSON makes `{}` of them, and the Temporal SDK names its own `error`. A cause that
 * is no error is shown as it is.
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
