import type { Run, Trial } from '../api/client.ts';
import { stepWord } from '../lib/kind-words.ts';
import { itemTexts, memberText } from '../lib/raw-json.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import type { Texts } from '../texts/en.ts';
import { AskButton } from './ask-button.tsx';
import { JsonText } from './code.tsx';
import { State } from './state.tsx';
import { TemporalLink } from './temporal-link.tsx';
import { Time, useClock } from './time.tsx';

type Step = Run['steps'][number] | Trial['steps'][number];

type Given = {
  steps: readonly Step[];
  /** Their JSON. */
  text: string;
  /** When the run ended. Absent while it goes on. */
  endedAt?: string | undefined;
  /** Address of the run in Temporal's UI, where somebody has told it. */
  temporal?: string | undefined;
  /** Begins the run again at a step that has ended. Absent where it can at none. */
  again?: { runId: string; isOf: (step: Step) => boolean; go: (stepId: string) => Promise<void> };
};

/** The steps of a run on a line of time, each with what went in and came out, digit for digit. */
export function StepList({ steps, text, endedAt, temporal, again }: Given) {
  const t = useTexts();
  const texts = itemTexts(text);
  const present = useClock(endedAt === undefined && steps.some(isUnderWay));
  const now = endedAt === undefined ? present : Date.parse(endedAt);
  const begins = steps.flatMap((step) => ('startedAt' in step ? [Date.parse(step.startedAt)] : []));
  const first = Math.min(...begins);
  const ends = steps.map((step) => endOf(step, now)).filter((end) => end !== undefined);
  const span = Math.max(1, Math.max(...ends, ...begins) - first);
  if (steps.length === 0) return <p className="muted">{t.runs.noStep}</p>;
  return (
    <ol className="stack">
      {steps.map((step, position) => {
        const own = texts[position] ?? '{}';
        const from = 'startedAt' in step ? Date.parse(step.startedAt) : first;
        // The clock of this browser may be behind that of the service.
        const took = Math.max(0, (endOf(step, now) ?? from) - from);
        return (
          <li key={`${step.id} ${step.iteration}`}>
            <details className="box attempt" open={step.status === 'failed'}>
              <summary>
                <strong>{step.id}</strong>
                {step.iteration !== '' && <span className="muted"> [{step.iteration}]</span>} <State of={step.status} />{' '}
                <span className="muted">
                  {stepWord(t, step.type)}
                  {'startedAt' in step && ` · ${tookText(step, took, t)}`}
                  {'attempts' in step && step.attempts > 1 && ` · ${t.deliveries.attempts(step.attempts)}`}
                  {'crashes' in step && step.crashes !== undefined && ` · ${t.runs.crashes(step.crashes)}`}
                </span>
                {'startedAt' in step && (
                  <svg viewBox="0 0 600 8" className="step-line" aria-hidden="true" preserveAspectRatio="none">
                    <rect x={0} y={3} width={600} height={2} className="whole" />
                    <rect
                      x={((from - first) / span) * 592}
                      y={1}
                      width={Math.max(8, (took / span) * 592)}
                      height={6}
                      className={step.status}
                    />
                  </svg>
                )}
              </summary>
              <div className="stack">
                {step.error !== undefined && (
                  <p>
                    <code>{step.error.code}</code> {step.error.message}
                  </p>
                )}
                {'startedAt' in step && (
                  <p className="muted">
                    <Time at={step.startedAt} />
                    {step.finishedAt !== undefined && (
                      <>
                        {' – '}
                        <Time at={step.finishedAt} />
                      </>
                    )}
                  </p>
                )}
                {'attempts' in step && step.attempts > 1 && (
                  <p className="muted">
                    {t.runs.lastAttempt(step.attempts)}{' '}
                    {temporal !== undefined && <TemporalLink to={temporal} text={t.runs.earlierAttempts} />}
                  </p>
                )}
                {again?.isOf(step) === true && 'finishedAt' in step && step.finishedAt !== undefined && (
                  <div className="buttons">
                    <AskButton
                      label={t.runs.retryStep(step.id)}
                      title={t.ask.restartStepTitle(step.id)}
                      why={t.runs.retryStepWhy}
                      name={again.runId}
                      told={t.runs.retryAsked}
                      what={() => again.go(step.id)}
                    />
                  </div>
                )}
                {(['input', 'output'] as const).map((name) => {
                  const part = memberText(own, name);
                  return (
                    part !== undefined && (
                      <section key={name} className="stack">
                        <h3>{t.runs[name]}</h3>
                        <JsonText json={part} label={t.runs[name]} />
                      </section>
                    )
                  );
                })}
              </div>
            </details>
          </li>
        );
      })}
    </ol>
  );
}

/** Whether it has begun and goes on. */
const isUnderWay = (step: Step): boolean =>
  'startedAt' in step && step.finishedAt === undefined && (step.status === 'running' || step.status === 'waiting');

/** Where its bar ends: at the present while it goes on. */
function endOf(step: Step, now: number): number | undefined {
  if (!('startedAt' in step)) return undefined;
  if (isUnderWay(step)) return now;
  return step.finishedAt === undefined ? undefined : Date.parse(step.finishedAt);
}

/** How long it has taken; in whole seconds while it goes on. */
const tookText = (step: Step, took: number, t: Texts): string =>
  isUnderWay(step)
    ? t.runs.soFar(durationText(Math.floor(took / 1_000) * 1_000, t.units))
    : durationText(took, t.units);
