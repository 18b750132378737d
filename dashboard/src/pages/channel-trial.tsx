import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type DryRun } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import { memberText, prettyText } from '../lib/raw-json.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Ask } from '../parts/ask.tsx';
import { Failure } from '../parts/failure.tsx';
import { ChoiceField, problemOf, TextField } from '../parts/field.tsx';
import { Verdicts } from '../parts/verdicts.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';

/** So many real messages can be taken as the sample. */
const SAMPLES = 20;

type Answer = { problems: readonly { field: string; reason: string }[]; routes: DryRun };

/** A message that is made up, or is a real one that was changed: would the schemas take it, and who would get it? Nothing is sent. */
export function ChannelTrial({ channelId }: { channelId: string }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [form, setForm] = useState({ eventType: '', payload: '{}', metadata: '' });
  /** The texts that the form began with, or has from a message: all that differs from them was written by its person. */
  const [taken, setTaken] = useState(form);
  const [asked, setAsked] = useState<string>();
  const [sample, setSample] = useState('');
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const [badJson, setBadJson] = useState<string>();
  const messages = useQuery({
    queryKey: [path, 'samples', channelId],
    queryFn: async () => (await api.messages.listAll({ channelId, limit: SAMPLES }, at).page()).data,
    enabled: may('developer'),
  });
  if (!may('developer')) return <NotAllowed isPart />;
  const take = async (id: string): Promise<void> => {
    const { data, text } = await api.messages.get(id, at).withAnswer();
    const next = {
      eventType: data.eventType,
      payload: prettyText(memberText(text, 'payload') ?? '{}'),
      metadata: memberText(text, 'metadata') ?? '',
    };
    setForm(next);
    setTaken(next);
    setSample(id);
    setAnswer(undefined);
  };
  const isWritten =
    form.eventType !== taken.eventType || form.payload !== taken.payload || form.metadata !== taken.metadata;
  const ask = async (): Promise<void> => {
    // Payload and metadata go as their text: no number of them is read and written anew.
    const own = `"eventType":${JSON.stringify(form.eventType)},"payload":${form.payload}`;
    const { results } = await api.messages.validate(channelId, `{${own}}`, at);
    const routed = form.metadata === '' ? own : `${own},"metadata":${form.metadata}`;
    const routes = await api.messages.dryRun(channelId, `{${routed}}`, { limit: 100 }, at);
    setAnswer({ problems: results[0]?.errors ?? [], routes });
  };
  return (
    <div className="stack">
      <p className="muted">{t.schemas.trialWhy}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          setAnswer(undefined);
          const problem = jsonProblem(form.payload, t);
          setBadJson(problem);
          if (problem === undefined) void ask().catch(setError);
        }}
      >
        {messages.data !== undefined && messages.data.length > 0 && (
          <ChoiceField
            label={t.schemas.sample}
            value={sample}
            onChange={(id) => {
              if (id === '') setSample(id);
              else if (isWritten) setAsked(id);
              else void take(id).catch(setError);
            }}
            options={[
              ['', t.schemas.ownSample],
              ...messages.data.map(({ id, eventType }) => [id, `${eventType} · ${id}`] as const),
            ]}
          />
        )}
        <TextField
          label={t.fields.eventType}
          value={form.eventType}
          onChange={(eventType) => setForm({ ...form, eventType })}
          problem={problemOf(error, 'eventType')}
          isRequired
        />
        <TextField
          label={t.fields.payload}
          value={form.payload}
          onChange={(payload) => setForm({ ...form, payload })}
          lines={10}
          problem={badJson ?? problemOf(error, 'payload')}
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.schemas.whoWould}
          </button>
        </div>
        <ShellButton />
      </form>
      {asked !== undefined && (
        <Ask
          title={t.newer.overwrite}
          go={t.newer.overwriteGo}
          isLocal
          onClose={() => setAsked(undefined)}
          onGo={() => void take(asked).catch(setError)}
        >
          <p>{t.newer.overwriteWhy}</p>
        </Ask>
      )}
      {answer !== undefined && (
        <section className="section" aria-live="polite">
          {answer.problems.length === 0 ? (
            <p>{t.schemas.taken}</p>
          ) : (
            <ul className="problem">
              {answer.problems.map(({ field, reason }) => (
                <li key={`${field} ${reason}`}>
                  <code>{field}</code> {reason}
                </li>
              ))}
            </ul>
          )}
          {answer.routes.data.length === 0 ? (
            <p className="muted">{t.messages.nobody}</p>
          ) : (
            <Verdicts
              of={answer.routes.data}
              first={answer.routes.pagination.hasMore ? answer.routes.data.length : undefined}
            />
          )}
        </section>
      )}
    </div>
  );
}
