import type { DatabaseReader } from '../../platform/db/client.ts';
import { type ErrorDetails, invalidFields } from '../../kernel/errors.ts';
import { BodyMisfit } from '../../kernel/errors.ts';
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

/** A definition as its validation and the audit log read it. */
type Given = { trigger?: Record<string, unknown>; steps?: readonly unknown[] };

/** The author's own texts in a body: of one that does not fit, those that it has no fault in. */
export function textsIn(body: object, bodyText: string): DefinitionTexts {
  const good = body instanceof BodyMisfit ? body.rest() : body;
  const textOf = (name: string): string | undefined => {
    if (!Object.hasOwn(good, name)) return undefined;
    const span = memberSpan(bodyText, wholeSpan(bodyText), name);
    const text = span && bodyText.slice(span.start, span.end);
    // Null is what a field is left out by.
    return text === 'null' ? undefined : text;
  };
  const [trigger, steps] = [textOf('trigger'), textOf('steps')];
  return { ...(trigger !== undefined && { trigger }), ...(steps !== undefined && { steps }) };
}

/** More text than a definition may have. */
function sizeProblem({ trigger = '', steps = '' }: DefinitionTexts): DefinitionProblem | undefined {
  const isTooLong = Buffer.byteLength(`${trigger}${steps}`) > WORKFLOW_BOUNDS.definitionBytes;
  return isTooLong
    ? { field: 'steps', reason: `and trigger must have at most ${WORKFLOW_BOUNDS.definitionBytes} bytes` }
    : undefined;
}

/** The values of stored texts. */
export function parsed({ trigger, steps }: DefinitionTexts): Given {
  // `as`: they had that form when they were written.
  return {
    ...(trigger !== undefined && { trigger: JSON.parse(trigger) as Record<string, unknown> }),
    ...(steps !== undefined && { steps: JSON.parse(steps) as unknown[] }),
  };
}

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

/** Steps whose templates hold more expressions than a step, or all steps together, may have: each costs time on save and in runs. */
function expressionCountProblem(steps: unknown): DefinitionProblem | undefined {
  if (!Array.isArray(steps)) return undefined;
  const counts = (steps as readonly unknown[]).map((step) => expressionsIn(step).length);
  const index = counts.findIndex((count) => count > WORKFLOW_BOUNDS.expressionsOfStep);
  if (index !== -1)
    return {
      field: `steps[${index}].config`,
      reason: `holds ${counts[index]} different expressions; a step may hold ${WORKFLOW_BOUNDS.expressionsOfStep}`,
    };
  const count = counts.reduce((sum, each) => sum + each, 0);
  return count > WORKFLOW_BOUNDS.expressions
    ? {
        field: 'steps',
        reason: `hold ${count} different expressions; all steps together may hold ${WORKFLOW_BOUNDS.expressions}`,
      }
    : undefined;
}

/**
 * Forms of approvals, and of the payload of runs by hand, that are no JSON Schema, or one that costs too much. `key`: whose turn the
 * checks take.
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
  // `as`: the schemas of the configs say so.
  const form = (field: string, schema: unknown): Form[] =>
    schema === undefined ? [] : [{ field, form: schema as Record<string, unknown> }];
  return [
    ...(plan.trigger.type === 'manual' ? form('trigger.config.inputSchema', plan.trigger.inputSchema) : []),
    ...plan.steps.flatMap((step, index) =>
      step.type === 'approval' ? form(`steps[${index}].config.form`, step.form) : [],
    ),
  ];
}
