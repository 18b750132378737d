import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readTraces, tracesVariables } from './traces.ts';

const URL = 'http://collector:4318';
const read = (variables: Record<string, string>) => readTraces(z.object(tracesVariables).parse(variables));
const withCollector = (variables: Record<string, string> = {}) =>
  read({ OTEL_EXPORTER_OTLP_ENDPOINT: URL, ...variables });

test('without a collector nothing is traced, and no other setting is checked', () => {
  expect(read({ OTEL_TRACES_SAMPLER: 'nonsense', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBeUndefined();
});

test('the standard switches turn traces off', () => {
  expect(withCollector({ OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBeUndefined();
  expect(withCollector({ OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  expect(withCollector({ OTEL_SDK_DISABLED: 'false' })).toEqual({ endpoint: URL, batches: {} });
});

test('a collector for traces takes precedence over the general one', () => {
  expect(withCollector({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/v1/traces' })?.endpoint).toBe(
    'https://traces.example/v1/traces',
  );
});

test('sampler and batches are read by their standard names', () => {
  expect(
    withCollector({
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_MAX_QUEUE_SIZE: '4096',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '64',
      OTEL_BSP_SCHEDULE_DELAY: '1000',
    }),
  ).toEqual({
    endpoint: URL,
    sampler: { name: 'parentbased_traceidratio', ratio: 0.25 },
    batches: { queued: 4_096, together: 64, everyMs: 1_000 },
  });
  expect(withCollector({ OTEL_TRACES_SAMPLER: 'traceidratio' })?.sampler).toEqual({ name: 'traceidratio', ratio: 1 });
});

describe('headers of a file', () => {
  const readHeaders = (content: string) =>
    withCollector({ OTEL_EXPORTER_OTLP_HEADERS: content, OTEL_EXPORTER_OTLP_HEADERS_FILE: '/run/secrets/otlp' })
      ?.headers;

  test("are parsed in OpenTelemetry's format", () => {
    expect(readHeaders('authorization=Basic%20dXNlcjpwYXNz=, x-tenant = a%2Cb')).toEqual({
      authorization: 'Basic dXNlcjpwYXNz=',
      'x-tenant': 'a,b',
    });
  });

  test('are left to the exporter if they are in the variable', () => {
    expect(withCollector({ OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a' })?.headers).toBeUndefined();
  });

  test.each(['token', '=secret', 'x token=secret', 'x-token=secret%'])(
    '%p is rejected without being shown',
    (content) => {
      expect(() => readHeaders(content)).toThrow(
        /^OTEL_EXPORTER_OTLP_HEADERS_FILE names a file whose content must be name=value/,
      );
      expect(() => readHeaders(content)).not.toThrow('secret');
    },
  );
});

describe('a setting that cannot be used', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be a URL that begins with http:// or https://'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be otlp'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/protobuf; collectors usually accept it on port 4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', 'must be http/protobuf'],
    ['OTEL_TRACES_SAMPLER', 'parentbased_trace_id_ratio', 'did you mean parentbased_traceidratio'],
    ['OTEL_TRACES_SAMPLER', 'xray', 'must be one of always_on, always_off'],
  ])('%s=%s is refused with its name', (name, value, text) => {
    expect(() => withCollector({ [name]: value })).toThrow(`${name} `);
    expect(() => withCollector({ [name]: value })).toThrow(text);
  });

  test.each(['2', '-0.1', 'half', '1e-1', ''])('a ratio of %p is rejected', (ratio) => {
    const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: ratio };
    expect(() => withCollector(sampler)).toThrow('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  });

  test('a protocol for traces takes precedence over the general one', () => {
    const both = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' };
    expect(withCollector(both)).toEqual({ endpoint: URL, batches: {} });
  });
});
