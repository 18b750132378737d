import { useEffect, useState } from 'react';
import { useTexts } from '../lib/texts.ts';

/** Nothing for 200 ms, so that what comes at once does not flicker; then bars in place of what is loaded. */
export function Waiting() {
  const t = useTexts();
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="waiting" aria-busy="true">
      <span className="sr-only">{t.common.loading}</span>
      {isShown &&
        [90, 70, 80, 60].map((width) => <div key={width} className="skeleton" style={{ width: `${width}%` }} />)}
    </div>
  );
}
