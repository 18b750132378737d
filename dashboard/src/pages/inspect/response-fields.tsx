import type { Inspector } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { problemOf } from '../../parts/problem-of.ts';
import { TextField } from '../../ui/field.tsx';

export type ResponseDraft = Record<'status' | 'delayMs' | 'failurePercent', string>;

export const draftOf = (inspector?: Inspector): ResponseDraft => ({
  status: String(inspector?.answer.status ?? 200),
  delayMs: String(inspector?.answer.delayMs ?? 0),
  failurePercent: String(inspector?.answer.failurePercent ?? 0),
});

export const answerOf = ({ status, delayMs, failurePercent }: ResponseDraft): Inspector['answer'] => ({
  status: Number(status),
  delayMs: Number(delayMs),
  failurePercent: Number(failurePercent),
});

/** Returns a text such as `200` or `503 after 1.5 s, 10% failures`. */
export function responseText({ answer }: Pick<Inspector, 'answer'>): string {
  const { status, delayMs, failurePercent } = answer;
  const late = delayMs > 0 ? ` after ${durationText(delayMs)}` : '';
  return `${status}${late}${failurePercent > 0 ? `, ${failurePercent}% failures` : ''}`;
}

/** The fields for an inspector's response. */
export function ResponseFields({
  draft,
  error,
  onChange,
}: {
  draft: ResponseDraft;
  error: unknown;
  onChange: (draft: ResponseDraft) => void;
}) {
  const field = (name: keyof ResponseDraft) => ({
    type: 'number' as const,
    inputMode: 'numeric' as const,
    isRequired: true,
    value: draft[name],
    onChange: (value: string) => onChange({ ...draft, [name]: value }),
    error: problemOf(error, `answer.${name}`),
  });
  return (
    <>
      <TextField
        label="Status code"
        {...field('status')}
        hint="200 to 599. 410 disables the subscription, other errors are retried."
      />
      <TextField label="Delay" {...field('delayMs')} after="ms" hint="Up to 30,000 ms" />
      <TextField
        label="Failure rate"
        {...field('failurePercent')}
        after="%"
        hint="This share of requests gets 500 instead"
      />
    </>
  );
}
