import { useState } from 'react';
import { api, type Approval } from '../api/client.ts';
import { answerFieldsOf, answerPath, answerProblem, answersText, type AnswerField } from '../lib/answer-fields.ts';
import { isJsonText, jsonProblem } from '../lib/json-problem.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { AnswerForm } from '../parts/answer-form.tsx';
import { JsonText } from '../parts/code.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { Time } from '../parts/time.tsx';

type Values = Readonly<Record<string, string>>;

/** One decision that a run waits for, with a comment and the answers that its form asks for. `form` is its JSON Schema. */
export function Decision({ of: row, form }: { of: Approval; form: string | undefined }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [comment, setComment] = useState('');
  const [values, setValues] = useState<Values>({});
  const [written, setWritten] = useState('{}');
  const [isChecked, setIsChecked] = useState(false);
  const [error, setError] = useState<unknown>();
  const fields = form === undefined ? undefined : answerFieldsOf(form);
  const problemIn = (field: AnswerField, mayBeMissing = false): string | undefined => {
    const problem = answerProblem(field, values[field.name] ?? field.initial);
    return problem === undefined || (mayBeMissing && problem === 'missing') ? undefined : t.runs.badAnswers[problem];
  };
  const refused = problemOf(error, 'data');
  const isShownAtField =
    refused !== undefined &&
    (fields === undefined || fields.some(({ name }) => problemOf(error, answerPath(name)) !== undefined));
  const decide = (how: 'approve' | 'reject'): void => {
    setError(undefined);
    // A rejection may leave the answers out.
    const isWritten =
      fields === undefined ? written.trim() !== '{}' : Object.values(values).some((each) => each !== '');
    const isWithData = form !== undefined && (how === 'approve' || isWritten);
    const isBad =
      fields === undefined
        ? !isJsonText(written)
        : fields.some((field) => problemIn(field, how === 'reject') !== undefined);
    setIsChecked(isWithData && isBad);
    if (isWithData && isBad) return;
    const parts = JSON.stringify({
      stepId: row.stepId,
      ...(row.iteration !== '' && { iteration: row.iteration }),
      ...(comment.trim() !== '' && { comment: comment.trim() }),
    });
    // The answers go as they are written.
    const data = fields === undefined ? written : answersText(fields, values);
    const body = isWithData ? `${parts.slice(0, -1)},"data":${data}}` : parts;
    void act(
      async () => {
        await (how === 'approve' ? api.runs.approve(row.runId, body, at) : api.runs.reject(row.runId, body, at));
        await refresh();
      },
      { onFailure: setError },
    );
  };
  return (
    <section className="box section" aria-label={row.title}>
      <h2>{row.title}</h2>
      {row.message !== undefined && <p>{row.message}</p>}
      <p className="muted">
        {t.runs.decideUntil} <Time at={row.expiresAt} />
      </p>
      {may('developer') && (
        <>
          {fields !== undefined && (
            <AnswerForm
              fields={fields}
              values={values}
              onChange={setValues}
              problemIn={(field) => (isChecked ? problemIn(field) : problemOf(error, answerPath(field.name)))}
            />
          )}
          {form !== undefined && fields === undefined && (
            <>
              <JsonText json={form} label={t.runs.form} />
              <TextField
                label={t.runs.data}
                value={written}
                onChange={setWritten}
                lines={4}
                problem={isChecked ? jsonProblem(written, t) : refused}
              />
            </>
          )}
          <TextField label={t.runs.comment} value={comment} onChange={setComment} />
          {!isShownAtField && <Failure error={error} />}
          <div className="buttons">
            <button type="button" className="button main" onClick={() => decide('approve')}>
              {t.runs.approve}
            </button>
            <button type="button" className="button danger" onClick={() => decide('reject')}>
              {t.runs.reject}
            </button>
          </div>
        </>
      )}
    </section>
  );
}
