import { useState } from 'react';
import { api, type Approval } from '../../api/client.ts';
import {
  type AnswerField,
  answerFieldsOf,
  answerPath,
  answerProblem,
  type AnswerProblem,
  answersText,
} from '../../lib/answer-fields.ts';
import { isJsonText } from '../../lib/json-text.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { problemOf } from '../../parts/problem-of.ts';

const PROBLEMS: Readonly<Record<AnswerProblem, string>> = {
  missing: 'Required to approve',
  number: 'Enter a number, for example 12.50',
  whole: 'Enter a whole number, for example 12',
  json: 'Enter JSON, for example [1, 2] or "text"',
};

type Choice = 'approve' | 'reject';

/** Manages the input for a decision, and sends it. `form`: the JSON Schema of its response. */
export function useDecision(row: Approval, form: string | undefined) {
  const { at } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [comment, setComment] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [written, setWritten] = useState('{}');
  const [isChecked, setIsChecked] = useState(false);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<Choice>();
  const fields = form === undefined ? undefined : answerFieldsOf(form);
  const problemIn = (field: AnswerField, mayBeMissing = false): string | undefined => {
    const problem = answerProblem(field, values[field.name] ?? field.initial);
    return problem === undefined || (mayBeMissing && problem === 'missing') ? undefined : PROBLEMS[problem];
  };
  const refused = problemOf(error, 'data');
  const isShownAtField =
    refused !== undefined &&
    (fields === undefined || fields.some(({ name }) => problemOf(error, answerPath(name)) !== undefined));
  /** Returns what to send. Undefined if the response has problems, which its fields then show. */
  const bodyOf = (how: Choice): string | undefined => {
    // A rejection may leave the response out.
    const isWritten =
      fields === undefined ? written.trim() !== '{}' : Object.values(values).some((each) => each !== '');
    const isWithData = form !== undefined && (how === 'approve' || isWritten);
    const isBad =
      fields === undefined
        ? !isJsonText(written)
        : fields.some((field) => problemIn(field, how === 'reject') !== undefined);
    setIsChecked(isWithData && isBad);
    if (isWithData && isBad) return undefined;
    const parts = JSON.stringify({
      stepId: row.stepId,
      ...(row.iteration !== '' && { iteration: row.iteration }),
      ...(comment.trim() !== '' && { comment: comment.trim() }),
    });
    // The response is sent exactly as it was entered.
    const data = fields === undefined ? written : answersText(fields, values);
    return isWithData ? `${parts.slice(0, -1)},"data":${data}}` : parts;
  };
  const send = (how: Choice, body: string): PromiseLike<unknown> =>
    how === 'approve' ? api.runs.approve(row.runId, body, at) : api.runs.reject(row.runId, body, at);
  const decide = async (how: Choice): Promise<void> => {
    setError(undefined);
    const body = bodyOf(how);
    if (body === undefined) return;
    setBusy(how);
    await act(
      async () => {
        await send(how, body);
        await refresh();
      },
      { told: `${how === 'approve' ? 'Approved' : 'Rejected'}: ${row.title}`, onFailure: setError },
    );
    setBusy(undefined);
  };
  return {
    fields,
    comment,
    setComment,
    values,
    setValues,
    written,
    setWritten,
    /** The problem with the response as a whole, if it does not have a field for each member. */
    writtenError: isChecked && !isJsonText(written) ? PROBLEMS.json : refused,
    errorIn: (field: AnswerField): string | undefined =>
      isChecked ? problemIn(field) : problemOf(error, answerPath(field.name)),
    /** A failure that no field shows. */
    failure: isShownAtField ? undefined : error,
    busy,
    decide,
    /** Creates the approval's request for display. */
    describe: (): unknown => {
      const body = bodyOf('approve');
      return body === undefined ? undefined : send('approve', body);
    },
  };
}
