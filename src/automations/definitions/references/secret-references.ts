import { piecesOf, secretIn, textsOf } from '../../expressions/templates.ts';
import { planOf } from '../plan/compile.ts';
import type { DefinitionProblem } from '../plan/graph.ts';
import { secretTemplatesOf } from './secret-templates.ts';

/** Secrets that a definition names and that the environment has not. `find` gives those of the names that it has. */
export async function secretProblems(
  { steps }: { steps?: unknown },
  find: (names: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<DefinitionProblem[]> {
  const named = planOf(undefined, steps).steps.flatMap((step, index) =>
    secretTemplatesOf(step).flatMap(({ field, template }) =>
      [...textsOf(template, `steps[${index}].config.${field}`)].flatMap(({ path, text }) =>
        piecesOf(text).flatMap((piece) => {
          const name = 'text' in piece ? undefined : secretIn(piece.expression);
          return name === undefined ? [] : [{ field: path, name }];
        }),
      ),
    ),
  );
  if (named.length === 0) return [];
  const found = await find([...new Set(named.map(({ name }) => name))]);
  return named
    .filter(({ name }) => !found.has(name))
    .map(({ field, name }) => ({ field, reason: `references unknown secret ${JSON.stringify(name)}` }));
}
