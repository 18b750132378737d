import type { enTools } from './en-tools.ts';
import type { Texts } from './en.ts';

const number = (count: number): string => count.toLocaleString('de');

/** German words of the tools of operators. */
export const deTools: Pick<Texts, keyof typeof enTools> = {
  inspect: {
    make: 'Testempfänger anlegen',
    none: 'Noch kein Testempfänger',
    noneWhy:
      'Ein Testempfänger ist eine Adresse dieses Dienstes, die zeigt, was ankommt. Richten Sie ein Abonnement dorthin, solange Sie noch keinen eigenen Empfänger haben.',
    nameHint: 'Etwa Erster Blick.',
    url: 'Adresse',
    urlHint: 'Wer die Adresse kennt, kann dorthin senden. Die neuesten 200 Anfragen bleiben 24 Stunden.',
    useAsTarget: 'Als Ziel verwenden',
    firstTarget: 'Einen Testempfänger dieses Dienstes als erstes Ziel nehmen',
    firstName: 'Erster Blick',
    answer: 'Erzwungene Antwort',
    change: 'Ändern',
    status: 'Status',
    statusHint: '200 bis 599. 410 schaltet das Abonnement ab, andere Fehler werden wiederholt.',
    delay: 'Verzögerung in ms',
    delayHint: 'Bis 30.000. Ein Abonnement wartet so lange, wie sein Zeitlimit sagt.',
    failures: 'Fehler in %',
    failuresHint: 'So viele von hundert Anfragen werden stattdessen mit 500 beantwortet.',
    answers: (status, delayMs, failures) =>
      [
        `Antwortet ${status}`,
        delayMs > 0 ? `nach ${number(delayMs)} ms` : 'sofort',
        failures > 0 ? `und ${failures} von 100 Anfragen mit 500` : '',
      ]
        .filter((part) => part !== '')
        .join(', '),
    clear: 'Anfragen vergessen',
    cleared: 'Die Anfragen sind vergessen',
    deleteTitle: (name) => `Testempfänger ${name} löschen?`,
    deleteWhy:
      'Seine Adresse ist für immer weg: Abonnements, die dorthin senden, bekommen 404. Auch seine Anfragen sind weg.',
    requests: 'Anfragen',
    noRequest: 'Noch ist nichts angekommen',
    noRequestWhy:
      'Anfragen erscheinen, sobald sie ankommen: von einem Abonnement mit dieser Adresse als Ziel oder von curl.',
    method: 'Methode',
    path: 'Hinter der Adresse',
    signature: 'Signatur',
    answered: 'Beantwortet',
    arrived: 'Angekommen',
    answeredLate: (status, ms) => (ms > 0 ? `${status} nach ${number(ms)} ms` : String(status)),
    headers: 'Header',
    body: 'Rumpf',
    noBody: 'Sie hat keinen Rumpf.',
    base64: 'Die Bytes sind kein Text. Das ist ihr base64.',
    isCut: (bytes) => `Nur die ersten 256 KiB von ${bytes} sind da.`,
    verdicts: { verified: 'Bestätigt', failed: 'Nicht bestätigt', unsigned: 'Nicht signiert' },
    means: {
      verified: 'Ein Geheimnis des Abonnements hat genau diesen Rumpf signiert.',
      unsigned: 'Der Header webhook-signature fehlt.',
    },
    reasons: {
      header_missing: 'Sie ist signiert, aber webhook-id oder webhook-timestamp fehlt.',
      timestamp_malformed: 'webhook-timestamp ist keine Zahl von Sekunden.',
      timestamp_off: 'webhook-timestamp weicht mehr als fünf Minuten von der Uhr dieses Dienstes ab.',
      message_unknown: 'webhook-id nennt keine Nachricht dieser Umgebung, die ein Abonnement hat.',
      secret_unreadable: 'Kein Geheimnis des Abonnements lässt sich öffnen.',
      signature_differs: 'Kein Geheimnis, das für das Abonnement signiert, hat diesen Rumpf signiert.',
    },
  },
};
