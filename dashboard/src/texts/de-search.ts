import type { enSearch } from './en-search.ts';
import type { Texts } from './en.ts';

const number = (count: number): string => count.toLocaleString('de');

/** German words of the search, of exports and of what lists say about changes. */
export const deSearch: Pick<Texts, keyof typeof enSearch> = {
  exports: {
    go: 'Exportieren',
    title: 'Die Liste exportieren',
    why: 'Alles, was die Filter durchlassen, höchstens die neuesten 100.000. Das Protokoll hält es fest.',
    formats: { csv: 'Als Tabelle (CSV)', ndjson: 'Als Zeilen aus JSON' },
    taken: (count) => `Bisher ${number(count)} Zeilen`,
    cut: 'Die Datei hat die neuesten 100.000 Zeilen und endet dort. Für ältere „Bis“ auf die Zeit ihrer letzten Zeile setzen.',
    whyRead:
      'Alles, was die Filter durchlassen, höchstens 10.000 Zeilen. Der Browser liest die Liste seitenweise, ohne Definitionen, Schemas und Inhalte, die keine Zeile zeigt.',
    read: (count) => `Bisher ${number(count)} Zeilen`,
    cutRead: 'Die Datei hat die ersten 10.000 Zeilen und endet dort: Die Liste hat mehr. Mit Filtern wird sie kürzer.',
    nothingSaved: 'Es wurde keine Datei gespeichert.',
    stop: 'Abbrechen',
    file: 'Die Datei per Kommandozeile',
    list: 'Die Liste per Kommandozeile',
    command: 'Mit dem Befehl des Dienstes',
  },
  tail: {
    none: 'Noch nichts',
    noneWhy: 'Nachrichten des Kanals stehen hier, sobald sie veröffentlicht werden.',
    listening: (count: number) => `Liest mit: ${count === 1 ? '1 Nachricht' : `${number(count)} Nachrichten`} bisher`,
    paused: (count: number) =>
      `Liest nicht mit: ${count === 1 ? '1 Nachricht' : `${number(count)} Nachrichten`} bisher`,
    newest: (count: number) => `Die neuesten ${number(count)} werden gezeigt.`,
  },
  tree: {
    copyPath: 'Pfad kopieren',
    copyValue: 'Wert kopieren',
    close: 'Alles schließen',
    holds: (count: number) => (count === 1 ? '1 Wert' : `${number(count)} Werte`),
  },
  shell: {
    title: 'Dasselbe mit einer Shell',
    key: 'POSTHORN_KEY ist ein API-Schlüssel dieser Umgebung. Auch Geheimnisse bleiben Namen von Variablen.',
    onlyPeople: 'Das kann nur eine angemeldete Person, kein Schlüssel.',
    command: 'Mit der Befehlszeile des Dienstes',
  },
  search: {
    label: 'Suchen nach',
    hint: 'Irgendeine Id, Ihre eigene Id einer Nachricht, ein Ereignistyp, ein Teil eines Namens oder ein Pfad mit Wert.',
    go: 'Suchen',
    missingAmong: (id, apps) =>
      `Keine der ${apps} durchsuchten Apps hat ${id}, und Sie haben mehr. Wählen Sie erst die App und fragen Sie dort.`,
    more: 'Weiter zurück suchen',
    none: 'Nichts gefunden',
    noneSoFar: 'Bisher nichts gefunden',
    noneWhy: 'Inhalte werden Zeichen für Zeichen verglichen: 12.50 ist nicht 12.5. Gelöschte Nachrichten haben keinen.',
    noneWithoutPath: (text) =>
      `Inhalte wurden nicht durchsucht. Ein Wert darin findet sich mit seinem Pfad, etwa payload.order.id=${text}.`,
    paths: 'Werte der neuesten Nachrichten, jeder mit dem, was gesucht wurde:',
    examples: 'Zum Beispiel',
    example: {
      id: 'eine Nachricht, nach ihrer Id oder der webhook-id im Protokoll eines Empfängers',
      type: 'alle Nachrichten, deren Ereignistyp so beginnt',
      path: 'Nachrichten mit dieser Zahl im Inhalt, Ziffer für Ziffer',
      any: 'Nachrichten mit einem Eintrag dieses Textes',
      name: 'Kanäle, Abonnements und Workflows dieses Namens',
    },
    looked: (messages, milliseconds) =>
      `${number(messages)} ${messages === 1 ? 'Nachricht' : 'Nachrichten'} in ${number(milliseconds)} ms durchgesehen`,
    between: 'veröffentlicht von',
    until: 'bis',
    left: 'Ältere sind noch übrig.',
    whole: 'Das waren alle.',
    found: (count) => `${number(count)} gefunden`,
    in: (text) => `Nach „${text}“ suchen`,
    what: 'Was',
    matchedHead: 'Gefunden nach',
    matched: {
      id: 'Id',
      publisherId: 'eigener Id',
      eventType: 'Ereignistyp',
      name: 'Name',
      payload: 'Inhalt',
      everything: 'neueste',
    },
    kinds: {
      message: 'Nachricht',
      delivery: 'Zustellung',
      attempt: 'Versuch',
      deadLetter: 'Unzustellbares',
      bulkReplay: 'Wiederholung',
      bulkRetry: 'Neuer Versuch von Zustellungen',
      messageReplay: 'Wiederholung von Nachrichten',
      subscription: 'Abonnement',
      channel: 'Kanal',
      workflow: 'Workflow',
      run: 'Lauf',
      approval: 'Freigabe',
      connection: 'Verbindung',
      webhook: 'Eingehender Webhook',
    },
  },
};
