import type { DatabaseReader } from '../../platform/db/client.ts';
import { type ErrorDetails, invalidFields, BodyMisfit } from '../../kernel/errors.ts';
import type { Schemas } from '../../messaging/schemas/schemas.ts';
import type { Slices } from '../../platform/slices.ts';
import type { Checks, ChecksAndLookUps } from './problems/languages-and-targets.ts';
import {
  connectionProblems,
  channelProblems,
  webhookProblems,
  secretProblems,
  workflowProblems,
} from './references.ts';
import { MOST_PROBLEMS, type DefinitionProblem } from './plan/graph.ts';
import { problemSearch } from './problems/problems.ts';
import { findConnectors, findSecretNames, findCalls, findWebhookIds } from './reference-store.ts';
import { type DefinitionTexts, findChannelIds } from './store.ts';
import { planOf } from './plan/compile.ts';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import { expressionsIn } from '../expressions/templates.ts';
import { memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';

/** A definition as validation and the audit log use it. */
type Given = { trigger?: Record<string, unknown>; steps?: readonly unknown[] };

/** Returns the author's texts in a body; of an invalid body, those without problems. */
export function textsIn(body: object, bodyText: string): DefinitionTexts {
  const good = body instanceof BodyMisfit ? body.rest() : body;
  const textOf = (name: string): string | undefined => {
    if (!Object.hasOwn(good, name)) return undefined;
    const span = memberSpan(bodyText, wholeSpan(bodyText), name);
    const text = span && bodyText.slice(span.start, span.end);
    // Null means that the field is left out.
    return text === 'null' ? undefined : text;
  };
  const [trigger, steps] = [textOf('trigger'), textOf('steps')];
  return { ...(trigger !== undefined && { trigger }), ...(steps !== undefined && { steps }) };
}

/** Reports a definition that is too long. */
function sizeProblem({ trigger = '', steps = '' }: DefinitionTexts): DefinitionProblem | undefined {
  const isTooLong = Buffer.byteLength(`${trigger}${steps}`) > WORKFLOW_BOUNDS.definitionBytes;
  return isTooLong
    ? { field: 'steps', reason: `and trigger must have at most ${WORKFLOW_BOUNDS.definitionBytes} bytes` }
    : undefined;
}

/** Parses stored texts. */
export function parsed({ trigger, steps }: DefinitionTexts): Given {
  // `as`: validated when they were written.
  return {
    ...(trigger !== undefined && { trigger: JSON.parse(trigger) as Record<string, unknown> }),
    ...(steps !== undefined && { steps: JSON.parse(steps) as unknown[] }),
  };
}

/** Runs one read, within a transaction or on its own. */
export type DefinitionLook = <T>(look: (reader: DatabaseReader) => Promise<T>) => Promise<T>;

/**
 * Finds all problems of trigger and steps, including references to things that the environment does not have. `own`:
 * the id of the workflow, if it has one.
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
    // References are only looked up if the fields themselves are valid.
    return together(problems, hasForm ? await namedIn(given, where) : [], await lookedUp(addresses, checks));
  };
}

/** Maximum host names resolved per definition, all at the same time. Each request checks its address again. */
const MOST_LOOKED_UP = 20;

/** Returns the problems of addresses whose host names resolve to addresses that are not allowed, by field. */
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

/** Combines the problems of several checks; a field reported by an earlier check is not reported again. */
export function together(...looks: readonly (readonly ErrorDetails[])[]): ErrorDetails[] {
  const all: ErrorDetails[] = [];
  for (const problems of looks) {
    const isTold = new Set(all.map(({ field }) => field));
    all.push(...problems.filter(({ field }) => !isTold.has(field)));
  }
  return all.slice(0, MOST_PROBLEMS);
}

/** Returns a valid body without further problems; otherwise throws INVALID_REQUEST with all problems. */
export function requireFitting<T>(body: T | BodyMisfit, further: readonly ErrorDetails[]): T {
  const [first, ...others] = together(body instanceof BodyMisfit ? body.faults : [], further);
  if (first !== undefined) throw invalidFields([first, ...others]);
  // `as`: an invalid body always has problems.
  return body as T;
}

/**
 * Reports steps with more expressions than allowed, per step or in total, because each one costs time when saving and
 * in runs.
 */
function expressionCountProblem(steps: unknown): DefinitionProblem | undefined {
  if (!Array.isArray(steps)) return undefined;
  const counts = (steps as readonly unknown[]).map((step) => expressionsIn(step).length);
  const index = counts.findIndex((count) => count > WORKFLOW_BOUNDS.expressionsOfStep);
  if (index !== -1)
    return {
      field: `steps[${index}].config`,
      reason: `must have at most ${WORKFLOW_BOUNDS.expressionsOfStep} different expressions, not ${counts[index]}`,
    };
  const count = counts.reduce((sum, each) => sum + each, 0);
  return count > WORKFLOW_BOUNDS.expressions
    ? {
        field: 'steps',
        reason: `must have at most ${WORKFLOW_BOUNDS.expressions} different expressions in total, not ${count}`,
      }
    : undefined;
}

/**
 * Reports schemas of approvals and of manual runs that are not valid JSON Schema or too expensive. `key`: groups the
 * checks for fairness.
 */
async function formProblems(
  { trigger, steps }: { trigger?: unknown; steps?: unknown },
  key: string,
  schemas: Pick<Schemas, 'problemOf'>,
): Promise<DefinitionProblem[]> {
  const problems: DefinitionProblem[] = [];
  for (const { field, form } of formsIn(trigger, steps)) {
    const reason = await schemas.problemOf(key, form);
    if (reason !== undefined) problems.push({ field, reason });
  }
  return problems;
}

type Form = { field: string; form: Record<string, unknown> };

function formsIn(trigger: unknown, steps: unknown): Form[] {
  const plan = planOf(trigger, steps);
  // `as`: according to the config schemas.
  const form = (field: string, schema: unknown): Form[] =>
    schema === undefined ? [] : [{ field, form: schema as Record<string, unknown> }];
  return [
    ...(plan.trigger.type === 'manual' ? form('trigger.config.inputSchema', plan.trigger.inputSchema) : []),
    ...plan.steps.flatMap((step, index) =>
      step.type === 'approval' ? form(`steps[${index}].config.form`, step.form) : [],
    ),
  ];
}
