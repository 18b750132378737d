import clsx from 'clsx';
import { Check, Clock, ListChecks, Users, X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { Approval } from '../../api/client.ts';
import { prettyText } from '../../lib/raw-json.ts';
import { useHere } from '../../lib/session.ts';
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
import { StatusIcon } from '../../ui/status.tsx';
import { AnswerForm } from './answer-form.tsx';
import { useDecision } from './use-decision.ts';

type Given = {
  of: Approval;
  /** JSON Schema of the answers. */
  form: string | undefined;
  /** It does not stand at its run: it names the workflow and leads to the run. */
  hasRun?: boolean;
  /** The address names it: it is brought into view. */
  isNamed?: boolean;
  children?: ReactNode;
};

/** One decision that a run waits for, with the answers that its form asks for, and a comment. */
export function Decision({ of: row, form, hasRun = false, isNamed = false, children }: Given) {
  const { may } = useHere();
  const id = useId();
  const box = useRef<HTMLElement>(null);
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
            <StatusIcon tone="approval" isSmall={false} />
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
                  asked <Ago at={row.createdAt} />, due <In at={row.expiresAt} />
                </span>
              </HeadFact>
              {row.approvers.length > 0 && <HeadFact icon={Users}>{row.approvers.join(', ')}</HeadFact>}
            </div>
            {children !== undefined && <div className="mt-1.5">{children}</div>}
          </div>
        </div>
        {may('developer') && <Form row={row} form={form} isOfMany={hasRun} />}
      </div>
    </section>
  );
}

function Form({ row, form, isOfMany }: { row: Approval; form: string | undefined; isOfMany: boolean }) {
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
      {fields !== undefined && (
        <AnswerForm fields={fields} values={decision.values} onChange={decision.setValues} errorIn={decision.errorIn} />
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
            <CodeView label="Schema" text={prettyText(form)} />
          </Fold>
        </>
      )}
      <TextField label="Comment" value={decision.comment} onChange={decision.setComment} placeholder="Optional" />
      <FailureNote error={decision.failure} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          // A page of decisions has no main one.
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
      {request.lines}
    </form>
  );
}
