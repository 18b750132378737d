import { useState } from 'react';
import { api, type Trial } from '../api/client.ts';
import { memberText } from '../lib/raw-json.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Diagram } from '../parts/diagram.tsx';
import { Failure } from '../parts/failure.tsx';
import { problemOf, TextField } from '../parts/field.tsx';
import { type RealMessage, RealMessageField } from '../parts/real-message.tsx';
import { RunState } from '../parts/run-state.tsx';
import { StepList } from '../parts/step-list.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';

/** A trial of a stored definition on a message, real or made up: every step is done but those that would reach out of the service. */
export function WorkflowTrial({ id, definition }: { id: string; definition: string }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const [eventType, setEventType] = useState('order.created');
  const [payload, setPayload] = useState('{\n  "total": 250\n}');
  const [message, setMessage] = useState<RealMessage>();
  const [error, setError] = useState<unknown>();
  const [found, setFound] = useState<{ trial: Trial; text: string }>();
  if (!may('developer')) return <NotAllowed isPart />;
  return (
    <>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          void act(
            async () => {
              JSON.parse(payload);
              const of =
                message === undefined ? '' : `,"channelId":"${message.channelId}","metadata":${message.metadata}`;
              const body = `{"event":{"eventType":${JSON.stringify(eventType)},"payload":${payload}${of}}}`;
              const { data, text } = await api.workflows.test(id, body, at).withAnswer();
              setFound({ trial: data, text });
            },
            { onFailure: setError },
          );
        }}
      >
        <p className="muted">{t.workflows.trialWhy}</p>
        <RealMessageField
          channelIds={channelsIn(definition)}
          chosen={message?.id ?? ''}
          onChoose={(taken) => {
            setMessage(taken);
            if (taken === undefined) return;
            setEventType(taken.eventType);
            setPayload(taken.payload);
          }}
        />
        <TextField label={t.fields.eventType} value={eventType} onChange={setEventType} />
        <TextField
          label={t.fields.payload}
          value={payload}
          onChange={setPayload}
          lines={8}
          problem={problemOf(error, 'event.payload')}
        />
        <Failure error={error} />
        <div className="buttons">
          <button type="submit" className="button main">
            {t.workflows.try}
          </button>
        </div>
        <ShellButton />
      </form>
      {found !== undefined && (
        <section className="section" aria-live="polite">
          <p className="sentence">
            <RunState of={found.trial} /> {found.trial.error?.message}
            {found.trial.filteredBy !== undefined && t.runs.filteredBy(found.trial.filteredBy)}
          </p>
          <Diagram text={definition} states={new Map(found.trial.steps.map((step) => [step.id, step.status]))} />
          <StepList steps={found.trial.steps} text={memberText(found.text, 'steps') ?? '[]'} />
        </section>
      )}
    </>
  );
}

/** The channels that the trigger of a definition names. */
function channelsIn(definition: string): string[] {
  const config = memberText(memberText(definition, 'trigger') ?? '{}', 'config') ?? '{}';
  const one: unknown = JSON.parse(memberText(config, 'channelId') ?? 'null');
  const several: unknown = JSON.parse(memberText(config, 'channelIds') ?? '[]');
  const named = [one, ...(Array.isArray(several) ? (several as unknown[]) : [])];
  return [...new Set(named.filter((each): each is string => typeof each === 'string'))];
}
