import clsx from 'clsx';
import { Check, Clock, ListChecks, Users, X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { api, type Approval } from '../../api/client.ts';
import { APPROVAL_STATES } from '../../lib/run-words.ts';
import { useHere } from '../../lib/session.ts';
import { Doer } from '../../parts/doer.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago, In } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { useRequestToggle } from '../../parts/request-toggle.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { TextField } from '../../ui/field.tsx';
import { Fold, HeadFact } from '../../ui/layout.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { AnswerForm } from './answer-form.tsx';
import { useDecision } from './use-decision.ts';

type Given = {
  of: Approval;
  /** JSON Schema of the response. */
  form: string | undefined;
  /** The card is not on the page of its run, so it names the workflow and links to the run. */
  hasRun?: boolean;
  /** The address names it, so scroll to it. */
  isNamed?: boolean;
  /** It no longer waits: show how it was decided. */
  isGone?: boolean;
  children?: ReactNode;
};

/** A decision that a run waits for, with its form and a comment field. */
export function Decision({ of: row, form, hasRun = false, isNamed = false, isGone = false, children }: Given) {
  const { may } = useHere();
  const id = useId();
  const box = useRef<HTMLElement>(null);
  const taken = useTaken(row.id, isGone);
  useEffect(() => {
    if (isNamed) box.current?.scrollIntoView({ block: 'center' });
  }, [isNamed]);
  return (
    <section
      ref={box}
      aria-labelledby={id}
      className={`min-w-0 rounded-8 border bg-raised shadow-1 ${isNamed ? 'border-focus ring-1 ring-focus' : 'border-line-strong'}`}
    >
      <div
        className={clsx(
          'grid gap-x-8 gap-y-3 px-4 pt-3.5 pb-4',
          hasRun && may('developer') && 'lg:grid-cols-[minmax(0,1fr)_minmax(320px,420px)]',
        )}
      >
        <div className="flex min-w-0 gap-2.25">
          <span className="flex h-5 items-center">
            <StatusIcon tone={taken === undefined ? 'approval' : APPROVAL_STATES[taken.status].tone} isSmall={false} />
          </span>
          <div className="min-w-0 grow">
            <h2 id={id} className="text-15 leading-5 [overflow-wrap:anywhere]">
              {hasRun ? (
                <HereLink to={`/runs/${row.runId}`} search={{ step: row.stepId }} className="hover:underline">
                  {row.title}
                </HereLink>
              ) : (
                row.title
              )}
            </h2>
            {row.message !== undefined && (
              <p className="mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{row.message}</p>
            )}
            <div className="mt-1.5 flex flex-wrap gap-x-3.5 gap-y-1 text-12 text-text-2">
              {hasRun && (
                <HeadFact icon={ListChecks}>
                  <Name kind="workflow" id={row.workflowId} />
                </HeadFact>
              )}
              <HeadFact icon={Clock}>
                <span>
                  asked <Ago at={row.createdAt} />
                  {!isGone && (
                    <>
                      , due <In at={row.expiresAt} />
                    </>
                  )}
                </span>
              </HeadFact>
              {row.approvers.length > 0 && <HeadFact icon={Users}>{row.approvers.join(', ')}</HeadFact>}
            </div>
            {children !== undefined && <div className="mt-1.5">{children}</div>}
          </div>
        </div>
        {may('developer') ? (
          <Form row={row} form={form} isOfMany={hasRun} isGone={isGone} taken={taken} />
        ) : (
          isGone && <Taken of={taken} />
        )}
      </div>
    </section>
  );
}

/** How a decision that no longer waits was made. */
function useTaken(id: string, isGone: boolean): Approval | undefined {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'approval-taken', id],
    queryFn: () => api.approvals.get(id, at),
    enabled: isGone,
    meta: { failure: 'own' },
  });
  return found.data;
}

function Taken({ of: taken }: { of: Approval | undefined }) {
  return (
    <p role="status" className="flex min-h-8 flex-wrap items-center gap-x-1.5 text-text-2">
      {taken === undefined ? (
        'No longer pending'
      ) : (
        <>
          <Status tone={APPROVAL_STATES[taken.status].tone}>{APPROVAL_STATES[taken.status].word}</Status>
          {taken.decidedBy !== undefined && (
            <span>
              by <Doer id={taken.decidedBy} />
            </span>
          )}
          {taken.decidedAt !== undefined && <Ago at={taken.decidedAt} />}
        </>
      )}
    </p>
  );
}

function Form({
  row,
  form,
  isOfMany,
  isGone,
  taken,
}: {
  row: Approval;
  form: string | undefined;
  isOfMany: boolean;
  isGone: boolean;
  taken: Approval | undefined;
}) {
  const decision = useDecision(row, form);
  const { fields, busy, decide } = decision;
  const request = useRequestToggle(decision.describe);
  return (
    <form
      className={clsx('flex min-w-0 flex-col gap-3', !isOfMany && 'pl-6.25')}
      onSubmit={(event) => {
        event.preventDefault();
        void decide('approve');
      }}
    >
      {/* What was entered stays, so that the cards below keep their place. */}
      <div inert={isGone} className={clsx('flex flex-col gap-3', isGone && 'opacity-60')}>
        {fields !== undefined && (
          <AnswerForm
            fields={fields}
            values={decision.values}
            onChange={decision.setValues}
            errorIn={decision.errorIn}
          />
        )}
        {form !== undefined && fields === undefined && (
          <>
            <CodeEditor
              label="Answers"
              language="json"
              minLines={4}
              value={decision.written}
              onChange={decision.setWritten}
              {...(decision.writtenError !== undefined && { error: decision.writtenError })}
            />
            <Fold title="Schema of the answers">
              <CodeView label="Schema" text={form} />
            </Fold>
          </>
        )}
        <TextField label="Comment" value={decision.comment} onChange={decision.setComment} placeholder="Optional" />
      </div>
      <FailureNote error={decision.failure} />
      {isGone ? (
        <Taken of={taken} />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            // A page of several decisions has no primary action.
            look={isOfMany ? 'default' : 'primary'}
            type="submit"
            icon={Check}
            isBusy={busy === 'approve'}
            isDisabled={busy !== undefined}
          >
            Approve
          </Button>
          <Button
            look="danger"
            icon={X}
            isBusy={busy === 'reject'}
            isDisabled={busy !== undefined}
            onClick={() => void decide('reject')}
          >
            Reject
          </Button>
          <span className="ml-auto">{request.button}</span>
        </div>
      )}
      {!isGone && request.lines}
    </form>
  );
}
