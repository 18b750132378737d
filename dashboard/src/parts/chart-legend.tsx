import type { ReactNode } from 'react';
import { useTexts } from '../lib/texts.ts';
import type { Series } from './chart-given.ts';

/** The rows of a chart by their colours, with the values of the step under the pointer. */
export function ChartLegend({
  series,
  pointed,
  format,
  onPick,
  children,
}: {
  series: readonly Series[];
  pointed: number | undefined;
  format: (value: number) => string;
  onPick?: ((name: string) => void) | undefined;
  children: ReactNode;
}) {
  const t = useTexts();
  return (
    <p className="legend">
      {series.map(({ name, look, values }) => {
        const shown = (
          <>
            <span className={`swatch ${look}`} aria-hidden="true" /> {name}
            {pointed !== undefined && <strong> {format(values[pointed] ?? 0)}</strong>}
          </>
        );
        return onPick === undefined ? (
          <span key={name}>{shown}</span>
        ) : (
          <button
            key={name}
            type="button"
            className="button plain"
            title={t.figures.onlyAnswer(name)}
            onClick={() => onPick(name)}
          >
            {shown}
          </button>
        );
      })}
      <span className="muted">{children}</span>
    </p>
  );
}
