import { useContext, useEffect, useRef, useState } from 'react';
import { requestsOf, type Written } from '../api/requests.ts';
import { commandLine, curlLine } from '../lib/shell-lines.ts';
import { HereContext } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Code } from './code.tsx';

/** Each request as a line for a shell, and by the service's own command line where it has a command for it. */
function ShellLines({ of }: { of: readonly Written[] }) {
  const t = useTexts();
  const here = useContext(HereContext);
  const curls = of.map(curlLine);
  const commands = of.flatMap((each) => commandLine(each, here?.at.place) ?? []);
  const isForKeys = curls.every((line) => line !== undefined);
  return (
    <div className="stack shell-lines">
      {isForKeys ? <Code text={curls.join('\n')} label="curl" /> : <p className="muted">{t.shell.onlyPeople}</p>}
      {isForKeys && <p className="muted">{t.shell.key}</p>}
      {commands.length > 0 && (
        <>
          <h3>{t.shell.command}</h3>
          <Code text={commands.join('\n')} label={t.shell.command} />
        </>
      )}
    </div>
  );
}

/**
 * Shows the requests that an action would send, without sending them. `run` does the action, by default by the form that the button stands
 * in: what is missing there is told as when it is sent.
 */
export function ShellButton({ run }: { run?: () => unknown }) {
  const [found, setFound] = useState<readonly Written[]>();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // A field that is changed makes another request of it.
    const form = button.current?.form;
    const forget = (): void => setFound(undefined);
    form?.addEventListener('input', forget);
    return () => form?.removeEventListener('input', forget);
  }, []);
  const show = (form: HTMLFormElement | null): void => {
    if (found !== undefined) {
      setFound(undefined);
      return;
    }
    void requestsOf(() => (run === undefined ? form?.requestSubmit() : run())).then((requests) =>
      setFound(requests.length === 0 ? undefined : requests),
    );
  };
  return (
    <div className="shell-button">
      <button
        ref={button}
        type="button"
        className="button plain mono"
        aria-expanded={found !== undefined}
        onClick={(event) => show(event.currentTarget.form)}
      >
        curl
      </button>
      {found !== undefined && <ShellLines of={found} />}
    </div>
  );
}
