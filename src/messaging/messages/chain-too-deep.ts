import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';

/** A message of a run that would begin one too many below it. Nothing is published: its step fails where an operator sees it. */
export class ChainTooDeep extends Error {
  override readonly name = 'ChainTooDeep';
  constructor(workflowId: string) {
    super(
      `${WORKFLOW_BOUNDS.chainDepth} runs stand one below the other already, and the message would begin another of ${workflowId}`,
    );
  }
}
