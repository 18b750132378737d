import { z } from 'zod';
import { noBody } from '../http/answers/answer-fields.ts';

/** Names that would say too little outside their folder. */
const CHOSEN: Readonly<Record<string, string>> = {
  pageQuery: 'PageQuery',
  keysAnswer: 'JsonWebKeySet',
  metadataAnswer: 'AuthorizationServer',
  recoveryCodesAnswer: 'NewRecoveryCodes',
  secretAnswer: 'SubscriptionSecret',
  rotateSecretBody: 'RotateSubscriptionSecret',
  lookAnswer: 'InvitationLook',
  lookBody: 'LookAtInvitation',
  acceptBody: 'AcceptInvitation',
  handOverBody: 'HandOverOwnership',
  revokedAnswer: 'RevokedSessions',
  batchAnswer: 'BatchAccepted',
  publishedAnswer: 'PublishedMessage',
  bulkDiscardBody: 'AskBulkDiscard',
  bulkReplayBody: 'AskBulkReplay',
  bulkRetryBody: 'AskBulkRetry',
  messageReplayBody: 'AskMessageReplay',
  refusalAnswer: 'InboundRefusal',
  receivedAnswer: 'InboundReceived',
  fieldProblem: 'FieldProblem',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const typeName = (name: string): string => CHOSEN[name] ?? capital(name.replace(/(?:Answer|Body|Query)$/, ''));

/** Everything that the files of schemas export, by file; the shared ones come first. */
export type SchemaModules = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Every schema that a schema.ts exports, with the name of its type: `channelAnswer` is Channel. The document's components and the
 * types of the client library have these names. The shared ones come first. A name that is taken, or that `reserved` holds, keeps its
 * ending: ChannelAnswer.
 */
export function schemaNames(modules: SchemaModules, reserved: Iterable<string> = []): Map<unknown, string> {
  const taken = new Set(reserved);
  const names = new Map<unknown, string>();
  for (const [file, exported] of Object.entries(modules)) {
    for (const [name, schema] of Object.entries(exported)) {
      const isNamed = /(?:Answer|Body|Query|Problem|Line)$/.test(name) && schema !== noBody;
      if (!(schema instanceof z.ZodType) || names.has(schema) || !isNamed) continue;
      const type = [typeName(name), capital(name)].find((each) => !taken.has(each));
      if (type === undefined)
        throw new Error(`${file} exports a second ${name}: choose a name in src/api/openapi/schema-names.ts`);
      taken.add(type);
      names.set(schema, type);
    }
  }
  return names;
}
