import { type Foldable, useFold } from '../lib/fold.ts';
import { useTexts } from '../lib/texts.ts';

/** Opens and folds a part of the page that stands above its list. */
export function FoldButton({ of }: { of: Foldable }) {
  const t = useTexts();
  const [isOpen, toggle] = useFold(of);
  return (
    <button type="button" className="button plain" aria-expanded={isOpen} onClick={toggle}>
      {t.figures.fold[of]} <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
    </button>
  );
}
