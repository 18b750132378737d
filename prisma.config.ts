import { defineConfig } from 'prisma/config';

// `prisma generate` never runs the native schema engine, but refuses to start without one it can find, and
// would download it. Any existing file satisfies the check.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } });
