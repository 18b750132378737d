import { useTexts } from '../lib/texts.ts';
import { Dialog } from './dialog.tsx';

/** All keys that do something. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  return (
    <Dialog title={t.keys.title} onClose={onClose}>
      <div className="form">
        <table className="table">
          <tbody>
            {t.keys.all.map(([keys, what]) => (
              <tr key={keys}>
                <td>
                  <kbd className="mono">{keys}</kbd>
                </td>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <div className="buttons">
          <button type="button" className="button" onClick={onClose}>
            {t.common.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
