import { useQuery } from '@tanstack/react-query';
import { api, isApiError } from '../../api/client.ts';
import { useHere } from '../../lib/session.ts';
import { useSettled } from '../../parts/use-found.ts';
import { type SchemaProblem, schemaProblem } from './schema-fields.ts';

/** Returns what the service rejected about a schema, or undefined for any other failure. */
export const schemaProblemOf = (error: unknown): SchemaProblem | undefined =>
  isApiError(error) && error.details !== undefined ? schemaProblem(error.details) : undefined;

/** Any message will do, because the schemas are compiled before it is validated. */
const MESSAGE = '{"eventType":"schema.check","payload":{}}';

/**
 * Returns the first problem that the service finds in schemas while they are edited. `tried`: the schemas as members of
 * a request; undefined while there is nothing to check.
 */
export function useSchemaCheck(channelId: string, tried: string | undefined): SchemaProblem | undefined {
  const { at, path } = useHere();
  const settled = useSettled(tried ?? '');
  const found = useQuery({
    queryKey: [path, 'schema-check', channelId, settled],
    queryFn: async () => {
      try {
        await api.messages.validate(channelId, `{"messages":[${MESSAGE}],${settled}}`, at);
        return null;
      } catch (error) {
        const problem = schemaProblemOf(error);
        if (problem === undefined) throw error;
        return problem;
      }
    },
    enabled: settled !== '' && settled === tried,
    meta: { failure: 'own' },
    retry: false,
    staleTime: Infinity,
  });
  return settled === tried ? (found.data ?? undefined) : undefined;
}
