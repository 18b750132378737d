import { z } from 'zod';
import { nearestName } from '../../kernel/values/nearest-name.ts';
import { parseUrl } from '../../kernel/values/http.ts';
import { ConfigError, listOf } from './reading.ts';

/** Samplers of OpenTelemetry by their standard names. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
type SamplerName = (typeof SAMPLERS)[number];

/**
 * Where spans are sent, and which ones. The exporter itself reads certificates, timeouts and the headers of a variable by their
 * standard names.
 */
export type TracesSettings = {
  /** URL of the collector. */
  readonly endpoint: string;
  /** Headers for the collector from a file, which the exporter does not read. If absent, only those of the variables are sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** If absent, every request that starts a trace is sampled, up to a limit (src/process/otlp.ts). */
  readonly sampler?: { readonly name: SamplerName; readonly ratio: number };
  /** Spans waiting for the exporter: maximum number, batch size, and export interval. */
  readonly batches: { readonly queued?: number; readonly together?: number; readonly everyMs?: number };
};

const PROTOCOL = 'http/protobuf';
const count = z.string().regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1 to 999999');
const text = z.string().max(4_000);

/** The settings as environment variables, with the names and meanings of OpenTelemetry. */
export const tracesVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: text.optional(),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: text.optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: text.optional(),
  OTEL_TRACES_EXPORTER: text.optional(),
  OTEL_TRACES_SAMPLER: text.optional(),
  OTEL_TRACES_SAMPLER_ARG: text.optional(),
  OTEL_SERVICE_NAME: text.optional(),
  OTEL_RESOURCE_ATTRIBUTES: text.optional(),
  OTEL_BSP_MAX_QUEUE_SIZE: count.transform(Number).optional(),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count.transform(Number).optional(),
  OTEL_BSP_SCHEDULE_DELAY: count.transform(Number).optional(),
  OTEL_SDK_DISABLED: text.optional(),
} as const;

type Variables = z.output<z.ZodObject<typeof tracesVariables>>;

/**
 * Returns undefined if no collector is set or the standard switches are off; nothing else is checked then, because these names are
 * shared by every program on a machine. Throws ConfigError for an invalid setting.
 */
export function readTraces(given: Variables): TracesSettings | undefined {
  const endpoint = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_ENDPOINT;
  // According to the standard, every value other than `true` is false.
  const isDisabled = given.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  if (endpoint === undefined || isDisabled || given.OTEL_TRACES_EXPORTER === 'none') return undefined;
  refuseOther('OTEL_TRACES_EXPORTER', given.OTEL_TRACES_EXPORTER, 'otlp');
  refuseOther('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, PROTOCOL);
  if (given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL === undefined)
    refuseOther('OTEL_EXPORTER_OTLP_PROTOCOL', given.OTEL_EXPORTER_OTLP_PROTOCOL, PROTOCOL);
  if (!['http:', 'https:'].includes(parseUrl(endpoint)?.protocol ?? '')) {
    const name = Object.entries(given).find(([, value]) => value === endpoint)?.[0] ?? '';
    throw new ConfigError(`${name} must be a URL that begins with http:// or https://`);
  }
  const sampler = readSampler(given);
  const { OTEL_EXPORTER_OTLP_HEADERS: headers = '', OTEL_EXPORTER_OTLP_HEADERS_FILE: file } = given;
  const { OTEL_BSP_MAX_QUEUE_SIZE: queued, OTEL_BSP_SCHEDULE_DELAY: everyMs } = given;
  const together = given.OTEL_BSP_MAX_EXPORT_BATCH_SIZE;
  return {
    endpoint,
    ...(file !== undefined && { headers: readHeaders(headers) }),
    ...(sampler !== undefined && { sampler }),
    batches: {
      ...(queued !== undefined && { queued }),
      ...(together !== undefined && { together }),
      ...(everyMs !== undefined && { everyMs }),
    },
  };
}

/** Parses headers in OpenTelemetry's format: `name=value`, separated by commas, percent-encoded. Errors do not repeat the content. */
function readHeaders(content: string): Record<string, string> {
  return Object.fromEntries(
    listOf(content).map((pair) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(pair) ?? [];
      const decoded = value === undefined ? undefined : decode(value);
      if (name === undefined || decoded === undefined)
        throw new ConfigError(
          'OTEL_EXPORTER_OTLP_HEADERS_FILE names a file whose content must be name=value, separated by commas, with %25 for %',
        );
      return [name, decoded];
    }),
  );
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function refuseOther(name: string, value: string | undefined, known: string): void {
  if (value === undefined || value === known) return;
  const advice = value === 'grpc' ? '; collectors usually accept it on port 4318' : '';
  throw new ConfigError(`${name} must be ${known}${advice}. Set OTEL_SDK_DISABLED=true to turn traces off`);
}

function readSampler(given: Variables): TracesSettings['sampler'] {
  const { OTEL_TRACES_SAMPLER: named, OTEL_TRACES_SAMPLER_ARG: ratio = '1' } = given;
  if (named === undefined) return undefined;
  const name = SAMPLERS.find((each) => each === named);
  if (name === undefined) {
    const near = nearestName(named, SAMPLERS);
    const meant = near === undefined ? `must be one of ${SAMPLERS.join(', ')}` : `has ${named}; did you mean ${near}?`;
    throw new ConfigError(`OTEL_TRACES_SAMPLER ${meant}`);
  }
  if (!/^(0|1|0?\.\d{1,9}|1\.0+|0\.0+)$/.test(ratio))
    throw new ConfigError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.1');
  return { name, ratio: Number(ratio) };
}
