import { useState } from 'react';
import { api, type Trial } from '../api/client.ts';
import { jsonProblem } from '../lib/json-problem.ts';
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

/** `isReal`: the message named its channel. */
type Tried = { trial: Trial; text: string; isReal: boolean };

/** A trial of a stored definition on a message, real or made up: every step is done but those that would reach out of the service. */
export function WorkflowTrial({ id, definition }: { id: string; definition: string }) {
  const t = useTexts();
  const { at, may } = useHere();
  const { act } = useActs();
  const [eventType, setEventType] = useState('order.created');
  const [payload, setPayload] = useState('{\n  "total": 250\n}');
  const [message, setMessage] = useState<RealMessage>();
  const [error, setError] = useState<unknown>();
  const [badJson, setBadJson] = useState<string>();
  const [found, setFound] = useState<Tried>();
  if (!may('developer')) return <NotAllowed isPart />;
  return (
    <>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setError(undefined);
          const problem = jsonProblem(payload, t);
          setBadJson(problem);
          if (problem !== undefined) return;
          void act(
            async () => {
              const of =
                message === undefined ? '' : `,"channelId":"${message.channelId}","metadata":${message.metadata}`;
              const body = `{"event":{"eventType":${JSON.stringify(eventType)},"payload":${payload}${of}}}`;
              const { data, text } = await api.workflows.test(id, body, at).withAnswer();
              setFound({ trial: data, text, isReal: message !== undefined });
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
          problem={badJson ?? problemOf(error, 'event.payload')}
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
          <Begins of={found} definition={definition} />
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

/** Whether the trigger would take the message, and why not: the steps are tried in any case. */
function Begins({ of: { trial, isReal }, definition }: { of: Tried; definition: string }) {
  const t = useTexts();
  const { wouldBegin, reason, detail } = trial.begins;
  const isActive = memberText(definition, 'status') === '"active"';
  const would = isActive ? t.workflows.wouldBegin : t.workflows.wouldBeginInactive;
  // No message ever begins it: nothing is wrong with this one.
  if (reason === 'trigger_type') return <p className="muted">{t.workflows.begins[reason]}</p>;
  return (
    <>
      <p className={wouldBegin ? 'note good' : 'note bad'}>
        {wouldBegin ? would : t.workflows.wouldNotBegin} {t.workflows.begins[reason]}
        {wouldBegin && !isReal && channelsIn(definition).length > 0 && ` ${t.workflows.ofChannels}`}
        {wouldBegin && !isReal && webhookIn(definition) && ` ${t.workflows.ofWebhook}`}
      </p>
      {reason === 'filter_failed' && <p className="muted">{detail}</p>}
      {reason === 'event_type' && <p className="muted mono">{detail}</p>}
    </>
  );
}

const configOf = (definition: string): string =>
  memberText(memberText(definition, 'trigger') ?? '{}', 'config') ?? '{}';

const webhookIn = (definition: string): boolean => memberText(configOf(definition), 'webhookId') !== undefined;

/** The channels that the trigger of a definition names. */
function channelsIn(definition: string): string[] {
  const config = configOf(definition);
  const one: unknown = JSON.parse(memberText(config, 'channelId') ?? 'null');
  const several: unknown = JSON.parse(memberText(config, 'channelIds') ?? '[]');
  const named = [one, ...(Array.isArray(several) ? (several as unknown[]) : [])];
  return [...new Set(named.filter((each): each is string => typeof each === 'string'))];
}
