import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  type SqlMigrationAwareDriverAdapterFactory,
  bindMigrationAwareSqlAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';

type WasmExports = Record<string, unknown>;

// Node has this global, but TypeScript declares it only in the browser's library, which is not loaded.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: Record<string, object>): Promise<{ exports: WasmExports }>;
};

/** The part of the package's glue that its type declarations omit. */
type Glue = { SchemaEngine: typeof SchemaEngine; __wbg_set_wasm(exports: WasmExports): void };

let glue: Promise<Glue> | undefined;

/**
 * Prisma's own schema engine, as WebAssembly: nothing native is needed or downloaded. `datamodels` are pairs of file
 * name and content, at least one. The caller frees it.
 */
export async function createSchemaEngine(
  factory: SqlMigrationAwareDriverAdapterFactory,
  datamodels: [string, string][],
): Promise<SchemaEngine> {
  glue ??= loadGlue();
  const engine = (await glue).SchemaEngine;
  return engine.new({ datamodels }, () => undefined, bindMigrationAwareSqlAdapterFactory(factory));
}

// The package's entry imports its .wasm as a module, which Node cannot do without a flag, so this code loads it itself.
async function loadGlue(): Promise<Glue> {
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const compiled = await WebAssembly.compile(await readFile(path.replace(/\.js$/, '.wasm')));
  // The cast: the declarations describe the entry, and this is the file behind it.
  const loaded = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as Glue;
  const { exports } = await WebAssembly.instantiate(compiled, {
    './schema_engine_bg.js': withoutLingeringTimers(loaded),
  });
  loaded.__wbg_set_wasm(exports);
  // The glue reports a panic of the engine to this global before it traps. Without it the report itself would be the error.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: refuseOnPanic } });
  // The cast: an export is any value to TypeScript; this one is wasm-bindgen's start function.
  (exports['__wbindgen_start'] as () => void)();
  return loaded;
}

// The engine never clears the 10 s timer of its advisory lock, which would keep the process alive that long after its work.
function withoutLingeringTimers(loaded: Glue): object {
  const replaced = Object.entries(loaded).filter(([name]) => name.startsWith('__wbg_setTimeout'));
  // The cast: the glue exports setTimeout under these names, with other parameter names.
  return {
    ...loaded,
    ...Object.fromEntries(
      replaced.map(([name, setTimer]) => [
        name,
        (...values: unknown[]) => (setTimer as (...values: unknown[]) => NodeJS.Timeout)(...values).unref(),
      ]),
    ),
  };
}

function refuseOnPanic(message: string): never {
  throw new Error(`Prisma's schema engine stopped: ${message}`);
}
