import { api } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { useGo } from './link.tsx';

/** Leads to a new subscription whose target is an inspector: the newest one, or one that is made for it. */
export function FirstTarget() {
  const t = useTexts();
  const { at } = useHere();
  const { act } = useActs();
  const go = useGo();
  return (
    <div className="buttons target">
      <button
        type="button"
        className="button"
        onClick={() =>
          void act(async () => {
            const [known] = (await api.inspectors.list({ limit: 1 }, at).page()).data;
            const { url } = known ?? (await api.inspectors.create({ name: t.inspect.firstName }, at));
            go('/subscriptions/new', { target: url });
          })
        }
      >
        {t.inspect.firstTarget}
      </button>
      <span className="muted">{t.inspect.firstTargetWhy}</span>
    </div>
  );
}
