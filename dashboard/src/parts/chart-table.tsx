import { useTexts } from '../lib/texts.ts';
import { useTimes } from '../lib/times.ts';
import type { ChartGiven } from './chart-given.ts';

/** The same values as a table. The time of a step is a button where a step can be chosen. */
export function ChartTable({
  times,
  series,
  format,
  onBrush,
}: Pick<ChartGiven, 'times' | 'series' | 'format'> & {
  onBrush: ((first: number, last: number) => void) | undefined;
}) {
  const t = useTexts();
  const { minute } = useTimes();
  return (
    <>
      <thead>
        <tr>
          <th scope="col">{t.figures.step}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, at) => (
          <tr key={time}>
            <td>
              {onBrush === undefined ? (
                minute(time)
              ) : (
                <button type="button" className="button plain" onClick={() => onBrush(at, at)}>
                  {minute(time)}
                </button>
              )}
            </td>
            {series.map(({ name, values }) => (
              <td key={name} className="number">
                {format(values[at] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </>
  );
}
