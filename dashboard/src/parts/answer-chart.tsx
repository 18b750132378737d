import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Stats } from '../api/client.ts';
import { isAmong } from '../lib/answers.ts';
import type { ListFilter } from '../lib/list-filter.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import { AnswersOverTime } from './answers-over-time.tsx';
import { FigureBox } from './figure-box.tsx';

const EVERY_MS = 10_000;
/** The span of a list without one. */
const USUAL = '24h';
/** So many answers are drawn; the table has all. */
const DRAWN = 5;
/** Filters that the figures know: they are counted by minute, by channel, by subscription and by answer. */
const FOLLOWED: readonly string[] = ['channel', 'subscription', 'since', 'until', 'answer', 'error'];

/** Answers over time are counted by class alone. */
const FOLLOWED_OVER_TIME = FOLLOWED.filter((name) => name !== 'answer' && name !== 'error');

type Answer = Stats['answers'][number];

const isGood = (answer: Answer): boolean => 'status' in answer && answer.status >= 200 && answer.status < 300;

/** Whether the filters by answer and by error let it through. An answer that has not delivered is an error by its status. */
const isWanted = (answer: Answer, { answer: statuses, error }: Readonly<Record<string, string>>): boolean => {
  if (statuses !== undefined && !('status' in answer && isAmong(answer.status, statuses))) return false;
  if (error === undefined) return true;
  return 'status' in answer ? error === 'status' && !isGood(answer) : answer.errorClass === error;
};

/** The class of answers that the filters leave alone; undefined where they leave all, or what no class is. */
const classOf = ({ answer, error }: Readonly<Record<string, string>>): string | undefined =>
  error === undefined && answer !== undefined && /^[2-5]xx$/.test(answer) ? answer : undefined;

/**
 * How the tries of the span of the list ended, by answer, in all and over time. Filters of the list that figures cannot follow are named.
 */
export function AnswerChart({ filters }: { filters: readonly ListFilter[] }) {
  const t = useTexts();
  const { at, path } = useHere();
  const { minute } = useTimes();
  const [search, change] = useAddress();
  const { channel, subscription, since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'answer-chart', channel, subscription, since, until],
    queryFn: () =>
      api.stats.get(
        { channelId: channel, subscriptionId: subscription, since: sinceOf(since), until: sinceOf(until) },
        at,
      ),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const answers = (found.data?.answers ?? []).filter((answer) => isWanted(answer, search));
  if (found.data === undefined || answers.length === 0) return null;
  const all = answers.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(...answers.map(({ count }) => count));
  const number = (value: number): string => value.toLocaleString(t.figures.locale);
  // Never 0 % and never 100 % while there is another answer.
  const part = (count: number): string =>
    `${number(count === all ? 100 : Math.min(99.9, Math.max(0.1, Math.round((1_000 * count) / all) / 10)))} %`;
  const rows = answers.map((answer) => ({
    ...answer,
    word: 'status' in answer ? String(answer.status) : t.errorClasses[answer.errorClass],
    look: isGood(answer) ? 'delivered' : 'failed',
    filter:
      'status' in answer ? { answer: String(answer.status), error: '' } : { error: answer.errorClass, answer: '' },
  }));
  const only = classOf(search);
  const besideThese = (followed: readonly string[]): ReactNode => {
    const beside = filters.filter(({ name }) => search[name] !== undefined && !followed.includes(name));
    return (
      beside.length > 0 && <p className="muted">{t.figures.notNarrowed(beside.map(({ label }) => label).join(', '))}</p>
    );
  };
  return (
    <div className="columns">
      <FigureBox
        title={t.figures.byAnswer}
        isSlim
        beside={
          <span className="muted">
            {until === undefined && search['since'] === undefined
              ? t.figures.lastDay
              : `${minute(found.data.since)} – ${minute(found.data.until)}`}
          </span>
        }
        table={
          <>
            <thead>
              <tr>
                <th scope="col">{t.figures.answer}</th>
                <th scope="col" className="number">
                  {t.figures.attempts}
                </th>
                <th scope="col" className="number">
                  {t.figures.part}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ word, look, count }) => (
                <tr key={word}>
                  <td>
                    <span className={`state ${look}`}>{word}</span>
                  </td>
                  <td className="number">{number(count)}</td>
                  <td className="number">{part(count)}</td>
                </tr>
              ))}
            </tbody>
          </>
        }
        below={besideThese(FOLLOWED)}
      >
        <ul className="bars">
          {rows.slice(0, DRAWN).map(({ word, look, count, filter }) => (
            <li key={word}>
              <button
                type="button"
                className="button plain"
                title={t.figures.onlyAnswer(word)}
                onClick={() => change({ ...filter, open: '' })}
              >
                <span className={`state ${look}`}>{word}</span>
              </button>
              <svg className="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect className={look} width={Math.max(1, (100 * count) / most)} height={10} />
              </svg>
              <span className="number">
                {number(count)} <span className="muted">{part(count)}</span>
              </span>
            </li>
          ))}
        </ul>
        {rows.length > DRAWN && <p className="muted">{t.figures.moreAnswers(rows.length - DRAWN)}</p>}
      </FigureBox>
      <AnswersOverTime
        of={found.data}
        only={only}
        isSlim
        onSpan={(span) => change({ ...span, open: '' })}
        below={
          <>
            {besideThese(only === undefined ? FOLLOWED_OVER_TIME : FOLLOWED)}
            <p className="muted">{t.figures.madeThen}</p>
          </>
        }
      />
    </div>
  );
}
