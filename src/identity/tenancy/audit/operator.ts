import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { AuditActor } from './record.ts';

const COMMAND_LINE = { kind: 'commandLine' } as const;

/** The operator on the command line, who acts on something of that environment. */
export async function operatorIn(db: DatabaseTransaction, environmentId: string): Promise<AuditActor> {
  const where = { id: environmentId };
  const { appId, app } = await db.environment.findUniqueOrThrow({ where, include: { app: true } });
  return { organisationId: app.organisationId, appId, environmentId, actor: COMMAND_LINE };
}

/** The operator on the command line, who acts on an app. */
export const operatorOn = ({ organisationId, id }: { organisationId: string; id: string }): AuditActor => ({
  organisationId,
  appId: id,
  actor: COMMAND_LINE,
});
