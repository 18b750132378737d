import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { memberText } from '../../lib/raw-json.ts';
import { CodeView } from '../../ui/code/code-view.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/layout.tsx';
import { type RunView, type TakenStep, useTriggerMessage } from './use-run.ts';

/** How many results of earlier steps are shown: those that finished last. */
const MOST = 30;

/** What the templates of a step could read: the message that started the run, and the results of earlier steps. */
export function Variables({ view, chosen }: { view: RunView; chosen: TakenStep }) {
  const message = useTriggerMessage(view.run.trigger.messageId);
  const event = message.data && eventOf(message.data.text);
  const results = resultsBefore(view, chosen);
  if (event === undefined && results.length === 0) return null;
  return (
    <Section
      title={
        <>
          Variables at this step <span className="ml-1 font-normal text-text-3">what templates could read</span>
        </>
      }
    >
      <ul aria-label="Variables" className="border-t border-line">
        {event !== undefined && <Variable name="event" json={event} />}
        {results.map(({ key, step, json }) => (
          <Variable key={key} name={`steps.${step.id}.output`} json={json} />
        ))}
      </ul>
    </Section>
  );
}

const MEMBERS = ['id', 'eventType', 'channelId', 'payload', 'metadata'];

/** The message as expressions read it, with its numbers as they were written. */
const eventOf = (text: string): string =>
  `{${MEMBERS.flatMap((name) => {
    const member = memberText(text, name);
    return member === undefined ? [] : [`${JSON.stringify(name)}:${member}`];
  }).join(',')}}`;

/** Results that existed when the step started: in its own loop iteration, and in those around it. */
function resultsBefore({ taken }: RunView, { step }: TakenStep) {
  const isAround = (iteration: string): boolean =>
    iteration === '' || step.iteration === iteration || step.iteration.startsWith(`${iteration}.`);
  return taken
    .flatMap((each) => {
      const json = memberText(each.text, 'output');
      const { finishedAt, iteration, type } = each.step;
      const isBefore = finishedAt !== undefined && finishedAt <= step.startedAt && isAround(iteration);
      return json !== undefined && type !== 'item' && isBefore ? [{ ...each, json }] : [];
    })
    .slice(-MOST);
}

function Variable({ name, json }: { name: string; json: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className="flex h-8 w-full items-center gap-2 text-left outline-offset-[-2px] hover:bg-hover pointer-coarse:h-11"
      >
        <Icon
          of={ChevronRight}
          isSmall
          className={clsx('text-text-3 transition-transform duration-(--fast)', isOpen && 'rotate-90')}
        />
        <span className="mono max-w-1/2 shrink-0 truncate">{name}</span>
        {!isOpen && <span className="mono min-w-0 truncate text-text-3">{oneLine(json)}</span>}
      </button>
      <div id={id} hidden={!isOpen} className="pb-2.5">
        {isOpen && <CodeView label={name} text={json} />}
      </div>
    </li>
  );
}

const PREVIEWED = 300;
const oneLine = (json: string): string => json.slice(0, PREVIEWED).replaceAll(/\s+/g, ' ');
