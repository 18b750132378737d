import type { enDeliveries } from './en-deliveries.ts';
import type { Texts } from './en.ts';

const number = (count: number): string => count.toLocaleString('de');

/** German words of deliveries, their tries, and views of lists. */
export const deDeliveries: Pick<Texts, keyof typeof enDeliveries> = {
  deliveries: {
    age: 'Alter',
    retryAll: 'Alle Treffer neu versuchen',
    retryThem: 'Neu versuchen',
    retryWhich:
      'Unberührt bleibt, was angekommen ist, auf seinen ersten Versuch wartet oder als unzustellbar verworfen wurde.',
    retryDelivered: 'Diese sind schon angekommen. Jeder Empfänger bekommt sie noch einmal, unter denselben ids.',
    retryWithDelivered:
      'Unter diesen sind auch angekommene. Deren Empfänger bekommen sie noch einmal, unter denselben ids.',
    wouldRetry: (count, isMore) =>
      `${isMore ? 'Mindestens ' : ''}${count === 1 ? '1 Zustellung passt' : `${number(count)} Zustellungen passen`}.`,
    none: 'Noch keine Zustellung',
    noneWhy: 'Jede Nachricht macht eine Zustellung für jedes Abonnement, das sie nimmt.',
    retry: 'Neu versuchen',
    retryAsked: 'Neuer Versuch verlangt',
    attempts: (count) => (count === 1 ? '1 Versuch' : `${number(count)} Versuche`),
    noAttempt: 'Noch nicht versucht.',
    number: (attempt) => `Versuch ${attempt}`,
    got: (status, latency) => `bekam ${status} nach ${latency}`,
    gotNothing: 'bekam keine Antwort',
    arrived: (tries, outcome) => (tries === 1 ? `Der erste Versuch ${outcome}.` : `Versuch ${tries} ${outcome}.`),
    tried: (tries, most, outcome) => `Versuch ${tries}${most === undefined ? '' : ` von ${most}`}: ${outcome}.`,
    notTried: 'Noch nicht versucht.',
    triedBefore: (tries, outcome) =>
      `${tries === 1 ? '1 Versuch' : `${number(tries)} Versuche`} bisher, der letzte ${outcome}. Die Regel beginnt von vorn.`,
    againTitle: 'Noch einmal zustellen?',
    againWhy: 'Sie ist schon angekommen. Der Empfänger bekommt sie noch einmal, unter derselben Id.',
    againManyTitle: (count) => `${number(count)} Zustellungen wiederholen?`,
    againManyWhy: (count) =>
      count === 1
        ? 'Eine von ihnen ist schon angekommen. Der Empfänger bekommt die Nachricht noch einmal, unter derselben Id.'
        : `${number(count)} von ihnen sind schon angekommen. Die Empfänger bekommen die Nachrichten noch einmal, unter denselben Ids.`,
    givenUp: (reason) => `Aufgegeben: ${reason}.`,
    waitsFor: (hold) => `Wartet: ${hold}.`,
    next: 'Nächster um',
    in: 'in',
    tabs: { answer: 'Antwort', request: 'Anfrage', timing: 'Zeiten' },
    noAnswer: 'Es kam keine Antwort.',
    noRequest: 'Die Anfrage dieses Versuchs wurde nicht aufbewahrt.',
    masked: '*** steht für Geheimes.',
    bodyGone: 'Der Körper der Anfrage ist mit dem Inhalt der Nachricht verschwunden.',
    times: {
      began: 'Begann',
      waited: 'Wartete davor',
      head: 'Bis zum Kopf der Antwort',
      rest: 'Lesen der Antwort',
      whole: 'Ganzer Versuch',
    },
    compare: 'Zwei Versuche vergleichen',
    compareFrom: 'Von',
    compareTo: 'Bis',
    lengths: (before, after) => `Sie dauerten ${before} und ${after}. Nur Unterschiede werden gezeigt.`,
    same: 'Sonst ist alles gleich.',
    part: 'Teil',
    parts: {
      outcome: 'Ausgang',
      error: 'Fehler',
      status: 'Status',
      body: 'Inhalt der Antwort',
      answerHeader: 'Kopfzeile der Antwort',
      url: 'URL',
      requestVersion: 'Version der Anfrage',
      requestHeader: 'Kopfzeile der Anfrage',
    },
    slow: 'Beantwortet nach',
    slowFrom: (time) => `${time} oder mehr`,
    heldOnly: 'Angehalten',
    isHeld: { true: 'Angehaltene', false: 'Alle anderen' },
    headers: 'Kopfzeilen der Antwort',
    noBody: '(leer)',
    carrier: 'Temporal-Workflow',
    lineOf: (tries, time) => `${tries} Versuche in ${time}`,
  },
  views: {
    title: 'Ansichten',
    own: {
      failed: 'Fehlgeschlagen',
      waiting: 'Wartend',
      slow: 'Langsam (> 5 s)',
      held: 'Angehalten',
      failing: 'Gestört',
      paused: 'Angehalten',
      disabled: 'Abgeschaltet',
    },
    save: 'Als Ansicht sichern',
    rename: 'Ansicht umbenennen',
    delete: 'Ansicht löschen',
    name: 'Name der Ansicht',
    keep: 'Sichern',
    saved: 'Ansicht gesichert',
    deleted: 'Ansicht gelöscht',
    taken: 'Eine andere Ihrer Ansichten heißt so, oder Sie haben schon 100.',
  },
};
