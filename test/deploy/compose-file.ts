import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const ROOT = join(import.meta.dirname, '../..');
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  command: z.array(z.string()).optional(),
  secrets: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  deploy: z.object({
    replicas: z.union([z.number(), z.string()]).optional(),
    resources: z.object({ limits: z.object({ cpus: z.string(), memory: z.string() }) }),
  }),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
});

/** docker-compose.yml, with its anchors merged and its variables as they stand. */
export const compose = z
  .object({
    services: z.record(z.string(), service),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    networks: z.record(z.string(), z.object({ internal: z.boolean().optional() }).nullable()),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
export const services = Object.entries(compose.services);

/** A value as Compose reads it: `${NAME:-default}` and `${NAME:+instead}`, in which an empty variable counts as none, and `$$`. */
export const interpolated = (text: string, variables: Readonly<Record<string, string>>): string =>
  text
    .replaceAll(/(?<!\$)\$\{([A-Z_]+):([-+])([^}]*)\}/g, (_, name: string, sign: string, word: string) => {
      const value = variables[name] ?? '';
      if (sign === '-') return value === '' ? word : value;
      return value === '' ? '' : word;
    })
    .replaceAll('$$', '$');

/** Variables of a service's container where `.env` has these. */
export const environmentOf = (name: string, dotEnv: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [key, interpolated(value, dotEnv)]),
  );
