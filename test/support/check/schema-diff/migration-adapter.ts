import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { Pool, QueryArrayConfig } from 'pg';

// PostgreSQL's type numbers: pg_type.oid.
const CHARACTER_OID = 18;
const TEXT_OID = 25;

/**
 * Prisma's pg adapter on `pool` for the schema engine, with one of its gaps (7.10.0) closed; the pool serves nothing else. The adapter
 * refuses the one-byte type "char" of PostgreSQL's catalogues, which the engine reads to compare a database with the schema.
 */
export function createMigrationAdapter(pool: Pool): SqlMigrationAwareDriverAdapterFactory {
  const characterColumnsOf = presentCharactersAsText(pool);
  const factory = new PrismaPg(pool);
  const complete = (adapter: Awaited<ReturnType<PrismaPg['connect']>>): SqlDriverAdapter => {
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = [...result.columnTypes];
      for (const position of characterColumnsOf(result.rows)) columnTypes[position] = ColumnTypeEnum.Character;
      return { ...result, columnTypes };
    };
    return adapter;
  };
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => complete(await factory.connect()),
    connectToShadowDb: () => factory.connectToShadowDb(),
  };
}

/** Makes the pool report "text" for "char", and remembers the columns; a result is identified by its array of rows. */
function presentCharactersAsText(pool: Pool): (rows: unknown[]) => number[] {
  const known = new WeakMap<unknown[], number[]>();
  const query = pool.query.bind(pool);
  const replacement = async (question: string | QueryArrayConfig): Promise<unknown> => {
    if (typeof question === 'string') return query(question);
    const result = await query(question);
    const positions = result.fields.flatMap(({ dataTypeID }, position) =>
      dataTypeID === CHARACTER_OID ? [position] : [],
    );
    for (const field of result.fields) if (field.dataTypeID === CHARACTER_OID) field.dataTypeID = TEXT_OID;
    known.set(result.rows, positions);
    return result;
  };
  // The cast: Prisma's adapter and this file use only two overloads of `query`, which return a promise.
  pool.query = replacement as typeof pool.query;
  return (rows) => known.get(rows) ?? [];
}
