import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from './config.ts';

// Fields that must never reach a log (docs/security.md), at the top and one and two levels down: as a logged object's own
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

/**
 * The service's log: JSON lines on standard output, secrets redacted, errors with their causes. Each line has the `pid`, and the
 * `process` where it is one of several: its number. `destination` is for tests.
 * A secret inside a longer text is not found: never log URLs with their query, bodies or whole requests.
 */
export function createLog(
  level: LogLevel,
  { number, destination }: { number?: number; destination?: DestinationStream } = {},
): Logger {
  const options = {
    level,
    base: { pid: process.pid, ...(number !== undefined && { process: number }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    // The Temporal SDK names its errors `error`; without a serializer an error is written as `{}`.
    serializers: { error: pino.stdSerializers.err },
    redact: { paths: redactedPaths, censor: '[redacted]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
