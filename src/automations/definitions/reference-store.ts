import type { DatabaseReader } from '../../db/client.ts';

type Reader = Pick<DatabaseReader, '$queryRawUnsafe'>;

/** Those of the names that the environment has secrets of. */
export async function findSecretNames(
  reader: Reader,
  environmentId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await reader.$queryRawUnsafe<{ name: string }[]>(
    'SELECT name FROM secrets WHERE environment_id = $1 AND name = ANY($2)',
    environmentId,
    names,
  );
  return new Set(rows.map(({ name }) => name));
}
