import type { DatabaseReader } from '../../platform/db/client.ts';
import { type ErrorDetails, invalidFields, BodyMisfit } from '../../kernel/errors.ts';
import { expressionCountProblem } from './problems/expression-count.ts';
import type { Schemas } from '../../messaging/schemas/schemas.ts';
import type { Slices } from '../../platform/slices.ts';
import type { Checks, ChecksAndLookUps } from './problems/languages-and-targets.ts';
import { connectionProblems } from './references/connection-references.ts';
import { formProblems } from './plan/forms.ts';
import { MOST_PROBLEMS } from './plan/graph.ts';
import { problemSearch } from './problems/problems.ts';
import { findConnectors, findSecretNames, findCalls, findWebhookIds } from './references/reference-store.ts';
import { channelProblems, webhookProblems } from './references/references.ts';
import { secretProblems } from './references/secret-references.ts';
import { type DefinitionTexts, findChannelIds } from './store.ts';
import { workflowProblems } from './references/workflow-references.ts';
import { type Given, parsed, sizeProblem } from './written-texts.ts';

/** Makes one look, within a transaction or by itself. */
export type DefinitionLook = <T>(look: (reader: DatabaseReader) => Promise<T>) => Promise<T>;

/**
 * All that is wrong with trigger and steps, those things counted that they name and the environment has not. `own`: the id of the
 * workflow, where it has one.
 */
export type FindProblems = (
  texts: DefinitionTexts,
  where: { environmentId: string; look: DefinitionLook; own?: string | undefined },
) => Promise<ErrorDetails[]>;

export function createFindProblems({
  checks,
  schemas,
  costly,
}: {
  checks: ChecksAndLookUps;
  schemas: Pick<Schemas, 'problemOf'>;
  costly: Slices;
}): FindProblems {
  const namedIn = async (given: Given, { environmentId, look, own }: Parameters<FindProblems>[1]) => [
    ...(await channelProblems(given, (ids) => look((reader) => findChannelIds(reader, environmentId, ids)))),
    ...(await webhookProblems(given, (ids) => look((reader) => findWebhookIds(reader, environmentId, ids)))),
    ...(await secretProblems(given, (names) => look((reader) => findSecretNames(reader, environmentId, names)))),
    ...(await connectionProblems(given, (ids) => look((reader) => findConnectors(reader, environmentId, ids)))),
    ...(await workflowProblems(given, (ids) => look((reader) => findCalls(reader, environmentId, ids)), own)),
    ...(await formProblems(given, environmentId, schemas)),
  ];
  return async (texts, where) => {
    const given = parsed(texts);
    const size = sizeProblem(texts) ?? expressionCountProblem(given.steps);
    if (size !== undefined) return [size];
    const addresses = new Map<string, string>();
    const urlProblem: Checks['urlProblem'] = (url, field) => {
      addresses.set(field, url);
      return checks.urlProblem(url, field);
    };
    const { goOn, found } = problemSearch(given, { ...checks, urlProblem });
    await costly.run(where.environmentId, goOn);
    const { problems, hasForm } = found;
    // A field that is wrong by itself names nothing.
    return together(problems, hasForm ? await namedIn(given, where) : [], await lookedUp(addresses, checks));
  };
}

/** Host names of a definition that are looked up, all at the same time. Each request judges its addresses again. */
const MOST_LOOKED_UP = 20;

/** Problems of addresses, by their fields, whose host names lead where nothing is sent. */
async function lookedUp(
  addresses: ReadonlyMap<string, string>,
  { lookedUpProblem }: Pick<ChecksAndLookUps, 'lookedUpProblem'>,
): Promise<ErrorDetails[]> {
  const found = [...addresses].slice(0, MOST_LOOKED_UP).map(async ([field, url]) => {
    const reason = await lookedUpProblem(url);
    return reason === undefined ? [] : [{ field, reason }];
  });
  return (await Promise.all(found)).flat();
}

/** The first problems of several looks, without those of fields that an earlier look has spoken of. */
export function together(...looks: readonly (readonly ErrorDetails[])[]): ErrorDetails[] {
  const all: ErrorDetails[] = [];
  for (const problems of looks) {
    const isTold = new Set(all.map(({ field }) => field));
    all.push(...problems.filter(({ field }) => !isTold.has(field)));
  }
  return all.slice(0, MOST_PROBLEMS);
}

/** A body that fits and has no further problems; INVALID_REQUEST, with all that is wrong, for any other one. */
export function requireFitting<T>(body: T | BodyMisfit, further: readonly ErrorDetails[]): T {
  const [first, ...others] = together(body instanceof BodyMisfit ? body.faults : [], further);
  if (first !== undefined) throw invalidFields([first, ...others]);
  // `as`: a misfit has faults.
  return body as T;
}
