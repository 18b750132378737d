import { api, type Mark } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { AskButton } from './ask-button.tsx';
import { FailedSince } from './failed-since.tsx';
import { HereLink } from './link.tsx';
import { MarkButton } from './mark-button.tsx';
import { Time } from './time.tsx';
import { useMarks } from './use-marks.ts';

/** So many stand on the overview. */
const SHOWN = 5;

/** Moments that somebody has marked, each with the way to what has failed since. */
export function Marks() {
  const t = useTexts();
  const marks = useMarks();
  return (
    <section className="box section" aria-label={t.marks.title}>
      <div className="heading">
        <h2>{t.marks.title}</h2>
        <MarkButton />
      </div>
      {marks.length === 0 ? (
        <p className="muted">{t.marks.none}</p>
      ) : (
        <div className="wide">
          <table className="table">
            <tbody>
              {marks.slice(0, SHOWN).map((mark) => (
                <Row key={mark.id} mark={mark} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Row({ mark }: { mark: Mark }) {
  const t = useTexts();
  const { at, may } = useHere();
  const refresh = useRefresh();
  return (
    <tr>
      <td>
        <Time at={mark.at} />
      </td>
      <td>{mark.name}</td>
      <td>
        <HereLink to="/overview" search={{ mark: mark.id }}>
          {t.marks.compare} <span className="sr-only">{mark.name}</span>
        </HereLink>{' '}
        · <FailedSince at={mark.at} />
      </td>
      <td>
        {may('developer') && (
          <AskButton
            label={t.common.delete}
            of={mark.name}
            title={t.ask.deleteTitle(mark.name)}
            why={t.ask.deleteMarkWhy}
            name={mark.name}
            told={t.common.deleted}
            looks="plain"
            what={async () => {
              await api.marks.delete(mark.id, at);
              await refresh();
            }}
          />
        )}
      </td>
    </tr>
  );
}
